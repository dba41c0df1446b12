/** Changes to the tree, one after another. Each is worked out first and takes effect at once, so no reader sees half. */

import { posix } from "node:path";
import { fileError } from "../files/file-error.ts";
import { type FileNode, newFile, newFolder, now, type TreeNode } from "./nodes.ts";
import { isWithin, namesOf, PLACES, within } from "./places.ts";
import { ENTRY_BYTES, type Space } from "./space.ts";
import type { Found, Tree } from "./tree.ts";
import { TreeSurgery } from "./tree-surgery.ts";

export interface WriteOptions {
  append?: boolean;
  /** Of a new file. */
  mode?: number;
  createParents?: boolean;
  /** Throws to refuse, having seen what is there now. */
  check?(current: TreeNode | undefined): void;
}

export class TreeEdits {
  readonly #tree: Tree;
  readonly #space: Space;
  readonly #surgery: TreeSurgery;
  #last: Promise<unknown> = Promise.resolve();

  constructor(tree: Tree, space: Space) {
    this.#tree = tree;
    this.#space = space;
    this.#surgery = new TreeSurgery(tree, space);
  }

  write(path: string, data: Uint8Array, options: WriteOptions = {}): Promise<void> {
    return this.alone(() => {
      if (options.createParents) this.#createFolders(posix.dirname(path), "ENOTDIR");
      const found = this.#tree.find(path);
      options.check?.(found.node);
      const node = this.#writable(found, path, options.mode);
      this.#fill(node, options.append ? this.#appended(node, data) : new Uint8Array(data));
    });
  }

  /** With `parents`, a folder that is there already is fine. */
  mkdir(path: string, parents: boolean): Promise<void> {
    return this.alone(() => {
      if (parents) return this.#createFolders(path, "EEXIST");
      this.#surgery.put(this.#free(path), newFolder());
    });
  }

  /** Throws EEXIST for a folder that is not empty, without `recursive`. */
  remove(path: string, recursive: boolean): Promise<void> {
    return this.alone(async () => {
      const { path: real, node } = this.#tree.find(path, false);
      if (!node) throw fileError("ENOENT", path);
      this.#checkRemovable(real);
      if (node.type === "dir" && !recursive && this.#tree.entries(node).length > 0) throw fileError("ENOTEMPTY", path);
      await this.#surgery.noteOrigins(real, node);
      this.#surgery.take(real);
      this.#surgery.release(node);
    });
  }

  rename(from: string, to: string, createParents = false): Promise<void> {
    return this.alone(async () => {
      const source = this.#tree.find(from, false);
      if (!source.node) throw fileError("ENOENT", from);
      if (from !== to && isWithin(from, to)) throw intoItself(from, to);
      if (createParents) this.#createFolders(posix.dirname(to), "ENOTDIR");
      const target = this.#tree.find(to, false);
      if (source.path === target.path) return;
      this.#checkRemovable(source.path);
      this.#checkReplaceable(source, target, to);
      await this.#surgery.noteOrigins(source.path, source.node);
      if (target.node) await this.#surgery.noteOrigins(target.path, target.node);
      const moved = await this.#surgery.loosened(source.node);
      this.#surgery.put(target.path, moved);
      this.#surgery.take(source.path);
      if (target.node) this.#surgery.release(target.node);
    });
  }

  copy(from: string, to: string, recursive: boolean): Promise<void> {
    return this.alone(async () => {
      const source = this.#tree.find(from);
      const target = this.#tree.find(to);
      if (!source.node) throw fileError("ENOENT", from);
      if (source.node.type === "dir" && !recursive) throw fileError("EISDIR", from);
      if (source.node.type === "dir" && isWithin(source.path, target.path)) throw intoItself(from, to);
      await this.#copyNode(source.node, target.path);
    });
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.alone(() => {
      this.#held(path).mode = mode & 0o7777;
    });
  }

  touch(path: string, mtimeMs: number): Promise<void> {
    return this.alone(() => {
      this.#held(path).mtimeMs = mtimeMs;
    });
  }

  symlink(target: string, path: string): Promise<void> {
    return this.alone(() =>
      this.#surgery.put(this.#free(path), { type: "symlink", target, leads: target, mtimeMs: now() }),
    );
  }

  /** A second name for the same file. */
  link(existing: string, path: string): Promise<void> {
    return this.alone(() => {
      this.#tree.file(existing);
      const node = this.#held(existing) as FileNode;
      this.#surgery.put(this.#free(path), node);
      node.names++;
    });
  }

  /** Runs when every edit before it has ended, and holds up those after it. */
  alone<Result>(edit: () => Result | Promise<Result>): Promise<Result> {
    const mine = this.#last.then(edit);
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** For a node that has left the tree. */
  forget(node: FileNode): void {
    this.#space.free(ENTRY_BYTES);
    this.#surgery.release(node);
  }

  /** For a node whose bytes are no longer on the host. */
  keepBytes(node: FileNode, bytes: Uint8Array): void {
    this.#space.force(bytes.length);
    Object.assign(node, { data: bytes, host: undefined });
  }

  /** `taken` is the error when the last of them is a file. */
  #createFolders(path: string, taken: "EEXIST" | "ENOTDIR"): void {
    const names = namesOf(path);
    for (let count = 1; count <= names.length; count++) {
      const folder = `/${names.slice(0, count).join("/")}`;
      const found = this.#tree.find(folder);
      if (!found.node) this.#surgery.put(found.path, newFolder());
      else if (found.node.type !== "dir") throw fileError(count === names.length ? taken : "ENOTDIR", folder);
    }
  }

  /** Where the path lies, when there is nothing. */
  #free(path: string): string {
    const found = this.#tree.find(path, false);
    if (found.node) throw fileError("EEXIST", path);
    return found.path;
  }

  #held(path: string): Exclude<TreeNode, { type: "symlink" }> {
    const found = this.#tree.find(path);
    if (!found.node) throw fileError("ENOENT", path);
    return this.#surgery.hold(found.path) as Exclude<TreeNode, { type: "symlink" }>;
  }

  /** The file itself, held in memory, empty when it is new. */
  #writable({ path, node }: Found, shown: string, mode?: number): FileNode {
    if (node?.type === "dir") throw fileError("EISDIR", shown);
    if (node && node.type !== "file") throw fileError("EINVAL", shown);
    if (node) return this.#surgery.hold(path) as FileNode;
    const created = newFile(new Uint8Array(0), mode);
    this.#surgery.put(path, created);
    return created;
  }

  #fill(node: FileNode, data: Uint8Array): void {
    this.#space.take(data.length - (node.data?.length ?? 0));
    Object.assign(node, { data, host: undefined, mtimeMs: now() });
  }

  /** Into the room behind the bytes when there is some, so that many small additions stay cheap. */
  #appended(node: FileNode, data: Uint8Array): Uint8Array {
    if (!node.data) this.#space.check(this.#tree.statOf(node).size);
    const old = node.data ?? this.#tree.readNode(node);
    const length = old.length + data.length;
    const hasRoom = node.data !== undefined && old.buffer.byteLength - old.byteOffset >= length;
    const place = hasRoom ? old.buffer : new ArrayBuffer(Math.ceil(length * 1.5));
    const all = new Uint8Array(place, hasRoom ? old.byteOffset : 0, length);
    if (!hasRoom) all.set(old);
    all.set(data, old.length);
    return all;
  }

  async #copyNode(node: TreeNode, path: string): Promise<void> {
    await this.#surgery.step();
    const current = this.#tree.find(path, false);
    if (node.type === "file") {
      this.#space.check(this.#tree.statOf(node).size);
      this.#fill(this.#writable(current, path, node.mode), this.#tree.readNode(node));
    } else if (node.type === "symlink") {
      this.#surgery.put(this.#free(path), { ...node });
    } else if (node.type === "dir") {
      if (current.node && current.node.type !== "dir") throw fileError("ENOTDIR", path);
      if (!current.node) this.#surgery.put(path, newFolder(undefined, node.mode));
      for (const { name } of this.#tree.entries(node)) {
        const child = this.#tree.child(node, name);
        if (child) await this.#copyNode(child, within(path, name));
      }
    }
  }

  #checkRemovable(path: string): void {
    if (PLACES.includes(path)) throw fileError("EPERM", path, { problem: "is the sandbox's own folder" });
    this.#surgery.checkWritable(path);
  }

  #checkReplaceable(source: Found, target: Found, shown: string): void {
    if (isWithin(source.path, target.path)) throw intoItself(source.path, shown);
    this.#checkRemovable(target.path);
    if (!target.node) return;
    if (isWithin(target.path, source.path)) throw fileError("ENOTEMPTY", shown);
    if (target.node.type === "dir" && source.node!.type !== "dir") throw fileError("EISDIR", shown);
    if (target.node.type !== "dir" && source.node!.type === "dir") throw fileError("ENOTDIR", shown);
    if (target.node.type === "dir" && this.#tree.entries(target.node).length > 0) throw fileError("ENOTEMPTY", shown);
  }
}

function intoItself(from: string, to: string) {
  return fileError("EINVAL", to, { problem: `is inside ${JSON.stringify(from)}, which cannot go into itself` });
}
