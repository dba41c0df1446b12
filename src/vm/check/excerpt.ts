/** The line of a problem, with a mark under its place. */

const WIDTH = 120;

/** @param column from 1 */
export function excerptOf(line: string, lineNumber: number, column: number, length: number): string {
  const start = Math.max(0, column - 1 - WIDTH / 2);
  const shown = line.slice(start, start + WIDTH).replace(/\t/g, " ");
  const number = String(lineNumber);
  const before = column - 1 - start;
  const mark = "^".repeat(Math.max(1, Math.min(length, shown.length - before)));
  return `> ${number} | ${shown}\n  ${" ".repeat(number.length)} | ${" ".repeat(before)}${mark}`;
}
