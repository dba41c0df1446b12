/** The lines of one file that match. */

import type { LinePattern } from "./line-pattern.ts";
import type { Pace } from "./pace.ts";

export interface FileMatches {
  lines: string[];
  /** Indexes into `lines`, ascending. */
  matching: number[];
}

const NOTHING: FileMatches = { lines: [], matching: [] };
const SNIFFED_BYTES = 8192;
const LINES_BETWEEN_RESTS = 64;

/** Undefined for a binary file. Stops early when the pace is late. */
export async function matchingLines(
  bytes: Uint8Array,
  pattern: LinePattern,
  pace: Pace,
): Promise<FileMatches | undefined> {
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  if (!pattern.mayMatch(bytes)) return NOTHING;
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return {
    lines,
    matching: pattern.find
      ? await acrossLines(text, lines, pattern.find, pace)
      : await lineByLine(lines, pattern, pace),
  };
}

async function lineByLine(lines: string[], pattern: LinePattern, pace: Pace): Promise<number[]> {
  const matching: number[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (pattern.test(lines[index]!)) matching.push(index);
    if (index % LINES_BETWEEN_RESTS === 0 && pace.due) {
      if (pace.late) break;
      await pace.rest();
    }
  }
  return matching;
}

/** Every line that a match touches counts. */
async function acrossLines(
  text: string,
  lines: string[],
  find: NonNullable<LinePattern["find"]>,
  pace: Pace,
): Promise<number[]> {
  const matching: number[] = [];
  let line = 0;
  let lineStart = 0;
  const endOf = () => lineStart + lines[line]!.length;
  const nextLine = () => {
    lineStart = endOf() + 1;
    line++;
  };

  let match = find(text, 0);
  while (match && line < lines.length) {
    const [start, end] = match;
    while (line < lines.length && endOf() < start) nextLine();
    while (line < lines.length && (lineStart < end || lineStart === start)) {
      if (matching.at(-1) !== line) matching.push(line);
      nextLine();
    }
    if (pace.late) break;
    await pace.rest();
    match = lineStart <= text.length ? find(text, lineStart) : undefined;
  }
  return matching;
}
