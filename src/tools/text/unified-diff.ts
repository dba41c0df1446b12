/** What changed between two texts, as a unified diff that a model can read. */
import { cutLine } from "./cut-line.ts";
import { countText } from "./sizes.ts";

const CONTEXT = 3;
const MAX_LINE_LENGTH = 500;
/** Where texts have less in common, working out the shortest diff takes too long to be worth it. */
const MAX_CHANGED_LINES = 2000;

/** Hunks with three lines of context, at most `maxLines` lines. Both texts have LF line ends. */
export async function unifiedDiff(before: string, after: string, maxLines: number): Promise<string> {
  const { structuredPatch } = await import("diff");
  const same = commonLines(before, after);
  const patch = structuredPatch(
    "",
    "",
    before.slice(same.start, same.beforeEnd),
    after.slice(same.start, same.afterEnd),
    "",
    "",
    {
      context: CONTEXT,
      maxEditLength: MAX_CHANGED_LINES,
    },
  );
  if (!patch)
    return `[nearly everything changed: ${countText(lineCount(before), "line")} before, ${lineCount(after)} now]`;

  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart + same.linesBefore, hunk.oldLines)} +${range(hunk.newStart + same.linesBefore, hunk.newLines)} @@`,
    ...hunk.lines.map((line) => cutLine(line, MAX_LINE_LENGTH)),
  ]);
  if (lines.length <= maxLines) return lines.join("\n");
  return [...lines.slice(0, maxLines), `[… ${lines.length - maxLines} more lines of this diff]`].join("\n");
}

/** How many lines a text has; the last one may have no line end. */
export function lineCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return text === "" || text.endsWith("\n") ? count : count + 1;
}

interface CommonLines {
  /** Where the part that differs starts, with its context, and how many lines are before it. */
  start: number;
  linesBefore: number;
  beforeEnd: number;
  afterEnd: number;
}

/** Most edits are small: what is the same at both ends need not be compared line by line. */
function commonLines(before: string, after: string): CommonLines {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before.charCodeAt(head) === after.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < shorter - head &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;

  const start = lineStartBefore(before, head, CONTEXT + 1);
  const beforeEnd = lineEndAfter(before, before.length - tail, CONTEXT + 1);
  return {
    start,
    linesBefore: lineCount(before.slice(0, start)),
    beforeEnd,
    afterEnd: beforeEnd + after.length - before.length,
  };
}

function lineStartBefore(text: string, index: number, lines: number): number {
  let start = index;
  for (let left = lines; left > 0 && start > 0; left--) start = text.lastIndexOf("\n", start - 1);
  return start <= 0 ? 0 : start + 1;
}

function lineEndAfter(text: string, index: number, lines: number): number {
  let end = index;
  for (let left = lines; left > 0 && end >= 0; left--) end = text.indexOf("\n", end) + 1 || -1;
  return end < 0 ? text.length : end;
}

function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${lines === 0 ? start - 1 : start},${lines}`;
}
