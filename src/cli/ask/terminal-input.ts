/** The keyboard as one prompt sees it. */
import { PassThrough } from "node:stream";

/** How a line end looks in a prompt that has one line. */
const LINE_END = "␤";
const PASTE = /\x1b\[20([01])~/;

/** What goes wrong between two prompts is told by the end of input, at the next one. */
process.stdin.on("error", () => {});

/** Milliseconds in which only what was typed before the prompt can come. */
const TYPED_AHEAD = 50;

/**
 * Prompts read from this and not from standard input itself: when a terminal goes away, Node's reader of a real one
 * throws where nobody can catch it. What is pasted keeps its line ends, as a sign that `pasted` turns back; they would
 * submit the first line and lose the others. Close it when the prompt is over.
 */
export class TerminalInput extends PassThrough {
  readonly isTTY = true;
  #isPasting = false;
  readonly #openedAt = Date.now();
  readonly #dropsTypeAhead: boolean;
  readonly #forward = (text: string) => {
    if (!this.#dropsTypeAhead || Date.now() - this.#openedAt > TYPED_AHEAD) this.#take(text);
  };

  /** `dropsTypeAhead`: a yes counts only when it was typed after the question. */
  constructor({ dropsTypeAhead = false } = {}) {
    super();
    this.#dropsTypeAhead = dropsTypeAhead;
    process.stdin.setEncoding("utf8").on("data", this.#forward);
    process.stdin.resume();
    process.stdout.write("\x1b[?2004h");
  }

  setRawMode(isRaw: boolean): this {
    try {
      process.stdin.setRawMode(isRaw);
    } catch {
      // The terminal has gone: its mode is nobody's matter any more.
    }
    return this;
  }

  close(): void {
    process.stdout.write("\x1b[?2004l");
    process.stdin.off("data", this.#forward);
    process.stdin.pause();
  }

  #take(text: string): void {
    const mark = PASTE.exec(text);
    const part = mark ? text.slice(0, mark.index) : text;
    // What was typed ahead comes with the line ends of a terminal that was not raw yet.
    if (part) this.write(part.replace(/\r\n?|\n/g, this.#isPasting ? LINE_END : "\r"));
    if (!mark) return;
    this.#isPasting = mark[1] === "0";
    this.#take(text.slice(mark.index + mark[0].length));
  }
}

/** What was typed, with the line ends of what was pasted. */
export function pasted(line: string): string {
  return line.replaceAll(LINE_END, "\n");
}
