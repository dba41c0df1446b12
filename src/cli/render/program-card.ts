/** The lines of a program's card: its title, its code, what became of it. */
import { isPlainObject } from "../../base/json.ts";
import type { EntryOf, IterationStatus } from "../../core/log.ts";
import { programLines } from "./program-code.ts";
import type { Screen } from "./screen.ts";
import { count, duration, oneLine, truncate, wrapWith } from "./text.ts";
import { shortened, textLines } from "./tool-card.ts";
import { visible } from "./visible.ts";

type Paint = (text: string) => string;

/** How a report begins the line of a problem. */
const PROBLEM = /^\d+:\d+ /;

/** Stands for a space until lines are broken. */
const NO_BREAK = "\u00a0";

/** `facts` stand after the number of lines. */
export function printProgram(screen: Screen, code: string, facts: readonly string[], what = ""): void {
  const lines = count(code.trimEnd().split("\n").length, "line");
  printTitle(screen, what, screen.colors.bold, [lines, ...facts].join(", "), screen.colors.dim);
  screen.print(`${programLines(code, screen).join("\n")}\n`);
}

/** One that was begun in an earlier process: `lines` are those of the calls that had not ended. */
export function printGoesOn(screen: Screen, code: string, over: number, lines: readonly number[]): void {
  const text = over === 0 ? "" : `with the results of ${count(over, "call")}`;
  printTitle(screen, "goes on", screen.colors.bold, text, screen.colors.dim);
  screen.print(`${programLines(code, screen, lines).join("\n")}\n`);
}

/** How it ended, on one line where that fits; then what the model reads of it. `report` is that text. */
export function printProgramEnd(
  screen: Screen,
  end: EntryOf<"program-end">,
  status: IterationStatus,
  report: string | undefined,
): void {
  const { word, paint } = wordOf(end, status, screen);
  const facts = [count(end.calls, "call"), ...(end.durationMs > 0 ? [duration(end.durationMs)] : [])];
  const took = facts.join(", ").replaceAll(" ", NO_BREAK);
  const error = end.error && `${oneLine(end.error.message)}${placeOf(end.error.data)}`;
  printTitle(screen, word, paint, error ? `${error}  ${took}` : took, error ? paint : screen.colors.dim);
  const isTold = report !== undefined && status.type !== "exit" && status.type !== "exit-rejected";
  const said = end.error?.message.split("\n").length ?? 0;
  printBody(screen, isTold ? detailsOf(report, said) : []);
}

/** Its check found mistakes: nothing of it has run. */
export function printNotRun(screen: Screen, code: string, report: string): void {
  printProgram(screen, code, []);
  const [, ...lines] = textLines(report);
  const problems = lines.filter((line) => PROBLEM.test(line)).length;
  printTitle(screen, "not run", screen.colors.red, count(problems, "problem"), screen.colors.red);
  printBody(screen, lines, screen.colors.red);
}

export function printStopped(screen: Screen): void {
  printTitle(screen, "stopped", screen.colors.yellow, "", String);
  printBody(screen, []);
}

/** Calls that have no card of their own. */
export function printCounted(screen: Screen, counted: ReadonlyMap<string, number>, failed: number): void {
  const all = [...counted.values()].reduce((sum, each) => sum + each, 0);
  const tools = [...counted].sort((a, b) => b[1] - a[1]).map(([name, calls]) => `${oneLine(name)} ${number(calls)}`);
  const failures = failed > 0 ? `; ${number(failed)} failed` : "";
  const text = `${count(all, "more call")}: ${tools.join(", ")}${failures}`;
  screen.print(`${screen.colors.dim(wrapWith(text, screen.width, "… "))}\n`);
}

function wordOf({ status, error }: EntryOf<"program-end">, ending: IterationStatus, { colors }: Screen) {
  switch (status) {
    case "returned":
      return { word: "returned", paint: colors.green };
    case "exit":
      return ending.type === "exit"
        ? { word: `left by ${oneLine(ending.exit)}`, paint: colors.green }
        : { word: "could not leave", paint: colors.yellow };
    case "limit":
      return { word: "stopped by a limit", paint: colors.red };
    case "threw":
      return { word: error?.code === "PROGRAM_INVALID" ? "not run" : "threw", paint: colors.red };
  }
}

function placeOf(data: unknown): string {
  return isPlainObject(data) && typeof data.line === "number" ? ` (line ${data.line})` : "";
}

/** Without the lines that the title has `said`, and without the names that stay for the next program. */
function detailsOf(report: string, said: number): string[] {
  const lines = textLines(report.replace(/(?:^|\n\n)Kept: [^\n]*$/, ""));
  return lines.slice(said).filter((line) => line.trim() !== "" && line !== "It returned nothing.");
}

function printTitle(screen: Screen, word: string, paint: Paint, text: string, paintText: Paint): void {
  const { colors, width } = screen;
  const start = `● Program${word ? ` ${word}` : ""}  `;
  const lines = wrapWith(`${start}${text}`, width, "", "  ").replaceAll(NO_BREAK, " ").split("\n");
  const title = `${colors.cyan("●")} ${colors.bold("Program")}${word ? ` ${paint(word)}` : ""}`;
  const [first = "", ...rest] = [lines[0]!.slice(start.length), ...lines.slice(1)];
  screen.print([`${title}  ${paintText(first)}`.trimEnd(), ...rest.map((line) => paintText(line))].join("\n"));
}

function printBody(screen: Screen, lines: string[], paintProblem: Paint = screen.colors.dim): void {
  const { dim } = screen.colors;
  const body = shortened(lines).map((line) => {
    const text = truncate(visible(line.trimEnd()), screen.width - 4);
    return `  ${dim("│")} ${PROBLEM.test(line) ? paintProblem(text) : dim(text)}`.trimEnd();
  });
  screen.print(body.length > 0 ? `${body.join("\n")}\n` : "");
}

function number(value: number): string {
  return value.toLocaleString("en");
}
