/** Asks at the terminal whether a call may run. */
import type { Decision, PendingCall } from "../../core/decision.ts";
import type { Project } from "../../project/index.ts";
import type { Screen } from "../render/screen.ts";
import { count, wrapExactly } from "../render/text.ts";
import { cardTitle } from "../render/tool-card.ts";
import { visibleLine } from "../render/visible.ts";
import { type Answer, CTRL_C, openPrompt } from "./prompt.ts";
import type { SessionAnswers } from "./session-answers.ts";
import { shownCall } from "./shown-call.ts";

/** What a model reads when a person says no. */
export const DENIED = "the user said no";

/** Lines of a diff that are shown before somebody wants to see them all. */
const FIRST_LINES = 120;

export interface ApprovalOptions {
  project: Project;
  /** What was agreed to in this session, and where a further yes for all of it goes. */
  answers: SessionAnswers;
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

async function ask(screen: Screen, call: PendingCall, options: ApprovalOptions): Promise<Decision> {
  const { project, answers, cancel, abortSignal } = options;
  if (abortSignal?.aborted) return { deny: DENIED };
  screen.print(cardTitle(call, screen, visibleLine));
  if (answers.hasAgreed(call)) {
    screen.print(body("You agreed to exactly this call for the whole session.", screen));
    return { approve: true };
  }
  const { lines, isDiff } = await shownCall(call, project, screen.colors);
  const first = isDiff ? lines.slice(0, FIRST_LINES) : lines;
  let rest = lines.slice(first.length);
  printLines(first, screen);
  printLines([screen.colors.dim(visibleLine(call.message))], screen);
  while (true) {
    if (rest.length > 0)
      screen.print(body(screen.colors.yellow(`${count(rest.length, "line")} of it not shown yet`), screen));
    const key = await choose(screen, call, rest.length, abortSignal);
    if (key === "a") {
      printLines(rest, screen);
      rest = [];
      continue;
    }
    if (key === "y") return { approve: true };
    if (key === "s") {
      answers.agree(call);
      return { approve: true };
    }
    if (key === CTRL_C) cancel();
    return key === "n" ? { deny: await whyNot(screen, cancel, abortSignal) } : { deny: DENIED };
  }
}

/** One key is the answer. Enter is that of the first row, which has to be no. */
async function choose(
  screen: Screen,
  call: PendingCall,
  hidden: number,
  abortSignal?: AbortSignal,
): Promise<Answer<string>> {
  const { selectKey } = await import("@clack/prompts");
  const message = `Run ${visibleLine(call.name)}?`;
  const options = [
    { value: "n", label: "no, and say why" },
    { value: "y", label: "yes, once" },
    ...(call.reason === "approval" ? [{ value: "s", label: "yes, and exactly this call for the whole session" }] : []),
    ...(hidden > 0 ? [{ value: "a", label: "show all of it first" }] : []),
  ];
  const how = { abortSignal, dropsTypeAhead: true };
  const key = await screen.hold(() => openPrompt((place) => selectKey({ message, options, ...place }), how));
  return key ?? "n";
}

/** The model reads it: a reason saves it a second try. */
async function whyNot(screen: Screen, cancel: () => void, abortSignal?: AbortSignal): Promise<string> {
  const { text } = await import("@clack/prompts");
  const question = { message: "Why not? The model reads it. Enter for no reason." };
  const answer = await screen.hold(() => openPrompt((place) => text({ ...question, ...place }), { abortSignal }));
  if (answer === CTRL_C) cancel();
  const reason = typeof answer === "string" ? answer.trim() : "";
  return reason ? `${DENIED}: ${reason}` : DENIED;
}

function printLines(lines: readonly string[], screen: Screen): void {
  for (const line of lines) for (const part of wrapped(line, screen)) screen.print(body(part, screen));
}

/** What does not fit goes on below, with a sign that it is no line of its own. */
function wrapped(line: string, { width, colors }: Screen): string[] {
  const [first = "", ...rest] = wrapExactly(line, width - 4);
  if (rest.length === 0) return [first];
  const [start = "", ...more] = wrapExactly(line, width - 6);
  return [start, ...more.map((part) => `${colors.dim("↳")} ${part}`)];
}

function body(line: string, { colors }: Screen): string {
  return `  ${colors.dim("│")} ${line}`.trimEnd();
}
