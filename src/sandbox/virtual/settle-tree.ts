/** After an apply, the host has what the tree held: the tree sees through again, except where it has changed meanwhile. */

import { type HeldChange, type HeldChanges, nodeAt, visitMemory } from "./held-change.ts";
import { GONE } from "./nodes.ts";
import type { Tree } from "./tree.ts";
import type { TreeEdits } from "./tree-edits.ts";

export function settleTree(tree: Tree, edits: TreeEdits, held: HeldChanges): void {
  for (const file of held.files) {
    if (file.type === "deleted") settleDeleted(tree, file.path);
    else settleWritten(tree, edits, file);
  }
  for (const folder of held.folders) settleDeleted(tree, folder);

  const before = new Map(held.files.map((file) => [file.path, file.before]));
  visitMemory(tree, {
    // A file that was moved here from a place whose bytes are gone now.
    entry: (path, node) => {
      const bytes = node.type === "file" && node.host !== undefined && node.host !== path && before.get(node.host);
      if (bytes) edits.keepBytes(node, bytes);
    },
    // A folder that was made here is a folder of the host now.
    folder: (path, folder) => {
      if (folder.host !== undefined || tree.host!.stat(path)?.type !== "dir") return;
      folder.host = path;
      tree.origins.delete(path);
    },
  });
}

function settleWritten(tree: Tree, edits: TreeEdits, file: HeldChange): void {
  const { folder, name } = folderOf(tree, file.path);
  const own = folder?.children.get(name);
  if (folder && own === file.node && file.node?.data === file.data) {
    folder.children.delete(name);
    edits.forget(file.node!);
    tree.origins.delete(file.path);
    return;
  }
  if (folder && own === undefined) folder.children.set(name, GONE);
  tree.origins.set(file.path, tree.host!.origin(file.path, true));
}

function settleDeleted(tree: Tree, path: string): void {
  const { folder, name } = folderOf(tree, path);
  const own = folder?.children.get(name);
  if (own !== undefined && own !== GONE) {
    tree.origins.set(path, { type: "absent" });
    return;
  }
  if (own === GONE) folder!.children.delete(name);
  tree.origins.delete(path);
}

function folderOf(tree: Tree, path: string) {
  const slash = path.lastIndexOf("/");
  const node = nodeAt(tree, path.slice(0, Math.max(slash, 0)));
  return { folder: node?.type === "dir" ? node : undefined, name: path.slice(slash + 1) };
}
