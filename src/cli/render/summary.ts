/** The last lines of a run: how it ended, what it took, and how to go on. */
import type { ExecuteResult } from "../../core/result.ts";
import type { Colors } from "./colors.ts";
import type { Screen } from "./screen.ts";
import { clean, count, duration } from "./text.ts";

export interface RunFacts {
  durationMs: number;
  /** Where it can be said how to go on. */
  session?: string;
}

const COLUMN = 9;

export function printSummary(screen: Screen, result: ExecuteResult, { durationMs, session }: RunFacts): void {
  const { colors } = screen;
  const { label, paint } = ending(result, colors);
  const { inputTokens, outputTokens } = result.usage;
  const facts = [
    count(result.iterations.length, "model call"),
    `${count(inputTokens, "token")} in, ${outputTokens.toLocaleString("en")} out`,
    ...(result.cost === undefined ? [] : [`$${result.cost.toFixed(4)}`]),
    duration(durationMs),
  ];
  screen.print(`${paint(label.padEnd(COLUMN))}${colors.dim(facts.join(" · "))}`);
  if (session) screen.print(colors.dim(`${"Session".padEnd(COLUMN)}${session}`));
}

function ending(result: ExecuteResult, colors: Colors): { label: string; paint: (text: string) => string } {
  if (result.status === "success") return { label: "Done", paint: colors.green };
  if (result.status === "interrupted") return { label: "Waiting", paint: colors.yellow };
  return result.stopReason === "aborted"
    ? { label: "Stopped", paint: colors.yellow }
    : { label: "Failed", paint: colors.red };
}

/** What an exit gave, when it gave more than text that was shown already. */
export function printOutput(screen: Screen, result: ExecuteResult): void {
  if (result.status !== "success" || result.exit === undefined || result.output === undefined) return;
  screen.print(`${clean(outputText(result.output))}\n`);
}

export function outputText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}
