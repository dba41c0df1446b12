/** What settled while a program waited, in the order of the log: so a replay tells it the same, in the same order. */
import type { Settlement } from "../../core/program.ts";

interface Arrival {
  readonly seq: number;
  readonly settlement: Settlement;
}

/**
 * Results come back over several promises, those of one moment in any order. One turn of the event loop later all of them
 * are here, and are handed over sorted.
 */
export class Inbox {
  #arrivals: Arrival[] = [];
  /** Told from the log, though some of it may still be on its way here. */
  readonly #dropped = new Set<string>();
  #deliver: ((settlements: Settlement[]) => void) | undefined;
  #scheduled: ReturnType<typeof setImmediate> | undefined;

  /** `isLast`: nothing else goes on that could have settled before. */
  add(arrival: Arrival, isLast: boolean): void {
    if (this.#dropped.has(keyOf(arrival.settlement))) return;
    this.#arrivals.push(arrival);
    if (isLast) this.#hand();
    else this.#schedule();
  }

  /** Resolves with at least one; never while nothing comes. */
  next(): Promise<Settlement[]> {
    return new Promise((resolve) => {
      this.#deliver = resolve;
      if (this.#arrivals.length > 0) this.#schedule();
    });
  }

  /** What the log tells of is told from there. */
  drop(told: readonly Settlement[]): void {
    for (const settlement of told) this.#dropped.add(keyOf(settlement));
    this.#arrivals = this.#arrivals.filter(({ settlement }) => !this.#dropped.has(keyOf(settlement)));
  }

  close(): void {
    clearImmediate(this.#scheduled);
    this.#deliver = undefined;
  }

  #schedule(): void {
    if (this.#deliver) this.#scheduled ??= setImmediate(() => this.#hand());
  }

  #hand(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const deliver = this.#deliver;
    if (!deliver || this.#arrivals.length === 0) return;
    const arrivals = this.#arrivals.sort((a, b) => a.seq - b.seq);
    this.#arrivals = [];
    this.#deliver = undefined;
    deliver(arrivals.map(({ settlement }) => settlement));
  }
}

function keyOf(settlement: Settlement): string {
  return "timer" in settlement ? `timer ${settlement.timer}` : `call ${settlement.id}`;
}
