/** Passes output on to whoever watches, while the command runs: not too often, and not without end. */
import { stripVTControlCharacters } from "node:util";

const INTERVAL_MS = 50;
/** Of what comes between two messages, the last so many characters are passed on. */
const MAX_MESSAGE = 16 * 1024;
const MAX_TOTAL = 1024 * 1024;

export class LiveOutput {
  readonly #tell: (text: string) => void;
  #waiting = "";
  #told = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  push(text: string): void {
    if (this.#told >= MAX_TOTAL) return;
    this.#waiting += text;
    if (this.#waiting.length > MAX_MESSAGE * 2) this.#waiting = `[…]\n${this.#waiting.slice(-MAX_MESSAGE)}`;
    this.#timer ??= setTimeout(() => this.#flush(), INTERVAL_MS).unref();
  }

  end(): void {
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = stripVTControlCharacters(this.#waiting);
    this.#waiting = "";
    if (text === "") return;
    this.#told += text.length;
    this.#tell(text);
    if (this.#told >= MAX_TOTAL) this.#tell("\n[… the rest of the output is not shown live]\n");
  }
}
