/** The lines around a place in a program, as an error shows them. */

const LINES_BEFORE = 2;
const LINES_AFTER = 1;
/** A longer line is cut on both sides of its place. */
const MAX_WIDTH = 160;

/** Source lines around a place, with `>` and a caret. */
export function excerptOf(source: string, line: number, column: number): string {
  const lines = source.split("\n");
  const place = Math.min(Math.max(line, 1), lines.length);
  const last = Math.min(place + LINES_AFTER, lines.length);
  const digits = String(last).length;
  const cut = Math.max(0, column - MAX_WIDTH / 2);
  const shown: string[] = [];
  for (let number = Math.max(1, place - LINES_BEFORE); number <= last; number++) {
    const text = windowOf(lines[number - 1]!, cut);
    shown.push(`${number === place ? ">" : " "} ${String(number).padStart(digits)} | ${text}`.trimEnd());
    if (number === place) shown.push(`  ${" ".repeat(digits)} | ${paddingOf(text, column - cut)}^`);
  }
  return shown.join("\n");
}

function windowOf(text: string, cut: number): string {
  const end = cut + MAX_WIDTH;
  return text.length <= end ? text.slice(cut) : `${text.slice(cut, end)}…`;
}

/** Tabs stay, so that the caret stands under its place in any terminal. */
function paddingOf(text: string, column: number): string {
  return text
    .slice(0, Math.max(0, column - 1))
    .replace(/[^\t]/g, " ")
    .padEnd(Math.min(column - 1, text.length), " ");
}
