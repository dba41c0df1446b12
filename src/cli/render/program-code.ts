/** A program as numbered lines, short enough to be read: the middle of a long one is left out. */
import type { Colors } from "./colors.ts";
import { highlighted } from "./highlight.ts";
import { count, wrapExactly } from "./text.ts";

/** Lines of a long program that are shown: its first and its last ones. */
const HEAD = 40;
const TAIL = 16;
/** Rows of one line. */
const ROWS = 3;

interface Look {
  width: number;
  colors: Colors;
}

/** `around`: only the lines beside these, which are marked. */
export function programLines(code: string, { width, colors }: Look, around?: readonly number[]): string[] {
  const lines = highlighted(tidy(code, width), colors);
  const digits = String(lines.length).length;
  const room = width - digits - 5;
  const marked = new Set(around);
  const drawn = (from: number, to: number) =>
    lines.slice(from - 1, to).flatMap((line, index) => {
      const number = from + index;
      const label = String(number).padStart(digits);
      const bar = colors.dim("│");
      const start = marked.has(number) ? `${colors.yellow(`> ${label}`)} ${bar}` : `  ${colors.dim(label)} ${bar}`;
      const rest = `  ${" ".repeat(digits)} ${bar}`;
      return rows(line, room, colors).map((row, at) => `${at === 0 ? start : rest} ${row}`.trimEnd());
    });
  const left = (number: number) => colors.dim(`  ${" ".repeat(digits)} … ${count(number, "line")} …`);

  if (around && around.length > 0)
    return drawn(Math.max(1, Math.min(...around) - 2), Math.max(...around) + 2).slice(0, HEAD);
  if (lines.length <= HEAD + TAIL + 1) return drawn(1, lines.length);
  return [...drawn(1, HEAD), left(lines.length - HEAD - TAIL), ...drawn(lines.length - TAIL + 1, lines.length)];
}

/** Without what nobody sees: line ends of another kind, tabs, what no row has room for, empty lines at the end. */
function tidy(code: string, width: number): string {
  const most = width * (ROWS + 1);
  const short = (line: string) => (line.length > most ? `${[...line.slice(0, most)].slice(0, -1).join("")}…` : line);
  return code.replace(/\r\n/g, "\n").replaceAll("\t", "  ").trimEnd().split("\n").map(short).join("\n");
}

function rows(line: string, room: number, colors: Colors): string[] {
  const all = wrapExactly(line, room);
  if (all.length <= ROWS) return all;
  const last = wrapExactly(all[ROWS - 1]!, room - 2)[0];
  return [...all.slice(0, ROWS - 1), `${last}${colors.dim("…")}`];
}
