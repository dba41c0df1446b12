/** Writes what a sandbox held back to the host: all of it is checked first, and nothing is written on a conflict. */

import { constants } from "node:fs";
import { type FileHandle, lstat, rmdir, unlink } from "node:fs/promises";
import { codeOf, HaftError } from "../../base/errors.ts";
import { ConfinedRoot } from "../files/confined-root.ts";
import { openRegular, type PinnedDir } from "../files/pinned-dir.ts";
import { writeRegularFile } from "../files/write-file.ts";
import { currentOrigin, type HeldChange, type HeldChanges } from "./held-change.ts";
import { type HostFolder, isUnchanged } from "./host-folder.ts";
import { within } from "./places.ts";

const MAX_NAMED = 20;

/** Throws SANDBOX_CONFLICT, and whatever the disk says. */
export async function applyChanges(
  host: HostFolder,
  held: HeldChanges,
): Promise<{ written: string[]; deleted: string[] }> {
  const removed = new Set(held.files.filter((file) => file.type === "deleted").map((file) => file.path));
  const conflicts = held.files.filter((file) => isConflict(host, file, removed)).map((file) => file.path);
  if (conflicts.length > 0) throw conflictError(conflicts);

  const root = new ConfinedRoot(host.root);
  for (const path of removed) await ignoring(["ENOENT", "ENOTDIR"], () => removeFile(root, path));
  for (const path of held.folders)
    await ignoring(["ENOENT", "ENOTDIR", "EEXIST", "ENOTEMPTY"], () => removeFolder(root, path));
  const written = held.files.filter((file) => file.after !== null);
  for (const file of written) await writeFile(root, host, file);
  return { written: written.map((file) => file.path), deleted: [...removed] };
}

function isConflict(host: HostFolder, file: HeldChange, removed: Set<string>): boolean {
  const current = currentOrigin(host, file.path);
  if (isDone(host, file)) return false;
  if (file.isStale || parentsInTheWay(host, file.path, removed)) return true;
  if (file.origin.type === "dir") return current.type !== "absent" && !holdsOnly(host, file.path, removed);
  if (file.before && current.type === "file") return Buffer.compare(file.before, host.read(file.path)) !== 0;
  return !isUnchanged(file.origin, current, () => host.read(file.path));
}

/** The host has already what the change would make of it. */
function isDone(host: HostFolder, file: HeldChange): boolean {
  const current = currentOrigin(host, file.path);
  if (file.after === null) return current.type === "absent";
  return (
    current.type === "file" &&
    current.size === file.after.length &&
    Buffer.compare(file.after, host.read(file.path)) === 0
  );
}

/** A folder on the way has become something else, which no one asked to remove. */
function parentsInTheWay(host: HostFolder, path: string, removed: Set<string>): boolean {
  const names = path.split("/").slice(0, -1);
  return names.some((_, index) => {
    const parent = names.slice(0, index + 1).join("/");
    const { type } = currentOrigin(host, parent);
    return type !== "absent" && type !== "dir" && !removed.has(parent);
  });
}

function holdsOnly(host: HostFolder, folder: string, removed: Set<string>): boolean {
  if (currentOrigin(host, folder).type !== "dir") return false;
  return host.list(folder).every(({ name, type }) => {
    const path = within(folder, name);
    return type === "dir" ? holdsOnly(host, path, removed) : removed.has(path);
  });
}

function conflictError(paths: string[]): HaftError {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : "";
  const named = paths
    .slice(0, MAX_NAMED)
    .map((path) => JSON.stringify(path))
    .join(", ");
  return new HaftError(
    "SANDBOX_CONFLICT",
    `Changed on the host since the sandbox first changed them: ${named}${more}. Nothing was written.`,
    {
      hint: "Keep the host's version, or move it away, and apply again; or start over in a new sandbox.",
      data: { files: paths },
    },
  );
}

function removeFile(root: ConfinedRoot, path: string): Promise<void> {
  return root.withEntry(path, { follow: false }, (dir, name) => unlink(dir.at(name)));
}

/** Only when it is empty: what the sandbox never saw stays. */
function removeFolder(root: ConfinedRoot, path: string): Promise<void> {
  return root.withEntry(path, { follow: false }, (dir, name) => rmdir(dir.at(name)));
}

function writeFile(root: ConfinedRoot, host: HostFolder, file: HeldChange): Promise<void> {
  return root.withEntry(file.path, { follow: false, createParents: true }, async (dir, name) => {
    const found = await lstat(dir.at(name)).catch(() => undefined);
    if (found?.isSymbolicLink()) await unlink(dir.at(name));
    const isThere = found?.isFile();
    if (!isThere || !isDone(host, file)) {
      const ifMatch = isThere ? { mtimeMs: found!.mtimeMs, size: found!.size } : ("absent" as const);
      await writeRegularFile({ dir, name, shown: file.path, data: file.after!, options: { mode: file.mode, ifMatch } });
    }
    if (isThere && (found!.mode & 0o777) !== file.mode && isModeChange(file)) await changeMode(dir, name, file);
  });
}

/** A new file has its mode already, and of an old one only what the sandbox changed is changed. */
function isModeChange({ origin, mode }: HeldChange): boolean {
  return origin.type === "file" && (origin.mode & 0o777) !== mode;
}

async function changeMode(dir: PinnedDir, name: string, file: HeldChange): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await openRegular(dir, name, file.path, constants.O_RDONLY);
    await handle.chmod(file.mode!);
  } finally {
    await handle?.close();
  }
}

async function ignoring(codes: string[], action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    if (!codes.includes(codeOf(thrown) ?? "")) throw thrown;
  }
}
