/** Output of a command as it would stand on paper: no colours, no overwritten progress bars, no control characters. */
import { stripVTControlCharacters } from "node:util";

/** Invalid UTF-8 becomes U+FFFD. */
export function cleanText(bytes: Uint8Array): string {
  return cleanLines(stripVTControlCharacters(new TextDecoder().decode(bytes)));
}

function cleanLines(text: string): string {
  if (!/[\0-\x08\x0b-\x1f\x7f]/.test(text)) return text;
  return text
    .split("\n")
    .map((line) => withoutControls(withoutBackspaces(lastWritten(line))))
    .join("\n");
}

/** A carriage return goes back to the line's start; what is written over it is what one sees. */
function lastWritten(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").filter(Boolean).at(-1) ?? "";
}

/** `man` prints bold as a letter, a backspace and the letter again. */
function withoutBackspaces(line: string): string {
  if (!line.includes("\b")) return line;
  const shown: string[] = [];
  for (const character of line) {
    if (character === "\b") shown.pop();
    else shown.push(character);
  }
  return shown.join("");
}

function withoutControls(line: string): string {
  return line.replace(/[\0-\x08\x0b-\x1f\x7f]/g, "");
}
