/** A log for people: a row for each entry, with what it holds below it, a run inside a call under that call. */
import type { Entry } from "../../core/log.ts";
import { runOf } from "../../core/log-keys.ts";
import { dayOf, timeOf } from "./dates.ts";
import { entryText } from "./log-text.ts";
import type { Screen } from "./screen.ts";
import { count, stringWidth, truncate, wrapExactly } from "./text.ts";

/** Lines of what an entry holds. */
const LINES = 6;
const [SEQ, PLACE, TYPE] = [5, 5, 14];

export class LogView {
  readonly #screen: Screen;
  #day = "";

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  entry(entry: Entry): void {
    const { colors, width } = this.#screen;
    const day = dayOf(entry.at);
    if (day !== this.#day) this.#screen.print(colors.dim(day));
    this.#day = day;

    const [run, place] = [runOf(entry), entry.key.split("/").slice(1).join("/")];
    const indent = "  ".repeat(Math.min(Math.floor((run.split("/").length - 1) / 2), 6));
    const before = `${String(entry.seq).padStart(SEQ)}  ${timeOf(entry.at)}  ${indent}`;
    const label = `${place.padEnd(PLACE)}  ${entry.type.padEnd(TYPE)}`;
    const { words, body = [], tone } = entryText(entry);
    const paint = tone && { bad: colors.red, waits: colors.yellow, good: colors.green }[tone];
    const room = Math.max(16, width - before.length - label.length - 2);
    const inline = body.length === 1 ? [words, body[0]!.trim()].filter(Boolean).join(" · ") : "";
    const isShort = inline !== "" && stringWidth(inline) <= room;
    const said = isShort ? inline : truncate(words, room);
    this.#screen.print(`${colors.dim(before)}${label}  ${paint ? paint(said) : said}`.trimEnd());
    if (isShort) return;

    const margin = " ".repeat(before.length);
    for (const line of cut(body, Math.max(16, width - margin.length - 2))) {
      this.#screen.print(`${margin}${colors.dim("│")} ${tone === "bad" ? paint!(line) : colors.dim(line)}`.trimEnd());
    }
  }
}

function cut(lines: readonly string[], width: number): readonly string[] {
  const shown: string[] = [];
  for (const [index, line] of lines.entries()) {
    const parts = wrapExactly(line.slice(0, LINES * width).trimEnd(), width);
    if (shown.length + parts.length > LINES) {
      const left = lines.length - index;
      return [...shown, ...parts.slice(0, LINES - shown.length), `… ${count(left, "more line")}`];
    }
    shown.push(...parts);
  }
  return shown;
}
