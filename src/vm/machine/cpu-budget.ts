/** How long the guest may still compute: while it runs, and while a replay of it runs, each on an account of its own. */

export class CpuBudget {
  #limitMs = 0;
  #liveMs = 0;
  #replayMs = 0;
  #isReplay = false;
  #enteredAt = 0;
  #deadline = Number.POSITIVE_INFINITY;

  start(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#liveMs = 0;
    this.#replayMs = 0;
  }

  enter(isReplay: boolean): void {
    this.#isReplay = isReplay;
    this.#enteredAt = performance.now();
    this.#deadline = this.#enteredAt + this.#limitMs - (isReplay ? this.#replayMs : this.#liveMs);
  }

  exit(): void {
    const spent = performance.now() - this.#enteredAt;
    if (this.#isReplay) this.#replayMs += spent;
    else this.#liveMs += spent;
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  /** Time in which the guest stood still is not its own. */
  excuse(milliseconds: number): void {
    this.#enteredAt += milliseconds;
    this.#deadline += milliseconds;
  }

  get isSpent(): boolean {
    return performance.now() > this.#deadline;
  }
}
