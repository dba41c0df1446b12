/** Takes the wanted lines out of bytes that come piece by piece, and counts all lines that pass. */

const LF = 0x0a;
const CR = 0x0d;
const MAX_CHARACTER_BYTES = 4;

export interface WindowLine {
  /** From 1. */
  number: number;
  /** Cut at `lineLength` characters, which the text then says. */
  text: string;
}

export interface WindowLimits {
  /** The first line wanted, from 1. */
  offset: number;
  /** How many lines at most. */
  lines: number;
  /** How many bytes at most, line numbers included. The first line always fits. */
  bytes: number;
  /** How many characters of a line at most. */
  lineLength: number;
}

export class LineWindow {
  readonly lines: WindowLine[] = [];
  /** Lines that passed, wanted or not. */
  passed = 0;
  /** Those of them that ended with LF, and those that ended with CRLF. */
  lineFeeds = 0;
  crlf = 0;
  readonly #limits: WindowLimits;
  readonly #lineEnd: number;
  #size = 0;
  #isFull = false;
  #line = emptyLine();

  /** In a file without LF, a lone CR ends lines. */
  constructor(limits: WindowLimits, hasLoneCr = false) {
    this.#limits = limits;
    this.#lineEnd = hasLoneCr ? CR : LF;
  }

  /** No further line will be taken. */
  get isFull(): boolean {
    return this.#isFull;
  }

  push(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; ) {
      const at = bytes.indexOf(this.#lineEnd, start);
      this.#continueLine(bytes.subarray(start, at < 0 ? bytes.length : at));
      if (at < 0) return;
      this.#endLine(true);
      start = at + 1;
    }
  }

  /** The last line may have no line end. */
  end(): void {
    if (this.#line.bytes > 0) this.#endLine(false);
  }

  /** Of a very long line, only what can be shown is held in memory. */
  #continueLine(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const line = this.#line;
    line.bytes += piece.length;
    line.lastByte = piece[piece.length - 1]!;
    if (!this.#wantsLine()) return;
    line.characters += countCharacters(piece);
    const room = (this.#limits.lineLength + 1) * MAX_CHARACTER_BYTES - line.kept;
    if (room <= 0) return;
    line.pieces.push(piece.subarray(0, room));
    line.kept += Math.min(piece.length, room);
  }

  #endLine(hasLineEnd: boolean): void {
    const hasCrlf = hasLineEnd && this.#lineEnd === LF && this.#line.lastByte === CR;
    if (hasLineEnd) this.lineFeeds++;
    if (hasCrlf) this.crlf++;
    if (this.#wantsLine()) this.#takeLine(hasCrlf);
    this.passed++;
    this.#line = emptyLine();
  }

  #takeLine(hasCrlf: boolean): void {
    const number = this.passed + 1;
    const text = this.#textOfLine(hasCrlf);
    const size = Buffer.byteLength(`${number}\t${text}\n`);
    if (this.lines.length > 0 && this.#size + size > this.#limits.bytes) {
      this.#isFull = true;
      return;
    }
    this.lines.push({ number, text });
    this.#size += size;
    this.#isFull = this.lines.length === this.#limits.lines;
  }

  #textOfLine(hasCrlf: boolean): string {
    const { pieces, bytes, kept, characters } = this.#line;
    const held = Buffer.concat(pieces);
    const isWhole = kept === bytes;
    const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      isWhole && hasCrlf ? held.subarray(0, -1) : held,
    );
    const hasBom = this.passed === 0 && decoded.startsWith("\uFEFF");
    const text = hasBom ? decoded.slice(1) : decoded;
    const { lineLength } = this.#limits;
    if (text.length <= lineLength) return text;
    const shown = Array.from(text);
    const length = isWhole ? shown.length : characters - Number(hasCrlf) - Number(hasBom);
    if (length <= lineLength) return text;
    return `${shown.slice(0, lineLength).join("")}… [+${length - lineLength} chars]`;
  }

  #wantsLine(): boolean {
    return !this.#isFull && this.passed + 1 >= this.#limits.offset;
  }
}

interface Line {
  bytes: number;
  characters: number;
  lastByte: number;
  pieces: Uint8Array[];
  kept: number;
}

function emptyLine(): Line {
  return { bytes: 0, characters: 0, lastByte: 0, pieces: [], kept: 0 };
}

/** In UTF-8, every character has one byte that does not continue another. */
function countCharacters(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) count++;
  return count;
}
