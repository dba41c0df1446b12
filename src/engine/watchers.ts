/** Those who watch a run: each has its own queue, and `break` detaches it. */
import type { RunEvent } from "../core/log.ts";

export class Watchers {
  readonly #open = new Set<Watcher>();
  #ended: { error?: unknown } | undefined;

  /** Somebody looks at deltas. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  /** A new watcher, which has seen these events already. */
  attach(past: readonly RunEvent[]): AsyncIterator<RunEvent> {
    const watcher = new Watcher(past, () => this.#open.delete(watcher));
    if (this.#ended) watcher.end(this.#ended.error);
    else this.#open.add(watcher);
    return watcher;
  }

  tell(event: RunEvent): void {
    for (const watcher of this.#open) watcher.push(event);
  }

  end(error?: unknown): void {
    this.#ended = { error };
    for (const watcher of this.#open) watcher.end(error);
    this.#open.clear();
  }
}

const done = { done: true as const, value: undefined };

class Watcher implements AsyncIterator<RunEvent> {
  #queue: RunEvent[];
  #next = 0;
  #wake: { resolve: (result: IteratorResult<RunEvent>) => void; reject: (error: unknown) => void } | undefined;
  #ended = false;
  #error: unknown;
  readonly #detach: () => void;

  constructor(past: readonly RunEvent[], detach: () => void) {
    this.#queue = past.slice();
    this.#detach = detach;
  }

  push(event: RunEvent): void {
    if (!this.#wake) {
      this.#queue.push(event);
      return;
    }
    const { resolve } = this.#wake;
    this.#wake = undefined;
    resolve({ done: false, value: event });
  }

  end(error: unknown): void {
    this.#ended = true;
    this.#error = error;
    const wake = this.#wake;
    this.#wake = undefined;
    if (error !== undefined) wake?.reject(error);
    else wake?.resolve(done);
  }

  next(): Promise<IteratorResult<RunEvent>> {
    if (this.#next < this.#queue.length) {
      const value = this.#queue[this.#next++]!;
      if (this.#next === this.#queue.length) {
        this.#queue = [];
        this.#next = 0;
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#ended) return this.#error === undefined ? Promise.resolve(done) : Promise.reject(this.#error);
    return new Promise((resolve, reject) => {
      this.#wake = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<RunEvent>> {
    this.#detach();
    this.end(undefined);
    return done;
  }
}
