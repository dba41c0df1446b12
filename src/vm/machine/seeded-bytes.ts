/** Random bytes of a program: HMAC-SHA-256 of a counter, with the program's seed as its key. */
import { createHmac } from "node:crypto";

export class SeededBytes {
  readonly #seed: Buffer;
  #counter = 0;

  constructor(seed: string) {
    this.#seed = Buffer.from(seed, "hex");
  }

  take(count: number): Buffer {
    const blocks: Buffer[] = [];
    for (let taken = 0; taken < count; taken += 32) {
      blocks.push(
        createHmac("sha256", this.#seed)
          .update(String(this.#counter++))
          .digest(),
      );
    }
    return Buffer.concat(blocks).subarray(0, count);
  }

  /** Four numbers of 32 bits, from which the guest makes its own `Math.random`. */
  static words(seed: string): number[] {
    const bytes = Buffer.alloc(16);
    Buffer.from(seed, "hex").copy(bytes);
    return [0, 4, 8, 12].map((offset) => bytes.readInt32LE(offset));
  }
}
