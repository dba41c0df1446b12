/** What the contract says of an entry, from what the operating system says of it. */
import type { Dirent, Stats } from "node:fs";
import type { FileStat, FileType } from "../../core/sandbox.ts";

export function fileStat(found: Stats): FileStat {
  return { type: fileType(found), size: found.size, mtimeMs: found.mtimeMs, mode: found.mode & 0o7777 };
}

export function fileType(entry: Dirent | Stats): FileType {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "dir";
  return entry.isSymbolicLink() ? "symlink" : "other";
}
