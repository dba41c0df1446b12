/** What a sandbox holds back from the mounted folder, as files with their bytes before and after. */

import { setImmediate } from "node:timers/promises";
import type { Changes } from "../../core/sandbox.ts";
import { applyChanges } from "./apply-changes.ts";
import { currentOrigin, type HeldChange, type HeldChanges, nodeAt, visitMemory } from "./held-change.ts";
import { type HostFolder, isUnchanged, type Origin } from "./host-folder.ts";
import type { FileNode, TreeNode } from "./nodes.ts";
import { settleTree } from "./settle-tree.ts";
import type { Tree } from "./tree.ts";
import type { TreeEdits } from "./tree-edits.ts";

/** Bytes of deleted files that are held. A larger clean-up gives null for the rest. */
const MAX_DELETED_BYTES = 256 * 1024 * 1024;
const FILES_BETWEEN_RESTS = 50;
const ABSENT: Origin = { type: "absent" };

export async function collectChanges(tree: Tree, edits: TreeEdits): Promise<Changes> {
  const held = await edits.alone(() => collect(tree));
  return {
    files: held.files.map(({ path, type, before, after, mode }) => ({ path, type, before, after, mode })),
    apply: () =>
      edits.alone(async () => {
        const applied = await applyChanges(tree.host!, held);
        settleTree(tree, edits, held);
        return applied;
      }),
  };
}

async function collect(tree: Tree): Promise<HeldChanges> {
  const held: HeldChanges = { files: [], folders: [] };
  let deletedBytes = 0;
  const paths = new Set(tree.origins.keys());
  visitMemory(tree, { entry: (path) => paths.add(path) });
  for (const [index, path] of [...paths].sort().entries()) {
    if (index % FILES_BETWEEN_RESTS === 0) await setImmediate();
    const origin = tree.origins.get(path) ?? ABSENT;
    const node = nodeAt(tree, path);
    const change =
      node?.type === "file" ? writtenFile(tree, path, node, origin) : removedFile(tree.host!, path, node, origin);
    if (change?.type === "deleted" && change.before) {
      deletedBytes += change.before.length;
      if (deletedBytes > MAX_DELETED_BYTES) change.before = null;
    }
    if (change) held.files.push(change);
    if (origin.type === "dir" && node?.type !== "dir") held.folders.unshift(path);
  }
  return held;
}

function writtenFile(tree: Tree, path: string, node: FileNode, origin: Origin): HeldChange | undefined {
  const { bytes: before, isStale } = bytesBefore(tree.host!, path, origin);
  const after = tree.readNode(node);
  const mode = node.mode & 0o777;
  const isSame =
    origin.type === "file" && (origin.mode & 0o777) === mode && before !== null && Buffer.compare(before, after) === 0;
  if (isSame) return undefined;
  const isNew = origin.type === "absent" || origin.type === "dir";
  const type = isNew ? "created" : "modified";
  return { path, type, before, after, mode, origin, isStale, node, data: node.data };
}

function removedFile(
  host: HostFolder,
  path: string,
  node: TreeNode | undefined,
  origin: Origin,
): HeldChange | undefined {
  if (origin.type === "absent" || origin.type === "dir") return undefined;
  if (origin.type === "symlink" && node?.type === "symlink" && node.target === origin.target) return undefined;
  if (origin.type === "other" && node?.type === "other") return undefined;
  const { bytes: before, isStale } = bytesBefore(host, path, origin);
  const mode = origin.type === "file" ? origin.mode : undefined;
  return { path, type: "deleted", before, after: null, mode, origin, isStale, node: undefined, data: undefined };
}

/** What the host has now, which is what it had, unless it is stale. */
function bytesBefore(host: HostFolder, path: string, origin: Origin): { bytes: Uint8Array | null; isStale: boolean } {
  const current = currentOrigin(host, path);
  const bytes = origin.type === "file" && current.type === "file" ? host.read(path) : null;
  return { bytes, isStale: !isUnchanged(origin, current, () => bytes!) };
}
