/** The files of a virtual sandbox as they are seen: what was written here, over what the mounted folder has. */

import { posix } from "node:path";
import { HaftError } from "../../base/errors.ts";
import type { DirEntry, FileStat } from "../../core/sandbox.ts";
import { fileError } from "../files/file-error.ts";
import type { HostFolder, Origin } from "./host-folder.ts";
import { type FileNode, type FolderNode, GONE, hostFile, type LinkNode, newFolder, type TreeNode } from "./nodes.ts";
import { isWithin, namesOf, PLACES, WORKSPACE, within } from "./places.ts";

export interface Found {
  /** Without a link on the way: absolute. */
  path: string;
  /** Undefined where the folder is there and the entry is not. */
  node: TreeNode | undefined;
}

const MAX_LINKS = 40;

export class Tree {
  readonly root = newFolder();
  readonly host: HostFolder | undefined;
  /** Refuses what would change the mounted folder. */
  isReadOnly = false;
  /** What the host had at each place of the mounted folder when the sandbox first changed it. */
  readonly origins = new Map<string, Origin>();

  constructor(host: HostFolder | undefined) {
    this.host = host;
    for (const place of PLACES) this.#makePlace(place);
  }

  /** Goes there name by name. Throws ENOENT, ENOTDIR, EPERM for a link that leaves, EINVAL for a circle of links. */
  find(path: string, follow = true): Found {
    let names = namesOf(path);
    let node: TreeNode = this.root;
    let at = "";
    let links = 0;
    for (let index = 0; index < names.length; index++) {
      if (node.type !== "dir") throw fileError("ENOTDIR", path);
      const isLast = index === names.length - 1;
      const child = this.child(node, names[index]!);
      if (!child && isLast) return { path: within(at || "/", names[index]!), node: undefined };
      if (!child) throw fileError("ENOENT", path);
      if (child.type === "symlink" && (follow || !isLast)) {
        if (++links > MAX_LINKS) throw fileError("ELOOP", path);
        names = [...namesOf(this.#leads(child, at, path)), ...names.slice(index + 1)];
        [index, node, at] = [-1, this.root, ""];
      } else {
        node = child;
        at = `${at}/${names[index]}`;
      }
    }
    return { path: at || "/", node };
  }

  /** The same, for what must be there. */
  get(path: string, follow = true): TreeNode {
    const { node } = this.find(path, follow);
    if (!node) throw fileError("ENOENT", path);
    return node;
  }

  child(folder: FolderNode, name: string): TreeNode | undefined {
    const own = folder.children.get(name);
    if (own !== undefined) return own === GONE ? undefined : own;
    return folder.host === undefined ? undefined : this.#hostNode(within(folder.host, name));
  }

  stat(path: string, follow = true): FileStat {
    return this.statOf(this.get(path, follow));
  }

  statOf(node: TreeNode): FileStat {
    if (node.type === "symlink")
      return { type: "symlink", size: Buffer.byteLength(node.target), mtimeMs: node.mtimeMs, mode: 0o777 };
    if (node.type === "other") return { type: "other", size: 0, mtimeMs: node.mtimeMs, mode: node.mode };
    const below = node.host === undefined ? undefined : this.host?.stat(node.host);
    const size = node.type === "dir" ? 0 : (node.data?.length ?? below?.size ?? 0);
    return { type: node.type, size, mtimeMs: node.mtimeMs ?? below?.mtimeMs ?? 0, mode: node.mode };
  }

  /** Sorted by name. */
  list(path: string): DirEntry[] {
    const node = this.get(path);
    if (node.type !== "dir") throw fileError("ENOTDIR", path);
    return this.entries(node).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  entries(folder: FolderNode): DirEntry[] {
    const below = folder.host === undefined ? [] : this.host!.list(folder.host);
    const entries = below.filter((entry) => !folder.children.has(entry.name));
    for (const entry of entries) {
      if (entry.type === "symlink") entry.target = this.host!.link(within(folder.host!, entry.name)).target;
    }
    for (const [name, own] of folder.children) {
      if (own === GONE) continue;
      entries.push(own.type === "symlink" ? { name, type: own.type, target: own.target } : { name, type: own.type });
    }
    return entries;
  }

  /** A copy of the bytes. Throws EISDIR, and EINVAL for what is no regular file. */
  read(path: string, offset = 0, length?: number): Uint8Array {
    return this.readNode(this.file(path), offset, length);
  }

  readNode(node: FileNode, offset = 0, length?: number): Uint8Array {
    if (!node.data) return this.host!.read(node.host!, offset, length);
    return node.data.slice(offset, length === undefined ? undefined : offset + length);
  }

  file(path: string): FileNode {
    const node = this.get(path);
    if (node.type === "dir") throw fileError("EISDIR", path);
    if (node.type !== "file") throw fileError("EINVAL", path);
    return node;
  }

  /** Where a path lies in the mounted folder, or undefined for a path elsewhere. */
  inMount(path: string): string | undefined {
    if (!this.host || !isWithin(WORKSPACE, path)) return undefined;
    return path.slice(WORKSPACE.length + 1);
  }

  #leads(link: LinkNode, folder: string, path: string): string {
    if (link.leads === undefined) {
      throw new HaftError("EPERM", `${JSON.stringify(path)} leads outside the sandbox, through a symlink.`, {
        hint: "Use a path inside the sandbox, relative to its cwd.",
      });
    }
    return posix.resolve(folder || "/", link.leads);
  }

  #hostNode(host: string): TreeNode | undefined {
    const found = this.host!.stat(host);
    if (!found) return undefined;
    if (found.type === "dir") return newFolder(host, found.mode);
    if (found.type === "file") return hostFile(host, found.mode);
    if (found.type === "other") return { type: "other", mode: found.mode, mtimeMs: found.mtimeMs };
    const { target, inside } = this.host!.link(host);
    const leads = inside === undefined ? undefined : posix.isAbsolute(target) ? within(WORKSPACE, inside) : target;
    return { type: "symlink", target, leads, mtimeMs: found.mtimeMs };
  }

  #makePlace(place: string): void {
    let folder = this.root;
    for (const name of namesOf(place)) {
      const isMount = place === WORKSPACE && this.host !== undefined;
      const child = this.child(folder, name) ?? newFolder(isMount ? "" : undefined);
      folder.children.set(name, child);
      folder = child as FolderNode;
    }
  }
}
