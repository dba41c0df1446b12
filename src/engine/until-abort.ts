/** Waits for what others wrote, a hook, a handler, a dynamic value, but not long beyond an abort of the run. */
import { isThenable } from "../base/kinds.ts";
import type { AbortListener, AbortSource } from "../core/context.ts";

/** How long an abort waits for work that takes note of it. */
export const GRACE_MS = 300;

/** @throws the reason of the abort when the work does not end in time, or what the work throws */
export function untilAbort<T>(abort: AbortSource, work: Promise<T>, graceMs?: number): Promise<T>;
export function untilAbort<T>(abort: AbortSource, work: T | PromiseLike<T>, graceMs?: number): T | Promise<T>;
export function untilAbort<T>(abort: AbortSource, work: T | PromiseLike<T>, graceMs = GRACE_MS): T | Promise<T> {
  if (!isThenable(work)) return work;
  return new Promise((resolve, reject) => {
    const patience = new Patience(abort, graceMs, reject);
    work.then(
      (value) => {
        patience.end();
        resolve(value);
      },
      (error) => {
        patience.end();
        reject(error);
      },
    );
  });
}

class Patience implements AbortListener {
  before: AbortListener | undefined;
  readonly #abort: AbortSource;
  readonly #graceMs: number;
  readonly #giveUp: (reason: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(abort: AbortSource, graceMs: number, giveUp: (reason: unknown) => void) {
    this.#abort = abort;
    this.#graceMs = graceMs;
    this.#giveUp = giveUp;
    abort.add(this);
    if (abort.aborted) this.handleEvent();
  }

  handleEvent(): void {
    this.#timer = setTimeout(() => {
      this.end();
      this.#giveUp(this.#abort.reason);
    }, this.#graceMs);
  }

  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#abort.remove(this);
  }
}
