/** Windows by their bytes, without making a text of what is looked up. */
import { WINDOW } from "./forms.ts";
import type { Window } from "./matcher.ts";

/** Of the table of bits over the first four bytes: most places of a text are passed with one or two looks at it. */
const FILTER_BITS = 20;

export class WindowTable {
  readonly #filter = new Uint32Array(1 << (FILTER_BITS - 5));
  readonly #mask: number;
  /** Three numbers for each place: the first four bytes, the others, and which window that is, from 1. */
  readonly #cells: Int32Array;
  readonly #windows: readonly Window[];

  /** Keys hold a byte in each character. */
  constructor(windows: ReadonlyMap<string, Window>) {
    let places = 16;
    while (places < windows.size * 2) places *= 2;
    this.#mask = places - 1;
    this.#cells = new Int32Array(places * 3);
    this.#windows = [...windows.values()];
    let index = 0;
    for (const key of windows.keys()) this.#put(Buffer.from(key, "latin1"), ++index);
  }

  /** False: no window begins with these four bytes. */
  mayStart(word: number): boolean {
    const one = Math.imul(word ^ (word >>> 15), 0x9e3779b1) >>> (32 - FILTER_BITS);
    if ((this.#filter[one >>> 5]! & (1 << (one & 31))) === 0) return false;
    const two = Math.imul(word ^ (word >>> 13), 0x85ebca6b) >>> (32 - FILTER_BITS);
    return (this.#filter[two >>> 5]! & (1 << (two & 31))) !== 0;
  }

  /** The window of exactly `length` bytes at this place. */
  at(bytes: Buffer, place: number, length: number): Window | undefined {
    const first = wordAt(bytes, place);
    const second = length === WINDOW ? wordAt(bytes, place + 4) : shortWordAt(bytes, place + 4, length - 4);
    for (let cell = startOf(first, second) & this.#mask; ; cell = (cell + 1) & this.#mask) {
      const index = this.#cells[cell * 3 + 2]!;
      if (index === 0) return undefined;
      if (this.#cells[cell * 3] !== first || this.#cells[cell * 3 + 1] !== second) continue;
      const window = this.#windows[index - 1]!;
      if (window.length === length) return window;
    }
  }

  #put(key: Buffer, index: number): void {
    const first = wordAt(key, 0);
    const second = shortWordAt(key, 4, key.length - 4);
    let cell = startOf(first, second) & this.#mask;
    while (this.#cells[cell * 3 + 2] !== 0) cell = (cell + 1) & this.#mask;
    this.#cells.set([first, second, index], cell * 3);
    const one = Math.imul(first ^ (first >>> 15), 0x9e3779b1) >>> (32 - FILTER_BITS);
    const two = Math.imul(first ^ (first >>> 13), 0x85ebca6b) >>> (32 - FILTER_BITS);
    this.#filter[one >>> 5]! |= 1 << (one & 31);
    this.#filter[two >>> 5]! |= 1 << (two & 31);
  }
}

export function wordAt(bytes: Buffer, place: number): number {
  return (bytes[place]! << 24) | (bytes[place + 1]! << 16) | (bytes[place + 2]! << 8) | bytes[place + 3]!;
}

/** Up to four bytes, and zeros. */
function shortWordAt(bytes: Buffer, place: number, length: number): number {
  let word = 0;
  for (let index = 0; index < length; index++) word |= bytes[place + index]! << (24 - 8 * index);
  return word;
}

function startOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
