/** Finds secrets in bytes: one pass over the text for all of them, in all of their forms. */
import { type Form, formsOf, SHORTEST, WINDOW } from "./forms.ts";
import { WindowTable, wordAt } from "./window-table.ts";

/**
 * Every eight bytes in a row of a form are a window of it, and a value that is shorter is one itself. A text that holds a
 * form, or a fragment of one, holds windows that overlap; so a set of windows finds all of them, and each place of the text
 * is looked up at most once.
 */
export interface Window {
  length: number;
  /** Whose it is: places in `names`. */
  owners: number[];
  /** So many bytes in a row must be found before it counts. */
  least: number;
}

export class Matcher {
  readonly names: readonly string[];
  /** Bytes of the raw value, by the place of its name. */
  readonly lengths: readonly number[];
  /** What was found by `next`. */
  found: Window | undefined;
  /** How many places were looked up beyond the table; for tests of the cost. */
  lookups = 0;
  readonly #windows = new Map<string, Window>();
  readonly #table: WindowTable;
  readonly #shortLengths: readonly number[];
  #sorted: readonly string[] | undefined;

  /** Name to value. Values under four bytes are left alone. */
  constructor(values: Iterable<readonly [name: string, value: string]>) {
    const known = [...values].filter(([, value]) => Buffer.byteLength(value) >= SHORTEST);
    this.names = known.map(([name]) => name);
    this.lengths = known.map(([, value]) => Buffer.byteLength(value));
    for (const [owner, [, value]] of known.entries()) {
      const common = windowsOfArmour(value);
      for (const form of formsOf(value)) this.#add(form, owner, common);
    }
    for (const name of this.names) this.#forgetMark(markOf(name));
    this.#table = new WindowTable(this.#windows);
    const lengths = new Set([...this.#windows.values()].map(({ length }) => length));
    this.#shortLengths = [...lengths].filter((length) => length < WINDOW).sort((a, b) => b - a);
  }

  get none(): boolean {
    return this.#windows.size === 0;
  }

  get hasShort(): boolean {
    return this.#shortLengths.length > 0;
  }

  /** The first place from `from` up to `last` where a window begins, within `end` bytes; -1 when there is none. */
  next(bytes: Buffer, from: number, last: number, end: number): number {
    if (from > last || from + SHORTEST > end) return -1;
    const table = this.#table;
    let word = wordAt(bytes, from);
    for (let place = from; ; place++) {
      if (table.mayStart(word) && this.#at(bytes, place, end)) return place;
      if (place === last || place + SHORTEST >= end) return -1;
      word = (word << 8) | bytes[place + SHORTEST]!;
    }
  }

  /** Whether a window begins with these last bytes of a piece, or is whole in them: they wait for the next one. */
  mayBegin(bytes: Buffer, from: number): boolean {
    const rest = bytes.toString("latin1", from);
    this.#sorted ??= [...this.#windows.keys()].sort();
    if (this.#sorted[placeOf(this.#sorted, rest)]?.startsWith(rest)) return true;
    return this.shortAt(bytes, from, bytes.length) !== undefined;
  }

  /** A whole short value, the longest. */
  shortAt(bytes: Buffer, place: number, end: number): Window | undefined {
    for (const length of this.#shortLengths) {
      if (place + length > end) continue;
      const window = this.#table.at(bytes, place, length);
      if (window) return window;
    }
    return undefined;
  }

  #at(bytes: Buffer, place: number, end: number): boolean {
    this.lookups++;
    const window = place + WINDOW <= end ? this.#table.at(bytes, place, WINDOW) : undefined;
    this.found = window ?? this.shortAt(bytes, place, end);
    return this.found !== undefined;
  }

  #add({ bytes, least, escapes }: Form, owner: number, common: ReadonlySet<string>): void {
    const size = bytes.length;
    const length = Math.min(WINDOW, size);
    const most = Math.min(size, Math.max(2 * WINDOW, Math.ceil(size / 2)));
    const text = bytes.toString("latin1");
    const telling = escapes ? text.replace(escapes, (found) => "\0".repeat(found.length)) : text;
    for (let place = 0; place + length <= text.length; place++) {
      const key = text.slice(place, place + length);
      const isTelling = length < WINDOW || (!common.has(key) && tells(telling.slice(place, place + length)));
      const needs = length < WINDOW ? length : isTelling ? least : Math.max(most, least);
      const window = this.#windows.get(key);
      if (!window) this.#windows.set(key, { length, owners: [owner], least: needs });
      else {
        if (!window.owners.includes(owner)) window.owners.push(owner);
        window.least = Math.min(window.least, needs);
      }
    }
  }

  /** What stands in a mark is public, and a text that was cleaned stays as it is when it is cleaned again. */
  #forgetMark(mark: string): void {
    for (let length = SHORTEST; length <= WINDOW; length++)
      for (let place = 0; place + length <= mark.length; place++)
        this.#windows.delete(mark.slice(place, place + length));
  }
}

export function markOf(name: string): string {
  return `[REDACTED:${name}]`;
}

/**
 * Eight characters that could stand in any text, such as a part of a word, of a host's name or of a run of zeros, are no
 * fragment by themselves: two kinds of small letters, capitals and digits must be in them, and four different characters.
 */
function tells(text: string): boolean {
  let kinds = 0;
  let different = 0;
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code >= 97 && code <= 122) kinds |= 1;
    else if (code >= 65 && code <= 90) kinds |= 2;
    else if (code >= 48 && code <= 57) kinds |= 4;
    if (code !== 0 && text.indexOf(text[place]!) === place) different++;
  }
  const isMixed = (kinds & (kinds - 1)) !== 0;
  return isMixed && different >= 4;
}

/**
 * What all keys of a kind begin with, in base64, public ones among them: the numbers of RSA and of elliptic curves (RFC 8017
 * A.1, RFC 5480 2.1.1), and the first words of a key of OpenSSH.
 */
const beginnings = [
  "ANBgkqhkiG9w0BAQEFAASC",
  "ANBgkqhkiG9w0BAQEFAAOC",
  "BgcqhkjOPQIBBggqhkjOPQMBBw",
  "b3BlbnNzaC1rZXktdjEAAAAA",
];

/** The first and the last line of a key in PEM are those of all keys, and so is how it goes on: in every form, no fragment. */
function windowsOfArmour(value: string): ReadonlySet<string> {
  const lines = value.match(/-----(?:BEGIN|END) [A-Z0-9 ]+-----/g) ?? [];
  const windows = new Set<string>();
  if (lines.length === 0) return windows;
  const common = [...lines.flatMap((line) => [`${line}\nMIIE`, `${line}\n`]), ...beginnings];
  for (const { bytes } of common.flatMap((text) => formsOf(text))) {
    const text = bytes.toString("latin1");
    for (let place = 0; place + WINDOW <= text.length; place++) windows.add(text.slice(place, place + WINDOW));
  }
  return windows;
}

/** Of the first in a sorted list that does not come before it. */
function placeOf(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
