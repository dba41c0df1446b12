/** What of a search goes to the model at once. */
import type { GrepLine, GrepResult } from "../../core/sandbox.ts";
import { cutLine } from "../text/cut-line.ts";

const MAX_BYTES = 50 * 1024;
/** The sandbox cuts at 500 characters and says so; this catches one that does not. */
const MAX_LINE_LENGTH = 600;

export interface Page {
  lines: string[];
  /** How many matching lines or files are on it, and how many there are. */
  count: number;
  total: number;
  unit: "matches" | "files";
}

/** Whole groups of lines are kept together only in that nothing is shown after the room is used up. */
export function linePage(result: GrepResult, context: { before?: number; after?: number }): Page {
  const hasContext = Boolean(context.before || context.after);
  const page: Page = { lines: [], count: 0, total: result.total, unit: "matches" };
  let size = 0;
  let previous: GrepLine | undefined;
  for (const line of result.lines) {
    const text = cutLine(line.text, MAX_LINE_LENGTH);
    const shown = line.match ? `${line.path}:${line.line}: ${text}` : `${line.path}-${line.line}- ${text}`;
    size += Buffer.byteLength(shown) + 1;
    if (size > MAX_BYTES && page.count > 0) break;
    if (hasContext && previous && startsGroup(previous, line)) page.lines.push("--");
    page.lines.push(shown);
    if (line.match) page.count++;
    previous = line;
  }
  return page;
}

export function filePage(
  { files }: GrepResult,
  { mode, limit, offset }: { mode: string; limit: number; offset: number },
): Page {
  const page: Page = { lines: [], count: 0, total: files.length, unit: "files" };
  let size = 0;
  for (const { path, count } of files.slice(offset, offset + limit)) {
    const shown = mode === "count" ? `${path}: ${count}` : path;
    size += Buffer.byteLength(shown) + 1;
    if (size > MAX_BYTES && page.count > 0) break;
    page.lines.push(shown);
    page.count++;
  }
  return page;
}

function startsGroup(previous: GrepLine, line: GrepLine): boolean {
  return line.path !== previous.path || line.line !== previous.line + 1;
}
