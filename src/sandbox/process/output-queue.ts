/** The output of a running command as an async iterable, for whoever holds its handle. */
import type { OutputChunk } from "../../core/sandbox.ts";

/** What a waiting chunk costs beside its bytes, so that a million one-byte chunks are bounded too. */
const CHUNK_COST = 256;

/**
 * Chunks wait here until they are read. About `limit` bytes wait at most: a reader that falls further behind loses the oldest
 * chunks, so that a command whose output nobody reads costs bounded memory and is never held up.
 */
export class OutputQueue implements AsyncIterable<OutputChunk> {
  readonly #waiting: OutputChunk[] = [];
  readonly #limit: number;
  #waitingCost = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  push(chunk: OutputChunk): void {
    this.#waiting.push(chunk);
    this.#waitingCost += chunk.data.length + CHUNK_COST;
    while (this.#waitingCost > this.#limit && this.#waiting.length > 1) this.#take();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OutputChunk> {
    while (true) {
      const chunk = this.#take();
      if (chunk) yield chunk;
      else if (this.#ended) return;
      else await this.#next();
    }
  }

  #take(): OutputChunk | undefined {
    const chunk = this.#waiting.shift();
    if (chunk) this.#waitingCost -= chunk.data.length + CHUNK_COST;
    return chunk;
  }

  #next(): Promise<void> {
    const before = this.#wake;
    return new Promise((resolve) => {
      const wake = () => {
        this.#wake = undefined;
        before?.();
        resolve();
      };
      this.#wake = wake;
    });
  }
}
