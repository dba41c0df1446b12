/** Asks at the terminal whether a call may run. */
import type { Decision, PendingCall } from "../../core/decision.ts";
import type { Screen } from "../render/screen.ts";
import { clean, oneLine, wrapExactly } from "../render/text.ts";
import { cardTitle } from "../render/tool-card.ts";
import { CTRL_C, openPrompt } from "./prompt.ts";

/** What a model reads when a person says no. */
export const DENIED = "the user said no";

export interface ApprovalOptions {
  /** Called when the answer is Ctrl-C. */
  cancel(): void;
  /** Closes the prompt: the answer is no. */
  abortSignal?: AbortSignal;
}

/** Shows all of what would run, then asks. Several calls ask one after the other. */
export function approvalPrompt(screen: Screen, options: ApprovalOptions): (call: PendingCall) => Promise<Decision> {
  let last: Promise<unknown> = Promise.resolve();
  return (call) => {
    const answer = last.then(() => ask(screen, call, options));
    last = answer.catch(() => {});
    return answer;
  };
}

async function ask(screen: Screen, call: PendingCall, { cancel, abortSignal }: ApprovalOptions): Promise<Decision> {
  if (abortSignal?.aborted) return { deny: DENIED };
  screen.print(cardTitle(call.name, call.input, screen));
  for (const line of wrapExactly(shownInFull(call.input), screen.width - 4)) screen.print(body(line, screen));
  screen.print(body(oneLine(call.message), screen));
  const { confirm } = await import("@clack/prompts");
  const question = {
    message: `Run ${clean(call.name)} once?`,
    active: "yes, once",
    inactive: "no",
    initialValue: false,
  };
  const how = { abortSignal, dropsTypeAhead: true };
  const answer = await screen.hold(() => openPrompt((place) => confirm({ ...question, ...place }), how));
  if (answer === CTRL_C) cancel();
  return answer === true ? { approve: true } : { deny: DENIED };
}

function body(line: string, { colors }: Screen): string {
  return `  ${colors.dim("│")} ${line}`.trimEnd();
}

/** Nothing is left out, as in the title: who agrees must have seen it. */
function shownInFull(input: unknown): string {
  const values = Object.entries((typeof input === "object" && input) || {});
  const only = values.length === 1 ? values[0]![1] : undefined;
  return clean(typeof only === "string" ? only : (JSON.stringify(input, null, 2) ?? ""));
}
