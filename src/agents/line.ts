/** One at a time, first come first served. */
import type { AbortListener, AbortSource } from "../core/context.ts";

interface Waiter {
  go(): void;
  refuse(error: unknown): void;
}

export class Line {
  #isBusy = false;
  #waiting: Waiter[] = [];
  #whenFree: (() => void)[] = [];

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Resolves when it is one's turn: give it back. `first`: before all that wait. @throws the reason of an abort meanwhile */
  take(abort?: AbortSource, first = false): Promise<void> {
    if (abort?.aborted) return Promise.reject(abort.reason);
    if (!this.#isBusy) {
      this.#isBusy = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const listener: AbortListener = {
        handleEvent: () => {
          this.#waiting = this.#waiting.filter((one) => one !== waiter);
          reject(abort!.reason);
        },
      };
      const waiter: Waiter = {
        go() {
          abort?.remove(listener);
          resolve();
        },
        refuse(error) {
          abort?.remove(listener);
          reject(error);
        },
      };
      abort?.add(listener);
      if (first) this.#waiting.unshift(waiter);
      else this.#waiting.push(waiter);
    });
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) {
      next.go();
      return;
    }
    this.#isBusy = false;
    for (const told of this.#whenFree.splice(0)) told();
  }

  /** All that wait are told no. */
  refuse(error: unknown): void {
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(error);
  }

  /** When nobody has a turn. */
  free(): Promise<void> {
    if (!this.#isBusy) return Promise.resolve();
    return new Promise((resolve) => this.#whenFree.push(resolve));
  }
}
