/** The line that moves while something goes on: what it is, and for how long. */

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/**
 * Drawn by a timer while it has a label. The prompt library has a spinner too, but that one takes the keyboard, and
 * ends the process with code 0 at Ctrl-C.
 */
export class Spinner {
  readonly #draw: () => void;
  #label = "";
  #since = 0;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `draw` shows `line()` wherever it belongs. */
  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** The same label goes on counting. */
  start(label: string): void {
    if (label !== this.#label) this.#since = Date.now();
    this.#label = label;
    this.#timer ??= setInterval(() => {
      this.#frame++;
      this.#draw();
    }, 100).unref();
    this.#draw();
  }

  stop(): void {
    this.#label = "";
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#draw();
  }

  /** undefined while nothing goes on. */
  line(): string | undefined {
    if (!this.#label) return undefined;
    const seconds = Math.floor((Date.now() - this.#since) / 1000);
    return `${frames[this.#frame % frames.length]} ${this.#label}${seconds >= 2 ? `  ${seconds} s` : ""}`;
  }
}
