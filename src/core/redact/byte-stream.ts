/** Takes secrets out of bytes that come in pieces. */
import { WINDOW } from "./forms.ts";
import { type Matcher, markOf, type Window } from "./matcher.ts";

/** Bytes in pieces, on their way out. */
export interface ByteStream {
  /** What may leave now: all but what could still become a part of something that is taken out. */
  push(bytes: Uint8Array): Buffer;
  /** What waited for a next piece that does not come. */
  end(): Buffer;
}

/** A row of windows that overlap. */
interface Found {
  start: number;
  end: number;
  /** How long it is so far, with what was dropped already. */
  length: number;
  least: number;
  /** How many of its windows are whose. */
  counts: Map<number, number>;
}

const nothing = Buffer.alloc(0);

export class SecretStream implements ByteStream {
  readonly #matcher: Matcher;
  #waiting: Buffer = nothing;
  /** The first place in what waits where no window was looked for yet. */
  #open = 0;
  #found: Found | undefined;

  constructor(matcher: Matcher) {
    this.#matcher = matcher;
  }

  push(bytes: Uint8Array): Buffer {
    return this.#take(bytes, false);
  }

  end(): Buffer {
    return this.#take(nothing, true);
  }

  /** A text that is whole. */
  static clean(matcher: Matcher, bytes: Buffer): Buffer {
    return new SecretStream(matcher).#take(bytes, true);
  }

  #take(given: Uint8Array, isLast: boolean): Buffer {
    const piece = Buffer.from(given.buffer, given.byteOffset, given.length);
    const bytes = this.#waiting.length === 0 ? piece : Buffer.concat([this.#waiting, piece]);
    const end = bytes.length;
    const out = new Output(bytes);
    const last = end - (isLast ? 1 : WINDOW);
    this.#find(bytes, last, out);

    this.#open = Math.max(this.#open, last + 1);
    const held = isLast ? end : this.#firstThatWaits(bytes);
    if (this.#found && (isLast || (this.#found.end <= held && !endsInCharacter(bytes, this.#found.end))))
      this.#close(out);
    out.upTo(this.#found ? this.#found.start : held);
    this.#keep(bytes, held);
    return out.bytes();
  }

  #find(bytes: Buffer, last: number, out: Output): void {
    const end = bytes.length;
    let place = this.#matcher.next(bytes, this.#open, last, end);
    while (place >= 0) {
      if (this.#found && place >= this.#found.end) this.#close(out);
      this.#found ??= { start: startOfCharacter(bytes, place, out.done), end: place, ...noWindows() };
      grow(this.#found, place, this.#matcher.found!);
      place = this.#matcher.next(bytes, place + 1, last, end);
    }
  }

  #firstThatWaits(bytes: Buffer): number {
    for (let place = Math.max(0, this.#open); place < bytes.length; place++)
      if (this.#matcher.mayBegin(bytes, place)) return startOfCharacter(bytes, place, 0);
    return bytes.length;
  }

  /** What is too short to be a fragment stays, but for short values in it. */
  #close(out: Output): void {
    const found = this.#found!;
    this.#found = undefined;
    if (found.length >= found.least) out.replace(found.start, found.end, markOf(this.#nameOf(found)));
    else if (this.#matcher.hasShort) this.#replaceShort(found, out);
  }

  #replaceShort({ start, end }: Found, out: Output): void {
    for (let place = start; place < end; ) {
      const window = this.#matcher.shortAt(out.source, place, end);
      if (window) out.replace(place, place + window.length, markOf(this.#matcher.names[window.owners[0]!]!));
      place += window?.length ?? 1;
    }
  }

  /** Most of it is of this one; of two that have as much, it is the shorter, for the longer is not whole. */
  #nameOf({ counts }: Found): string {
    const { names, lengths } = this.#matcher;
    const owners = [...counts].sort(([a, ofA], [b, ofB]) => ofB - ofA || lengths[a]! - lengths[b]!);
    return names[owners[0]![0]]!;
  }

  /** Of what is taken out for certain, only the end is kept: more of it may come. */
  #keep(bytes: Buffer, held: number): void {
    const found = this.#found;
    const isCertain = found && found.length >= found.least;
    const from = !found ? held : isCertain ? Math.min(this.#open, found.end) : found.start;
    this.#waiting = from === bytes.length ? nothing : Buffer.from(bytes.subarray(from));
    this.#open = Math.max(0, this.#open - from);
    if (!found) return;
    found.start = Math.max(0, found.start - from);
    found.end -= from;
  }
}

function noWindows() {
  return { length: 0, least: Number.POSITIVE_INFINITY, counts: new Map<number, number>() };
}

function grow(found: Found, place: number, { length, owners, least }: Window): void {
  const end = Math.max(found.end, place + length);
  found.length += end - found.end;
  found.end = end;
  found.least = Math.min(found.least, least);
  for (const owner of owners) found.counts.set(owner, (found.counts.get(owner) ?? 0) + 1);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** A window may begin in the middle of a character. */
function startOfCharacter(bytes: Buffer, place: number, least: number): number {
  let start = place;
  while (start > least && place - start < 3 && isContinuation(bytes[start])) start--;
  return start;
}

/** The rest of the last character is still to come. */
function endsInCharacter(bytes: Buffer, end: number): boolean {
  if (end < bytes.length) return false;
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back]!;
    if (!isContinuation(byte)) return byte >= 0xf0 ? back < 4 : byte >= 0xe0 ? back < 3 : byte >= 0xc0 && back < 2;
  }
  return false;
}

/** What leaves of a piece: its bytes, with marks in place of some. */
class Output {
  readonly source: Buffer;
  done = 0;
  readonly #parts: Buffer[] = [];

  constructor(source: Buffer) {
    this.source = source;
  }

  upTo(place: number): void {
    if (place > this.done) this.#parts.push(this.source.subarray(this.done, place));
    this.done = Math.max(this.done, place);
  }

  replace(start: number, end: number, mark: string): void {
    this.upTo(start);
    this.#parts.push(Buffer.from(mark));
    let after = end;
    while (this.source[end - 1]! >= 0x80 && isContinuation(this.source[after])) after++;
    this.done = Math.max(this.done, after);
  }

  bytes(): Buffer {
    return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
  }
}
