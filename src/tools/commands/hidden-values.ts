/** Takes secret values out of output while it streams, before anything cuts it, shows it or writes it to a file. */

/** Shorter ones stand in ordinary text by chance. */
const MIN_BYTES = 4;

export class HiddenValues {
  /** The longest goes first, for one may be a part of another. */
  #values: readonly { bytes: Buffer; shown: Buffer }[] = [];

  /** Name to value. */
  constructor(values: Readonly<Record<string, string>>, minBytes = MIN_BYTES) {
    this.add(values, minBytes);
  }

  add(values: Readonly<Record<string, string>>, minBytes = MIN_BYTES): this {
    const added = Object.entries(values)
      .map(([name, value]) => ({ bytes: Buffer.from(value), shown: Buffer.from(`[REDACTED:${name}]`) }))
      .filter(({ bytes }) => bytes.length >= minBytes);
    this.#values = [...this.#values, ...added].sort((a, b) => b.bytes.length - a.bytes.length);
    return this;
  }

  get none(): boolean {
    return this.#values.length === 0;
  }

  /** A part of a value may be at the end of what came so far: `held` of its bytes wait for the next piece. */
  replace(bytes: Buffer, isLast: boolean): { done: Buffer; held: Buffer } {
    let done = bytes;
    for (const { bytes: value, shown } of this.#values) done = replaceAll(done, value, shown);
    const held = isLast ? 0 : this.#startOfValueAtEnd(done);
    return { done: done.subarray(0, done.length - held), held: done.subarray(done.length - held) };
  }

  #startOfValueAtEnd(bytes: Buffer): number {
    let longest = 0;
    for (const { bytes: value } of this.#values) {
      for (let length = Math.min(value.length - 1, bytes.length); length > longest; length--) {
        if (bytes.subarray(bytes.length - length).equals(value.subarray(0, length))) longest = length;
      }
    }
    return longest;
  }
}

function replaceAll(bytes: Buffer, value: Buffer, shown: Buffer): Buffer {
  let at = bytes.indexOf(value);
  if (at < 0) return bytes;
  const parts: Buffer[] = [];
  let done = 0;
  for (; at >= 0; at = bytes.indexOf(value, done)) {
    parts.push(bytes.subarray(done, at), shown);
    done = at + value.length;
  }
  return Buffer.concat([...parts, bytes.subarray(done)]);
}
