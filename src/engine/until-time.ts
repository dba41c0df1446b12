/** Waits for an answer until a moment, by the clock on the wall: other processes go by it too. */
import { LONGEST_TIMEOUT_MS } from "../base/watchdog.ts";
import type { AbortListener, AbortSource } from "../core/context.ts";

/** Undefined when there was none until then, milliseconds since 1970. What comes later is nobody's. */
export function untilTime<T>(answer: Promise<T>, at: number, abort: AbortSource): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const alarm = new Alarm(at, abort, () => resolve(undefined));
    answer.then(
      (value) => {
        alarm.end();
        resolve(Date.now() < at ? value : undefined); // the alarm itself may be late
      },
      (error) => {
        alarm.end();
        reject(error);
      },
    );
  });
}

/** After an abort nobody waits for it: it must not keep a process. */
class Alarm implements AbortListener {
  before: AbortListener | undefined;
  readonly #at: number;
  readonly #abort: AbortSource;
  readonly #ring: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(at: number, abort: AbortSource, ring: () => void) {
    this.#at = at;
    this.#abort = abort;
    this.#ring = ring;
    abort.add(this);
    if (!abort.aborted) this.#wait();
  }

  handleEvent(): void {
    this.end();
  }

  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#abort.remove(this);
  }

  #wait(): void {
    const leftMs = this.#at - Date.now();
    if (leftMs > 0) this.#timer = setTimeout(() => this.#wait(), Math.min(leftMs, LONGEST_TIMEOUT_MS));
    else {
      this.end();
      this.#ring();
    }
  }
}
