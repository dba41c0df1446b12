/** The run's AbortController, with listeners that are cheap to add and to take back: a run has thousands. */

export class RunAbort {
  readonly controller = new AbortController();
  readonly #listeners = new Set<() => void>();

  constructor() {
    this.controller.signal.addEventListener("abort", () => {
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Calls back on an abort, unless it is taken back first by the returned function. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
