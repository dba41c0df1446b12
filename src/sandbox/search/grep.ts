/** Lines by content. */

import { compileGlob } from "../../base/glob-pattern.ts";
import type { GrepLine, GrepQuery, GrepResult } from "../../core/sandbox.ts";
import { compilePattern } from "./line-pattern.ts";
import { type FileMatches, matchingLines } from "./matching-lines.ts";
import { Pace } from "./pace.ts";
import { join, shown, startOf } from "./paths.ts";
import { CONCURRENCY, type SearchContext, type SearchFs } from "./search-fs.ts";
import { walkFiles } from "./walk.ts";

const DEFAULT_LIMIT = 250;
const DEFAULT_TIMEOUT_MS = 20_000;
const MAX_TEXT = 500;

/**
 * Searches a file, or the files that a glob of the same folder would find. Binary files (a NUL in the first 8 KiB) are
 * left out. A line is cut at 500 characters. Of a very long line (1,000,000 characters for a usual pattern) only the
 * start is searched with a regular expression, and so is, with `multiline`, the start of a very large file.
 * Errors: GREP_PATTERN_INVALID, EINVAL (glob), ENOENT (path). A search that takes too long gives `timedOut`.
 */
export async function grepFiles(fs: SearchFs, query: GrepQuery, context: SearchContext): Promise<GrepResult> {
  const start = startOf(query.path, context);
  const pattern = await compilePattern(query);
  const pace = new Pace(query.timeoutMs ?? DEFAULT_TIMEOUT_MS, query.abortSignal);
  const files = await filesToSearch(fs, start, query, context, pace);

  const result: GrepResult = { lines: [], files: [], total: 0, filesSearched: 0, timedOut: false };
  for (let first = 0; first < files.length && !pace.late; first += CONCURRENCY) {
    const batch = files.slice(first, first + CONCURRENCY);
    const contents = await Promise.all(batch.map((file) => fs.readFile(file).catch(() => undefined)));
    for (const [index, bytes] of contents.entries()) {
      await pace.rest();
      const found = bytes && !pace.late && (await matchingLines(bytes, pattern, pace));
      if (found) collect(result, shown(batch[index]!, context), found, query);
    }
  }
  result.timedOut = pace.late;
  return result;
}

async function filesToSearch(
  fs: SearchFs,
  start: string,
  query: GrepQuery,
  context: SearchContext,
  pace: Pace,
): Promise<string[]> {
  const glob = query.glob === undefined ? undefined : compileGlob(query.glob);
  if ((await fs.stat(start)).type !== "dir") {
    const name = start.slice(start.lastIndexOf("/") + 1);
    return !glob || glob.matches(name) ? [start] : [];
  }
  const accept = glob?.matches ?? (() => true);
  const enter = glob?.reaches ?? (() => true);
  const files = await walkFiles(fs, start, context, { accept, enter, pace });
  return files.map((file) => join(start, file));
}

/** Counts every match, and keeps the lines of those between `offset` and `offset + limit`. */
function collect(result: GrepResult, path: string, { lines, matching }: FileMatches, query: GrepQuery): void {
  result.filesSearched++;
  if (matching.length === 0) return;
  const from = Math.max((query.offset ?? 0) - result.total, 0);
  const to = Math.max((query.offset ?? 0) + (query.limit ?? DEFAULT_LIMIT) - result.total, 0);
  result.files.push({ path, count: matching.length });
  result.total += matching.length;
  for (const line of withContext(matching.slice(from, to), lines.length, query)) {
    result.lines.push({
      path,
      line: line.index + 1,
      text: cut(lines[line.index]!),
      match: line.match,
    } satisfies GrepLine);
  }
}

/** Matches and the lines around them, each line once. */
function withContext(matching: number[], lineCount: number, query: GrepQuery): { index: number; match: boolean }[] {
  const isMatch = new Set(matching);
  const shownLines: { index: number; match: boolean }[] = [];
  let next = 0;
  for (const index of matching) {
    const last = Math.min(index + (query.after ?? 0), lineCount - 1);
    for (next = Math.max(next, index - (query.before ?? 0)); next <= last; next++) {
      shownLines.push({ index: next, match: isMatch.has(next) });
    }
  }
  return shownLines;
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const isHalfPair = /[\uD800-\uDBFF]/.test(text[MAX_TEXT - 1]!);
  const kept = text.slice(0, isHalfPair ? MAX_TEXT - 1 : MAX_TEXT);
  return `${kept}… [+${text.length - kept.length} chars]`;
}
