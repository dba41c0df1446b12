/** What the tree of a virtual sandbox is made of. A node is held in memory, or stands for what the host has. */

export type TreeNode = FileNode | FolderNode | LinkNode | OtherNode;

export interface FileNode {
  type: "file";
  /** The same as long as it is the same file, under whatever name. */
  identity: string;
  /** The bytes, or undefined while they are still the host's. */
  data: Uint8Array | undefined;
  /** Where on the host the bytes are, relative to the mounted folder. */
  host: string | undefined;
  mode: number;
  /** Undefined: as on the host. */
  mtimeMs: number | undefined;
  /** In how many folders this node is. */
  names: number;
}

export interface FolderNode {
  type: "dir";
  /** What was put here, and what was taken away. */
  children: Map<string, TreeNode | typeof GONE>;
  /** The folder of the host whose entries are seen through, or undefined. */
  host: string | undefined;
  mode: number;
  mtimeMs: number | undefined;
}

export interface LinkNode {
  type: "symlink";
  /** As written. */
  target: string;
  /** Where it leads in the tree. Undefined for a link of the host that leaves the mounted folder. */
  leads: string | undefined;
  mtimeMs: number;
}

/** A pipe, a socket or a device of the host: it can be seen and removed. */
export interface OtherNode {
  type: "other";
  mode: number;
  mtimeMs: number;
}

/** In place of an entry that was removed, so that the host's is not seen through. */
export const GONE = Symbol("gone");

export function newFolder(host?: string, mode = 0o755, mtimeMs?: number): FolderNode {
  return { type: "dir", children: new Map(), host, mode, mtimeMs: mtimeMs ?? (host === undefined ? now() : undefined) };
}

let files = 0;

export function newFile(data: Uint8Array, mode = 0o644): FileNode {
  return { type: "file", identity: `memory:${++files}`, data, host: undefined, mode, mtimeMs: now(), names: 1 };
}

export function hostFile(host: string, mode: number): FileNode {
  return { type: "file", identity: `host:${host}`, data: undefined, host, mode, mtimeMs: undefined, names: 1 };
}

let latest = 0;

/** Never the same twice, so that `ifMatch` notices two writes of one millisecond. */
export function now(): number {
  latest = Math.max(Date.now(), latest + 0.001);
  return latest;
}
