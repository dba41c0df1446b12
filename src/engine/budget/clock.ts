/** The time in which a process works on a run: it stands while somebody is asked, and rings when it is used up. */
import { LONGEST_TIMEOUT_MS } from "../../base/watchdog.ts";

export class BudgetClock {
  readonly #maxMs: number;
  readonly #ring: () => void;
  #beforeMs: number;
  /** Since then it runs; undefined: it stands. */
  #since: number | undefined;
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Begins with what was used before. */
  constructor(maxMs: number, beforeMs: number, ring: () => void) {
    this.#maxMs = maxMs;
    this.#beforeMs = beforeMs;
    this.#ring = ring;
    this.#run();
  }

  get ms(): number {
    return this.#beforeMs + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  /** Somebody is asked, perhaps several people at once. */
  asks(): void {
    this.#asked++;
    this.#stand();
  }

  answered(): void {
    this.#asked--;
    if (this.#asked === 0) this.#run();
  }

  close(): void {
    this.#stand();
    this.#asked = Number.POSITIVE_INFINITY; // what is answered late starts nothing
  }

  #run(): void {
    this.#since ??= performance.now();
    const leftMs = this.#maxMs - this.ms;
    this.#timer = setTimeout(() => (leftMs > LONGEST_TIMEOUT_MS ? this.#again() : this.#ring()), waitFor(leftMs));
  }

  #again(): void {
    this.#stand();
    this.#run();
  }

  #stand(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#beforeMs = this.ms;
    this.#since = undefined;
  }
}

function waitFor(leftMs: number): number {
  return Math.min(Math.max(0, Math.ceil(leftMs)), LONGEST_TIMEOUT_MS);
}
