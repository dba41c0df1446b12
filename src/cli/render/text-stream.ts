/** A model's text while it arrives: finished blocks are drawn and stay, the rest is shown as it comes. */
import { completeBlocks, renderMarkdown } from "./markdown.ts";
import type { Screen } from "./screen.ts";
import { clean, wrapExactly } from "./text.ts";

/** Rows of unfinished text that are shown: the whole of it comes when its block is done. */
const TAIL_ROWS = 8;

export class TextStream {
  readonly #screen: Screen;
  /** What has not been printed. */
  #rest = "";
  /** What has. */
  #printed = "";

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  push(delta: string): void {
    this.#rest += delta;
    // Only a line end can complete a block.
    if (!delta.includes("\n")) return;
    const end = completeBlocks(this.#rest);
    if (end > 0) this.#print(end);
  }

  /** The answer is over, and this was all of its text. */
  end(whole: string): void {
    // What is in the log counts: where it is not what was shown, it is printed whole.
    this.#rest = whole.startsWith(this.#printed) ? whole.slice(this.#printed.length) : whole;
    this.#print(this.#rest.length);
    this.#printed = "";
  }

  /** What was shown is void. True when some of it stays on the screen. */
  reset(): boolean {
    const shown = this.#printed !== "";
    this.#rest = "";
    this.#printed = "";
    return shown;
  }

  /** What to show below the lines that stay. */
  tail(): string[] {
    const end = this.#rest.slice(-TAIL_ROWS * this.#screen.width * 2);
    return end.trim() ? wrapExactly(clean(end), this.#screen.width - 1).slice(-TAIL_ROWS) : [];
  }

  #print(length: number): void {
    const text = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    this.#printed += text;
    const drawn = renderMarkdown(text, this.#screen.width, this.#screen.colors);
    if (drawn) this.#screen.print(`${drawn}\n`);
  }
}
