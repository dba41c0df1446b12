/** Says where a text nearly was, for an edit whose old text is nowhere. */
import { HaftError } from "../../base/errors.ts";

/** Line numbers in one sentence. */
export const MAX_PLACES = 5;
const MAX_LINES_TRIED = 20;
/** Shorter lines, such as a closing brace, are everywhere. */
const MIN_TELLING_LENGTH = 5;

export function notFound(text: string, oldText: string, name: string): HaftError {
  const near = nearestLine(text, oldText);
  if (!near) {
    return new HaftError("EDIT_NOT_FOUND", `oldText was not found in ${name}, nor was any longer line of it`, {
      hint: "Read the file again and copy the text from it.",
    });
  }
  const where = near.places.length === 1 ? `at line ${near.places[0]}` : `at lines ${near.places.join(", ")}`;
  return new HaftError(
    "EDIT_NOT_FOUND",
    `oldText was not found in ${name}. Its line ${near.number} stands ${where}, so blanks or another line differ`,
    {
      hint: "Read those lines and copy them exactly, without line numbers.",
      data: { lines: near.places },
    },
  );
}

/** The numbers of the lines in which these places lie, at most five of them. */
export function linesAt(text: string, places: readonly number[]): number[] {
  const lines: number[] = [];
  let line = 1;
  let lineFeed = text.indexOf("\n");
  for (const place of places) {
    while (lineFeed >= 0 && lineFeed < place) {
      line++;
      lineFeed = text.indexOf("\n", lineFeed + 1);
    }
    if (lines.at(-1) !== line) lines.push(line);
    if (lines.length === MAX_PLACES) break;
  }
  return lines;
}

/** The first line of the old text that the file has, and where. */
function nearestLine(text: string, oldText: string): { number: number; places: number[] } | undefined {
  const lines = oldText.split("\n", MAX_LINES_TRIED).map((line) => line.trim());
  for (const [index, line] of lines.entries()) {
    if (line.length < MIN_TELLING_LENGTH) continue;
    const places: number[] = [];
    for (let at = text.indexOf(line); at >= 0 && places.length < MAX_PLACES; at = text.indexOf(line, at + line.length))
      places.push(at);
    if (places.length > 0) return { number: index + 1, places: linesAt(text, places) };
  }
  return undefined;
}
