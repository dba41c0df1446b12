/** How a run is aborted: listeners that are cheap to add and take back, and an AbortController for those who ask for one. */

export class RunAbort {
  /** A few at a time. */
  readonly #listeners: (() => void)[] = [];
  #controller: AbortController | undefined;
  aborted = false;
  reason: unknown;

  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls back on an abort, unless it is removed before. */
  add(listener: () => void): void {
    this.#listeners.push(listener);
  }

  remove(listener: () => void): void {
    const place = this.#listeners.lastIndexOf(listener);
    if (place !== -1) this.#listeners.splice(place, 1);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Whoever aborts it aborts the run. Made when it is first asked for: most runs need none. */
  get controller(): AbortController {
    if (this.#controller) return this.#controller;
    const controller = new AbortController();
    this.#controller = controller;
    if (this.aborted) controller.abort(this.reason);
    controller.signal.addEventListener("abort", () => this.abort(controller.signal.reason), { once: true });
    return controller;
  }
}
