/** Keeps a long search polite: it lets other work run, ends at its deadline, and stops when it is aborted. */

import { setImmediate } from "node:timers/promises";

const SLICE_MS = 10;

export class Pace {
  #sliceEnd = performance.now() + SLICE_MS;
  readonly #deadline: number;
  readonly #abortSignal: AbortSignal | undefined;

  constructor(timeoutMs: number, abortSignal: AbortSignal | undefined) {
    this.#deadline = performance.now() + timeoutMs;
    this.#abortSignal = abortSignal;
    abortSignal?.throwIfAborted();
  }

  /** True when this turn of the event loop has lasted long enough: call `rest` soon. */
  get due(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  get late(): boolean {
    return performance.now() >= this.#deadline;
  }

  /** Lets other work run when it is due. Throws the abort reason. */
  async rest(): Promise<void> {
    this.#abortSignal?.throwIfAborted();
    if (!this.due) return;
    await setImmediate();
    this.#sliceEnd = performance.now() + SLICE_MS;
    this.#abortSignal?.throwIfAborted();
  }
}
