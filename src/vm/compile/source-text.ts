/** A program's text: without what stands around it, and with its lines counted. */

/** More is no program that somebody wrote. */
export const MAX_SOURCE_BYTES = 1024 * 1024;

/** What the model meant as the program: no byte order mark, no fence around all of it, one kind of line end. */
export function readSource(source: string): string {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const trimmed = text.trim();
  const firstEnd = trimmed.indexOf("\n");
  const lastStart = trimmed.lastIndexOf("\n") + 1;
  if (firstEnd < 0) return text;
  const fence = /^(`{3,}|~{3,})[^`]*$/.exec(trimmed.slice(0, firstEnd))?.[1];
  if (fence === undefined || trimmed.slice(lastStart) !== fence) return text;
  return trimmed.slice(firstEnd + 1, Math.max(firstEnd + 1, lastStart - 1));
}

export interface Position {
  line: number;
  column: number;
}

export class SourceText {
  readonly text: string;
  readonly #lineStarts = [0];

  constructor(text: string) {
    this.text = text;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) this.#lineStarts.push(end + 1);
  }

  positionOf(offset: number): Position {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#lineStarts[low]! + 1 };
  }

  /** Of the nearest place that there is. */
  offsetOf({ line, column }: Position): number {
    const last = this.#lineStarts.length;
    if (line > last) return this.text.length;
    const start = this.#lineStarts[line - 1]!;
    const end = line < last ? this.#lineStarts[line]! - 1 : this.text.length;
    return Math.min(start + column - 1, end);
  }

  /** Where the next token begins: neither white space nor a comment. */
  tokenAt(offset: number): number {
    const { text } = this;
    for (;;) {
      white.lastIndex = offset;
      offset += white.exec(text)?.[0].length ?? 0;
      if (text[offset] !== "/") return offset;
      if (text[offset + 1] === "/") offset = endOr(text.length, text.indexOf("\n", offset));
      else if (text[offset + 1] === "*") offset = endOr(text.length, text.indexOf("*/", offset + 2) + 2);
      else return offset;
    }
  }

  /** Where the name that begins here ends, however it is spelled (`\u0061` is a letter too). */
  nameEnd(offset: number): number {
    name.lastIndex = offset;
    return offset + (name.exec(this.text)?.[0].length ?? 0);
  }
}

const white = /\s*/y;
const name = /(?:[\p{ID_Continue}$\u200c\u200d]|\\u\{[^}]*\}|\\u[\da-fA-F]{4})*/uy;

function endOr(end: number, found: number): number {
  return found < 2 ? end : found;
}
