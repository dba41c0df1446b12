/** One tool call as a card: a line that says what is done, and below it what came of it. */
import type { EntryOf } from "../../core/log.ts";
import { modelText } from "../../core/tool-result.ts";
import type { Colors } from "./colors.ts";
import { clean, count, duration, oneLine, truncate } from "./text.ts";
import { visibleLine } from "./visible.ts";

/** Lines of a result that are shown: its first ones, and the last ones of a command. */
const HEAD = 5;
const TAIL = 5;
/** Lines of an edit's diff. */
const DIFF = 40;

/** The input that says most, tool by tool; of other tools, the first text. */
const subjects: Record<string, string[]> = {
  bash: ["command"],
  read: ["path"],
  edit: ["path"],
  write: ["path"],
  glob: ["pattern"],
  grep: ["pattern"],
};

/** What a call is about, on one line. `asLine` makes text safe for it. */
export function cardSubject(name: string, input: unknown, asLine = oneLine): string {
  const values = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>;
  for (const key of subjects[name.toLowerCase()] ?? []) {
    if (typeof values[key] === "string") return asLine(values[key]);
  }
  if (typeof input === "string") return asLine(input);
  return input === undefined || Object.keys(values).length === 0 ? "" : asLine(JSON.stringify(input));
}

/** A call of a program has the line where it stands. */
export interface CardCall {
  name: string;
  input: unknown;
  line?: number | undefined;
}

export function cardTitle({ name, input, line }: CardCall, { width, colors }: Look, asLine = oneLine): string {
  const place = line === undefined ? "" : `  line ${line}`;
  const subject = truncate(cardSubject(name, input, asLine), Math.max(10, width - name.length - place.length - 5));
  return `${colors.cyan("●")} ${colors.bold(asLine(name))}${subject ? `  ${subject}` : ""}${place && colors.dim(place)}`;
}

interface Look {
  width: number;
  colors: Colors;
}

/** The lines below the title. */
export function cardResult(end: EntryOf<"tool-end">, { width, colors }: Look): string {
  const lines = resultLines(end);
  const { text, failed } = takeStatus(end, lines);
  const isDiff = lines.some((line) => line.startsWith("@@ "));
  const painted = (isDiff ? diffPart(lines) : shortened(lines)).map((line) => {
    const short = truncate(line.trimEnd(), width - 4);
    if (isDiff && line.startsWith("+")) return colors.green(short);
    if (isDiff && line.startsWith("-")) return colors.red(short);
    return end.error ? colors.red(short) : colors.dim(short);
  });
  const status = failed ? colors.red(text) : colors.green(text);
  return [...painted.map((line) => `  ${colors.dim("│")} ${line}`.trimEnd()), `  ${colors.dim("└")} ${status}`].join(
    "\n",
  );
}

/** How it ended, as a few words. A command says so itself, in the last line of its output: `[exit 1, 0.3 s]`. */
function takeStatus({ error, durationMs }: EntryOf<"tool-end">, lines: string[]): { text: string; failed: boolean } {
  const own = /^\[((?:exit \d+|killed)[^\]]*)\]$/.exec(lines.at(-1) ?? "")?.[1];
  if (own) lines.pop();
  if (error) return { text: `failed, ${duration(durationMs)}`, failed: true };
  if (own) return { text: own, failed: !own.startsWith("exit 0") };
  return { text: `done, ${duration(durationMs)}`, failed: false };
}

/** A call that waits, or that was decided on. */
export function cardPause(pause: EntryOf<"tool-pause">, { width, colors }: Look): string {
  return `  ${colors.dim("└")} ${colors.yellow(truncate(`waits: ${visibleLine(pause.message)}`, width - 4))}`;
}

export function resultLines({ error, content, output, signal, name }: EntryOf<"tool-end">): string[] {
  if (error) return textLines(error.hint ? `${error.message}\n${error.hint}` : error.message);
  if (signal) return textLines(signal.reason);
  const texts = content?.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`));
  const lines = textLines(texts?.join("\n") ?? modelText(output));
  // A file's content says little to whoever has the file.
  const numbered = name.toLowerCase() === "read" ? lines.filter((line) => /^\s*\d+ /.test(line)).length : 0;
  return numbered > 0 ? [count(numbered, "line")] : lines;
}

export function textLines(text: string): string[] {
  const lines = clean(text).split("\n");
  while (lines.length > 0 && lines.at(-1)!.trim() === "") lines.pop();
  return lines;
}

function diffPart(lines: string[]): string[] {
  if (lines.length <= DIFF) return lines;
  return [...lines.slice(0, DIFF), `… ${count(lines.length - DIFF, "more line")}`];
}

export function shortened(lines: string[]): string[] {
  if (lines.length <= HEAD + TAIL + 1) return lines;
  const left = lines.length - HEAD - TAIL;
  return [...lines.slice(0, HEAD), `… ${count(left, "line")} …`, ...lines.slice(-TAIL)];
}
