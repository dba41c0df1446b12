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
