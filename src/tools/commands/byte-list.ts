/** Bytes that come in pieces, large and small, without an object for each of them. */

const BLOCK_BYTES = 64 * 1024;

export class ByteList {
  size = 0;
  readonly #blocks: Buffer[] = [];
  /** How much of the last block is in use; as much as there is, when there is no block. */
  #used = BLOCK_BYTES;

  add(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) {
      if (this.#used === BLOCK_BYTES) {
        this.#blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
        this.#used = 0;
      }
      const part = bytes.subarray(done, done + BLOCK_BYTES - this.#used);
      this.#blocks.at(-1)!.set(part, this.#used);
      this.#used += part.length;
      done += part.length;
    }
    this.size += bytes.length;
  }

  /** Drops whole blocks from the start, as long as `size` bytes or more are left. */
  keepLast(size: number): void {
    while (this.size - BLOCK_BYTES >= size) {
      this.#blocks.shift();
      this.size -= BLOCK_BYTES;
    }
  }

  /** The first `size` bytes, or all. */
  bytes(size = this.size): Buffer {
    return Buffer.concat(this.#blocks, Math.min(size, this.size));
  }
}
