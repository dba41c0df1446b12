/** What a search needs to know of a file system: three calls, and where the sandbox's cwd is. */

import type { DirEntry, FileStat } from "../../core/sandbox.ts";

/**
 * Paths are absolute POSIX paths of the sandbox, normalised, without a trailing slash: those of `SandboxFiles`, so a
 * sandbox can pass itself, or something faster. Calls are made up to 16 at once.
 *
 * - `list` gives the entries of one folder, in any order, and never follows links.
 * - `readFile` gives a whole file. A file that it refuses (too large, gone, not readable) is left out of the search.
 * - `stat` is asked once, about the place where the search starts. It rejects with ENOENT when there is none.
 */
export interface SearchFs {
  list(path: string): Promise<DirEntry[]>;
  readFile(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<FileStat>;
}

export interface SearchContext {
  /** The sandbox's cwd, absolute. Relative paths start here, and `.gitignore` files are read from here down. */
  cwd: string;
}

/** More are slower on one disk, fewer leave it idle. */
export const CONCURRENCY = 16;

/** Longer paths are refused by every system, so a walk does not try them. */
export const MAX_PATH_BYTES = 4096;
