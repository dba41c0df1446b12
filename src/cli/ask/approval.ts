/** Asks at the terminal whether a call may run. */
import { confirm, isCancel } from "@clack/prompts";
import type { Decision, PendingCall } from "../../core/decision.ts";
import type { Screen } from "../render/screen.ts";
import { clean, wrap } from "../render/text.ts";

/** What a model reads when a person says no. */
export const DENIED = "the user said no";

/**
 * Shows all of what would run, then asks. Several calls ask one after the other. `cancel` is called when the answer is
 * Ctrl-C.
 */
export function approvalPrompt(screen: Screen, cancel: () => void): (call: PendingCall) => Promise<Decision> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const answer = last.then(() => ask(screen, call, cancel));
    last = answer.catch(() => {});
    return answer;
  };
}

async function ask(screen: Screen, call: PendingCall, cancel: () => void): Promise<Decision> {
  const { dim } = screen.colors;
  for (const line of inputLines(call.input, screen.width - 4)) screen.print(`  ${dim("│")} ${line}`.trimEnd());
  const answer = await screen.hold(() =>
    confirm({ message: `Run ${clean(call.name)} once?`, active: "yes, once", inactive: "no", initialValue: false }),
  );
  if (isCancel(answer)) cancel();
  return answer === true ? { approve: true } : { deny: DENIED };
}

/** Nothing is left out: who agrees must have seen it. */
function inputLines(input: unknown, width: number): string[] {
  const values = Object.entries((typeof input === "object" && input) || {});
  const [only] = values;
  const text = values.length === 1 && typeof only![1] === "string" ? only![1] : (JSON.stringify(input, null, 2) ?? "");
  return clean(text)
    .split("\n")
    .flatMap((line) => wrap(line, width));
}
