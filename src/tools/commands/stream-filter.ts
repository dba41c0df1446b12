/** One stream of a command on its way out: without secret values, and in pieces that end with whole characters. */
import type { ByteStream } from "../../core/redact/byte-stream.ts";
import type { HiddenValues } from "./hidden-values.ts";

export class StreamFilter {
  readonly #hidden: ByteStream | undefined;
  #heldCharacter: Buffer = Buffer.alloc(0);

  constructor(hidden: HiddenValues) {
    this.#hidden = hidden.stream();
  }

  push(data: Uint8Array): Buffer {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
    return this.#wholeCharacters(this.#hidden ? this.#hidden.push(bytes) : bytes);
  }

  /** What waited for a next piece that does not come. */
  end(): Buffer {
    const rest = this.#hidden?.end();
    return rest ? joined(this.#heldCharacter, rest) : this.#heldCharacter;
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
