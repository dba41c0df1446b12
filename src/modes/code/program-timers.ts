/** The timers of a program. They run only when it has learned all that the log tells. */
import { LONGEST_TIMEOUT_MS } from "../../base/watchdog.ts";

export class ProgramTimers {
  readonly #fire: (timer: number) => void;
  readonly #waiting = new Map<number, number>();
  readonly #running = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #over = new Set<number>();

  constructor(fire: (timer: number) => void) {
    this.#fire = fire;
  }

  add(timer: number, delayMs: number): void {
    if (!this.#over.has(timer) && !this.#running.has(timer)) this.#waiting.set(timer, delayMs);
  }

  start(): void {
    for (const [timer, delayMs] of this.#waiting) {
      const fire = () => {
        this.settle(timer);
        this.#fire(timer);
      };
      this.#running.set(timer, setTimeout(fire, Math.min(delayMs, LONGEST_TIMEOUT_MS)));
    }
    this.#waiting.clear();
  }

  /** It has fired, here or in an earlier process. */
  settle(timer: number): void {
    clearTimeout(this.#running.get(timer));
    this.#running.delete(timer);
    this.#waiting.delete(timer);
    this.#over.add(timer);
  }

  close(): void {
    for (const timer of this.#running.values()) clearTimeout(timer);
    this.#running.clear();
    this.#waiting.clear();
  }
}
