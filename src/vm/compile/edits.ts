/** Changes of a program's text that keep every line, and every column that nothing was put in front of. */
import type { Position } from "./source-text.ts";

export class Edits {
  readonly #source: string;
  readonly #characters: string[];
  readonly #opening = new Map<number, string>();
  readonly #closing = new Map<number, string>();

  constructor(source: string) {
    this.#source = source;
    this.#characters = source.split("");
  }

  /** Puts spaces over a part; `first` is what its first character becomes. */
  blank(start: number, end: number, first = " "): void {
    for (let offset = start; offset < end; offset++) {
      if (this.#source[offset] !== "\n") this.#characters[offset] = offset === start ? first : " ";
    }
  }

  put(offset: number, character: string): void {
    this.#characters[offset] = character;
  }

  isBlank(offset: number): boolean {
    return this.#characters[offset] === " " && this.#source[offset] !== " ";
  }

  /** Before a place, for what begins there. Whoever contains it comes first. */
  open(offset: number, text: string): void {
    this.#opening.set(offset, (this.#opening.get(offset) ?? "") + text);
  }

  /** Before a place, for what ends there: by whoever goes through the tree from outside to inside. */
  close(offset: number, text: string): void {
    this.#closing.set(offset, text + (this.#closing.get(offset) ?? ""));
  }

  /** The same when all have closed: outside of them, and inside of what is ended later. */
  end(offset: number, text: string): void {
    this.#closing.set(offset, (this.#closing.get(offset) ?? "") + text);
  }

  /** `head` goes in front of the first line, `tail` after the last. */
  finish(head: string, tail: string): { code: string; place(line: number, column: number): Position } {
    const parts = [head];
    const shifts = new Map<number, Shift[]>([[1, [{ at: 0, width: head.length }]]]);
    let line = 1;
    let column = 0;
    for (let offset = 0; offset <= this.#characters.length; offset++) {
      const inserted = (this.#closing.get(offset) ?? "") + (this.#opening.get(offset) ?? "");
      if (inserted !== "") {
        parts.push(inserted);
        const ofLine = shifts.get(line) ?? [];
        ofLine.push({ at: column, width: inserted.length });
        shifts.set(line, ofLine);
      }
      const character = this.#characters[offset];
      if (character !== undefined) parts.push(character);
      if (character === "\n") {
        line++;
        column = 0;
      } else column++;
    }
    const end = { line, column };
    const place = (codeLine: number, codeColumn: number) =>
      codeLine > line ? { ...end } : { line: codeLine, column: unshifted(shifts.get(codeLine) ?? [], codeColumn) };
    return { code: `${parts.join("")}\n${tail}`, place };
  }
}

/** `width` characters were put in front of the character at `at`, from 0. */
interface Shift {
  at: number;
  width: number;
}

function unshifted(shifts: readonly Shift[], codeColumn: number): number {
  let offset = codeColumn - 1;
  for (const { at, width } of shifts) {
    if (offset < at) break;
    offset = Math.max(at, offset - width);
  }
  return Math.max(1, offset + 1);
}
