/** The last lines of a run: how it ended, what it took, and how to go on. */
import type { ExecuteResult } from "../../core/result.ts";
import type { Screen } from "./screen.ts";
import { clean, count, duration, wrapWith } from "./text.ts";

export interface RunFacts {
  durationMs: number;
  session: string;
}

export function printSummary(screen: Screen, result: ExecuteResult, { durationMs, session }: RunFacts): void {
  const { colors } = screen;
  const ends = { success: colors.green("Done"), error: colors.red("Failed"), interrupted: colors.yellow("Waiting") };
  const { inputTokens, outputTokens } = result.usage;
  const facts = [
    count(result.iterations.length, "model call"),
    `${count(inputTokens, "token")} in, ${outputTokens.toLocaleString("en")} out`,
    ...(result.cost === undefined ? [] : [`$${result.cost.toFixed(4)}`]),
    duration(durationMs),
    session,
  ];
  const rest = wrapWith(facts.join(" · "), screen.width, " ".repeat(9)).trimStart();
  const label = ends[result.status as keyof typeof ends];
  screen.print(
    `${label}${" ".repeat(9 - { success: 4, error: 6, interrupted: 7 }[result.status as "success"]!)}${colors.dim(rest)}`,
  );
}

/** What an exit gave, when it gave more than text that was shown already. */
export function printOutput(screen: Screen, result: ExecuteResult): void {
  if (result.status !== "success" || result.exit === undefined || result.output === undefined) return;
  screen.print(`${clean(outputText(result.output))}\n`);
}

export function outputText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}
