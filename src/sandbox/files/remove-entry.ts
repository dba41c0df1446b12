/** Removes a file, a symlink (never what it points to) or a whole folder, one held folder at a time. */
import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { fileError } from "./file-error.ts";
import type { PinnedDir } from "./pinned-dir.ts";

export async function removeEntry(dir: PinnedDir, name: string, shown: string, recursive: boolean): Promise<void> {
  if (name === ".")
    throw fileError("EPERM", shown, { problem: "is the sandbox's own folder, which cannot be removed" });
  const found = await lstat(dir.at(name));
  if (!found.isDirectory()) return unlink(dir.at(name));
  if (!recursive) {
    throw fileError("EISDIR", shown, {
      problem: "is a folder",
      hint: "Set recursive to true to remove it with all it holds.",
    });
  }
  await removeFolder(dir, name);
}

/** A symlink put in the place of a folder meanwhile is not entered: holding a folder never follows one. */
async function removeFolder(parent: PinnedDir, name: string): Promise<void> {
  const dir = await parent.child(name);
  try {
    for (const entry of await readdir(dir.at("."), { withFileTypes: true })) {
      if (entry.isDirectory()) await removeFolder(dir, entry.name);
      else await unlink(dir.at(entry.name));
    }
  } finally {
    await dir.close();
  }
  await rmdir(parent.at(name));
}
