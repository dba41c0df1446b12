/** Keeps the first and the last bytes of a stream in bounded memory, for output that a command writes. */

const FIRST_SIZE = 4096;

/** Holds at most `limit` bytes of what was pushed: the first half of them and the last half. */
export class HeadAndTail {
  /** Bytes pushed, kept or not. */
  total = 0;
  readonly #head: GrowingBytes;
  readonly #tail: GrowingBytes;
  readonly #headLimit: number;
  readonly #tailLimit: number;

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2);
    this.#tailLimit = Math.floor(limit / 2);
    this.#head = new GrowingBytes(this.#headLimit);
    this.#tail = new GrowingBytes(this.#tailLimit * 2);
  }

  get truncated(): boolean {
    return this.total > this.#headLimit + this.#tailLimit;
  }

  push(data: Uint8Array): void {
    this.total += data.length;
    const room = this.#headLimit - this.#head.length;
    if (room > 0) this.#head.append(data.subarray(0, room));
    if (data.length > room) this.#pushTail(data.subarray(room));
  }

  bytes(): Uint8Array {
    const head = this.#head.view();
    const tail = this.#tail.view().subarray(Math.max(0, this.#tail.length - this.#tailLimit));
    const all = new Uint8Array(head.length + tail.length);
    all.set(head);
    all.set(tail, head.length);
    return all;
  }

  /** The tail may hold twice its limit, so that bytes are moved rarely and each push costs what it adds. */
  #pushTail(data: Uint8Array): void {
    const last = data.subarray(Math.max(0, data.length - this.#tailLimit));
    if (this.#tail.length + last.length > this.#tailLimit * 2) this.#tail.keepLast(this.#tailLimit);
    this.#tail.append(last);
  }
}

/** One buffer that doubles as it fills, up to `limit`. */
class GrowingBytes {
  length = 0;
  #bytes = new Uint8Array(0);

  constructor(readonly limit: number) {}

  append(data: Uint8Array): void {
    this.#reserve(this.length + data.length);
    this.#bytes.set(data, this.length);
    this.length += data.length;
  }

  keepLast(count: number): void {
    if (this.length <= count) return;
    this.#bytes.copyWithin(0, this.length - count, this.length);
    this.length = count;
  }

  view(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #reserve(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const size = Math.min(this.limit, Math.max(needed, this.#bytes.length * 2, FIRST_SIZE));
    const grown = new Uint8Array(size);
    grown.set(this.view());
    this.#bytes = grown;
  }
}
