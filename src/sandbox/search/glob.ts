/** Files by name. */

import { HaftError } from "../../base/errors.ts";
import { compileGlob } from "../../base/glob-pattern.ts";
import type { GlobQuery, GlobResult } from "../../core/sandbox.ts";
import { Pace } from "./pace.ts";
import { below, startOf } from "./paths.ts";
import type { SearchContext, SearchFs } from "./search-fs.ts";
import { walkFiles } from "./walk.ts";

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 10_000;
const TIMEOUT_MS = 20_000;

/**
 * Files only, hidden ones too, sorted, relative to `query.path`. A pattern without a slash matches at any depth.
 * Errors: EINVAL (pattern with `..`, or absolute), ENOENT and ENOTDIR (path), SEARCH_TIMEOUT (after 20 s).
 */
export async function globFiles(fs: SearchFs, query: GlobQuery, context: SearchContext): Promise<GlobResult> {
  const start = startOf(query.path, context);
  const pattern = compileGlob(relativePattern(query.pattern, start));
  const pace = new Pace(TIMEOUT_MS, query.abortSignal);
  if ((await fs.stat(start)).type !== "dir") {
    throw new HaftError("ENOTDIR", `${start} is not a folder.`, {
      hint: "Give a folder as `path`, and the file name as the pattern.",
    });
  }
  const files = await walkFiles(fs, start, context, { accept: pattern.matches, enter: pattern.reaches, pace });
  if (pace.late) {
    throw new HaftError("SEARCH_TIMEOUT", `Looking for files took longer than ${TIMEOUT_MS / 1000} s.`, {
      hint: "Start in a smaller folder with `path`.",
    });
  }
  const limit = Math.min(Math.max(query.limit ?? DEFAULT_LIMIT, 0), MAX_LIMIT);
  return { files: files.slice(0, limit), total: files.length };
}

/** Models often write the absolute path of the folder they search into the pattern. */
function relativePattern(pattern: string, start: string): string {
  return pattern.startsWith("/") ? (below(start, pattern) ?? pattern) : pattern;
}
