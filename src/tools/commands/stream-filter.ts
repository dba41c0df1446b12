/** One stream of a command on its way out: without secret values, and in pieces that end with whole characters. */
import type { HiddenValues } from "./hidden-values.ts";

export class StreamFilter {
  readonly #hidden: HiddenValues;
  #heldValue: Buffer = Buffer.alloc(0);
  #heldCharacter: Buffer = Buffer.alloc(0);

  constructor(hidden: HiddenValues) {
    this.#hidden = hidden;
  }

  push(data: Uint8Array): Buffer {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
    if (this.#hidden.none) return this.#wholeCharacters(bytes);
    const { done, held } = this.#hidden.replace(joined(this.#heldValue, bytes), false);
    this.#heldValue = Buffer.from(held);
    return this.#wholeCharacters(done);
  }

  /** What waited for a next piece that does not come. */
  end(): Buffer {
    const { done } = this.#hidden.replace(this.#heldValue, true);
    return joined(this.#heldCharacter, done);
  }

  #wholeCharacters(bytes: Buffer): Buffer {
    const all = joined(this.#heldCharacter, bytes);
    const end = all.length - unfinishedBytes(all);
    this.#heldCharacter = Buffer.from(all.subarray(end));
    return all.subarray(0, end);
  }
}

function joined(a: Buffer, b: Buffer): Buffer {
  return a.length === 0 ? b : Buffer.concat([a, b]);
}

/** How many bytes at the end begin a UTF-8 character that goes on in the next piece. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    const isContinuation = (byte & 0xc0) === 0x80;
    if (isContinuation) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
