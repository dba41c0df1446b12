/** How a run is aborted: listeners that are cheap to add and take back, and an AbortController for those who ask for one. */
import type { AbortListener, AbortSource } from "../core/context.ts";

export class RunAbort implements AbortSource {
  /** The last that was added; each knows the one before. A few at a time. */
  #last: AbortListener | undefined;
  #controller: AbortController | undefined;
  aborted = false;
  reason: unknown;

  abort(reason: unknown = new DOMException("This operation was aborted", "AbortError")): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    const listeners: AbortListener[] = [];
    for (let one = this.#last; one; one = one.before) listeners.unshift(one);
    for (const listener of listeners) listener.handleEvent();
  }

  /** Calls back on an abort, unless it is removed before. */
  add(listener: AbortListener): void {
    listener.before = this.#last;
    this.#last = listener;
  }

  remove(listener: AbortListener): void {
    if (this.#last === listener) {
      this.#last = listener.before;
      return;
    }
    let later = this.#last;
    while (later && later.before !== listener) later = later.before;
    if (later) later.before = listener.before;
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

/** An AbortController that is made when somebody looks at its signal. */
export class LazyController {
  #controller: AbortController | undefined;
  #reason: unknown;
  aborted = false;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }
}
