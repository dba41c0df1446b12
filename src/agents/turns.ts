/** So many at the same time, the others in the order in which they came. */
export class Turns {
  readonly #most: number;
  #running = 0;
  #waiting: readonly (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws the reason of the signal, while it waits */
  async take<T>(abortSignal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await this.#wait(abortSignal);
    else this.#running++;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(abortSignal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        abortSignal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== begin);
        reject(abortSignal.reason);
      };
      if (abortSignal.aborted) return reject(abortSignal.reason);
      abortSignal.addEventListener("abort", leave, { once: true });
      this.#waiting = [...this.#waiting, begin];
    });
  }

  /** Whoever ends gives its place to the one who waits longest. */
  #next(): void {
    const [begin, ...others] = this.#waiting;
    this.#waiting = others;
    if (begin) begin();
    else this.#running--;
  }
}
