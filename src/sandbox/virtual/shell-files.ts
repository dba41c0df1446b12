/** The file calls of the shell, answered from the tree. Its errors travel as codes. */

import type { DirEntry, FileStat } from "../../core/sandbox.ts";
import { fileError } from "../files/file-error.ts";
import { absolutePath } from "./places.ts";
import type { Tree } from "./tree.ts";
import type { TreeEdits } from "./tree-edits.ts";

/** A command holds what it reads in memory, so more than this is refused. */
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** What the shell may call, by name. Every method takes and gives what can be cloned. */
export class ShellFiles {
  readonly #tree: Tree;
  readonly #edits: TreeEdits;

  constructor(tree: Tree, edits: TreeEdits) {
    this.#tree = tree;
    this.#edits = edits;
  }

  async call(name: string, args: readonly unknown[]): Promise<unknown> {
    if (!METHODS.has(name)) throw fileError("EINVAL", name, { problem: "is not a file call" });
    return (this[name as FileCall] as (...args: readonly unknown[]) => unknown)(...args);
  }

  read(path: string): Uint8Array {
    const at = absolutePath(path);
    if (this.#tree.stat(at).size > MAX_READ_BYTES) throw fileError("EFBIG", path);
    return this.#tree.read(at);
  }

  /** The shell relies on folders being made on the way. */
  write(path: string, data: Uint8Array, append: boolean): Promise<void> {
    return this.#edits.write(absolutePath(path), data, { append, createParents: true });
  }

  exists(path: string): boolean {
    try {
      return this.#tree.find(absolutePath(path)).node !== undefined;
    } catch {
      return false;
    }
  }

  stat(path: string, follow: boolean): FileStat & { identity: string | undefined } {
    const node = this.#tree.get(absolutePath(path), follow);
    return { ...this.#tree.statOf(node), identity: node.type === "file" ? node.identity : undefined };
  }

  list(path: string): DirEntry[] {
    return this.#tree.list(absolutePath(path));
  }

  mkdir(path: string, parents: boolean): Promise<void> {
    return this.#edits.mkdir(absolutePath(path), parents);
  }

  remove(path: string, recursive: boolean): Promise<void> {
    return this.#edits.remove(absolutePath(path), recursive);
  }

  copy(from: string, to: string, recursive: boolean): Promise<void> {
    return this.#edits.copy(absolutePath(from), absolutePath(to), recursive);
  }

  rename(from: string, to: string): Promise<void> {
    return this.#edits.rename(absolutePath(from), absolutePath(to));
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#edits.chmod(absolutePath(path), mode);
  }

  touch(path: string, mtimeMs: number): Promise<void> {
    return this.#edits.touch(absolutePath(path), mtimeMs);
  }

  symlink(target: string, path: string): Promise<void> {
    if (target.includes("\0") || target.length > 4095) throw fileError("EINVAL", target.slice(0, 80));
    return this.#edits.symlink(target, absolutePath(path));
  }

  link(existing: string, path: string): Promise<void> {
    return this.#edits.link(absolutePath(existing), absolutePath(path));
  }

  readlink(path: string): string {
    const node = this.#tree.get(absolutePath(path), false);
    if (node.type !== "symlink") throw fileError("EINVAL", path);
    return node.target;
  }

  realpath(path: string): string {
    const { path: real, node } = this.#tree.find(absolutePath(path));
    if (!node) throw fileError("ENOENT", path);
    return real;
  }
}

type FileCall = Exclude<keyof ShellFiles, "call">;

const METHODS = new Set<string>([
  ...["read", "write", "exists", "stat", "list", "mkdir", "remove", "copy", "rename"],
  ...["chmod", "touch", "symlink", "link", "readlink", "realpath"],
]);
