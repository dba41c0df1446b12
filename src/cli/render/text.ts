/** Text from models, tools and files, made safe and fit for a terminal. */
import { stripVTControlCharacters } from "node:util";
import stringWidth from "fast-string-width";
import { wrapAnsi } from "fast-wrap-ansi";

/** Everything but line ends and tabs that moves a cursor, hides, reorders or colours text: nobody's output may. */
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Line ends become `\n`, tabs two spaces, control sequences nothing. */
export function clean(text: string): string {
  return stripVTControlCharacters(text.replace(/\r\n/g, "\n"))
    .replace(/\r/g, "\n")
    .replace(/\t/g, "  ")
    .replace(CONTROLS, "");
}

/** As one line, for a place that has only one. */
export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, " ").trim();
}

/** Lines of at most `width` columns, broken between words where there are words. Colours go on over a break. */
export function wrap(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(10, width), { hard: true }).split("\n");
}

/** The same, but every space stays: for code and other text whose spaces mean something. */
export function wrapExactly(text: string, width: number): string[] {
  return wrapAnsi(text, Math.max(10, width), { hard: true, trim: false }).split("\n");
}

/** Wrapped, with `first` before the first line and `rest` before the others. */
export function wrapWith(text: string, width: number, first: string, rest = " ".repeat(stringWidth(first))): string {
  const lines = wrap(text, width - Math.max(stringWidth(first), stringWidth(rest)));
  return lines.map((line, index) => `${index === 0 ? first : rest}${line}`.trimEnd()).join("\n");
}

/** At most `width` columns, with an ellipsis where something was cut. For text without colours. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

const segments = new Intl.Segmenter();

export { stringWidth };

/** "1 file", "3 files". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** "12 ms", "3.4 s", "2 min 5 s". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}

/** "120 B", "1.5 KB". */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  return size < 1024 * 1024 ? `${(size / 1024).toFixed(1)} KB` : `${(size / 1024 / 1024).toFixed(1)} MB`;
}
