/** One change that is held back, and the two places it is compared with: the tree, and the host as it is now. */

import type { FileChange } from "../../core/sandbox.ts";
import type { HostFolder, Origin } from "./host-folder.ts";
import { type FileNode, type FolderNode, GONE, type LinkNode, type OtherNode, type TreeNode } from "./nodes.ts";
import { WORKSPACE, within } from "./places.ts";
import type { Tree } from "./tree.ts";

/** A change, and what is needed to apply it safely. */
export interface HeldChange extends FileChange {
  origin: Origin;
  /** The host's file was no longer what it was, already when this was collected. */
  isStale: boolean;
  /** The node and its bytes at that time, to notice whether it went on changing. */
  node: FileNode | undefined;
  data: Uint8Array | undefined;
}

export interface HeldChanges {
  files: HeldChange[];
  /** Folders of the host that were removed, the deepest first. */
  folders: string[];
}

/** What is at this place of the host now. There is nothing below a file, nor below a link. */
export function currentOrigin(host: HostFolder, path: string): Origin {
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    if (host.stat(path.slice(0, slash))?.type !== "dir") return { type: "absent" };
  }
  return host.origin(path);
}

/** The node at a place of the mounted folder, without following links. */
export function nodeAt(tree: Tree, path: string): TreeNode | undefined {
  let node: TreeNode | undefined = tree.get(WORKSPACE);
  for (const name of path === "" ? [] : path.split("/")) {
    if (node?.type !== "dir") return undefined;
    node = tree.child(node, name);
  }
  return node;
}

export interface MemoryVisitor {
  entry(path: string, node: FileNode | LinkNode | OtherNode): void;
  folder?(path: string, node: FolderNode): void;
}

/** Everything of the mounted folder that is held in memory, each folder before what is in it. */
export function visitMemory(tree: Tree, visitor: MemoryVisitor): void {
  const open: [string, FolderNode][] = [["", tree.get(WORKSPACE) as FolderNode]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, folder] = next;
    visitor.folder?.(path, folder);
    for (const [name, child] of folder.children) {
      if (child === GONE) continue;
      if (child.type === "dir") open.push([within(path, name), child]);
      else visitor.entry(within(path, name), child);
    }
  }
}
