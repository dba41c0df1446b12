/** The terminal as the rest of the command line sees it: lines that stay, and on a TTY a few live lines below them. */
import { type Colors, colorsFor } from "./colors.ts";
import { truncate } from "./text.ts";

export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

export class Screen {
  readonly colors: Colors;
  /** Live lines, spinners and prompts make sense here. */
  readonly isLive: boolean;
  readonly #out: Output;
  #live: string[] = [];
  #shownRows = 0;
  #held: string[] | undefined;

  constructor(out: Output = process.stdout, env: Record<string, string | undefined> = process.env) {
    this.#out = out;
    this.colors = colorsFor(out, env);
    this.isLive = out.isTTY === true && env.TERM !== "dumb";
  }

  /** Columns for our own lines: those of the terminal up to 100, and 80 where there is none. */
  get width(): number {
    return this.#out.isTTY && this.#out.columns ? Math.min(this.#out.columns, 100) : 80;
  }

  get rows(): number {
    return this.#out.rows ?? 24;
  }

  /** Lines that stay. They come above the live ones. */
  print(text = ""): void {
    if (this.#held) {
      this.#held.push(text);
      return;
    }
    this.#out.write(`${this.#erasure()}${text}\n${this.#liveText()}`);
  }

  /** Replaces the live lines. Plain text: each is cut to one row; `paint` colours it after that. */
  live(lines: { text: string; paint?: (text: string) => string }[]): void {
    if (!this.isLive) return;
    const room = (this.#out.columns ?? 80) - 1;
    this.#live = lines.slice(-(this.rows - 2)).map(({ text, paint = String }) => paint(truncate(text, room)));
    if (!this.#held) this.#out.write(`${this.#erasure()}${this.#liveText()}`);
  }

  /** While a prompt has the terminal: nothing is written, and nothing is lost. */
  async hold<T>(prompt: () => Promise<T>): Promise<T> {
    this.live([]);
    this.#held = [];
    try {
      return await prompt();
    } finally {
      const held = this.#held;
      this.#held = undefined;
      for (const text of held) this.print(text);
    }
  }

  #erasure(): string {
    if (this.#shownRows === 0) return "";
    return `${this.#shownRows > 1 ? `\x1b[${this.#shownRows - 1}A` : ""}\r\x1b[J`;
  }

  /** The cursor stays at the end of the last live line. */
  #liveText(): string {
    this.#shownRows = this.#live.length;
    return this.#live.join("\n");
  }
}
