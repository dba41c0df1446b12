/** Turns what happened in an iteration into the run's next step: go on, leave, answer or wait. */
import { HaftError } from "../base/errors.ts";
import { type Exit, ListenExit, ThinkExit } from "../core/exit.ts";
import type { EntryOf, IterationStatus, LoggedMessage } from "../core/log.ts";
import { userText } from "../core/message.ts";
import type { Outcome, StoppedCall } from "../core/mode.ts";
import { modelText } from "../core/tool-result.ts";
import { append } from "./history.ts";
import { afterIteration } from "./hook-calls.ts";
import type { RunningIteration } from "./iteration.ts";
import { abortedEnding, type Ending, type RunState } from "./run-state.ts";

interface Stopped {
  /** Our keys of the calls that were made, by the provider's id. */
  keys?: ReadonlyMap<string, string>;
  skip?: string;
}

export type Happened =
  | { type: "acted"; outcome: Outcome; left: { exit: Exit; value: unknown } | undefined }
  | ({ type: "thinking"; reason: string; context?: unknown } & Stopped)
  | ({ type: "paused" } & Stopped)
  | ({ type: "aborted" } & Stopped)
  | ({ type: "failed"; error: unknown } & Stopped)
  | { type: "refused"; message: string }
  | { type: "cut"; reason: "length" | "content-filter" };

type Response = EntryOf<"model-response"> | undefined;

/** How the iteration is closed in the log, and perhaps how the run ends with it. */
interface Conclusion {
  status: IterationStatus;
  messages: readonly LoggedMessage[];
  ending?: Ending;
}

export async function settle(
  run: RunState,
  iteration: RunningIteration,
  response: Response,
  happened: Happened,
): Promise<Ending | undefined> {
  if (happened.type === "failed") {
    iteration.end({ type: "failed" });
    throw happened.error;
  }
  if (happened.type === "paused") {
    iteration.end({ type: "interrupted" });
    return { status: "interrupted", stopReason: "interrupted" };
  }
  const { status, messages, ending } = conclude(run, iteration, response, happened);
  close(run, iteration, status, messages);
  if (run.hooks.onIterationEnd) await afterIteration(run, iteration);
  return ending?.status === "success" && goesOn(run) ? undefined : ending;
}

type Concluded = Exclude<Happened, { type: "failed" | "paused" }>;

function conclude(run: RunState, iteration: RunningIteration, response: Response, happened: Concluded): Conclusion {
  switch (happened.type) {
    case "acted":
      return acted(run, iteration, happened.outcome, happened.left);
    case "thinking": {
      const { reason, context } = happened;
      const said = context === undefined ? [] : [userText(modelText(context))]; // a tool's context is its call's result
      return {
        status: { type: "thinking", reason },
        messages: [...unfinished(run, iteration, response, happened), ...said],
      };
    }
    case "refused": {
      const { message } = happened;
      const texts = new Map(run.mode.read(response!).map(({ id }) => [id, { message: `Not done: ${message}` }]));
      const messages = texts.size > 0 ? run.mode.stopped(response!, texts) : [userText(message)];
      return { status: { type: "refused", message }, messages };
    }
    case "aborted":
      return {
        status: { type: "aborted" },
        messages: unfinished(run, iteration, response, happened),
        ending: abortedEnding(run),
      };
    case "cut": {
      const ending: Ending = { status: "error", stopReason: "model", error: cut(happened.reason) };
      return { status: { type: "text" }, messages: unfinished(run, iteration, response, {}), ending };
    }
  }
}

function acted(
  run: RunState,
  iteration: RunningIteration,
  { messages, text }: Outcome,
  left: { exit: Exit; value: unknown } | undefined,
): Conclusion {
  if (left?.exit.name === ThinkExit.name) {
    return { status: { type: "thinking", reason: "the model wants to think again" }, messages };
  }
  if (left) {
    const ending: Ending = { status: "success", stopReason: "exit", exit: left.exit, output: left.value };
    return { status: { type: "exit", exit: left.exit.name }, messages, ending };
  }
  return text === undefined ? { status: { type: "continued" }, messages } : talked(run, iteration, text, messages);
}

/** Text without a call: an answer, a turn of a conversation, or a reminder that exits are to be used. */
function talked(
  run: RunState,
  iteration: RunningIteration,
  text: string,
  messages: readonly LoggedMessage[],
): Conclusion {
  const status: IterationStatus = { type: "text" };
  const exits = iteration.context?.exits ?? [];
  if (exits.length === 0) return { status, messages, ending: { status: "success", stopReason: "text", output: text } };
  if (exits.some(({ name }) => name === ListenExit.name)) {
    return { status, messages, ending: { status: "success", stopReason: "exit", exit: ListenExit, output: text } };
  }
  if (run.steering.waiting) return { status, messages }; // there is more to say than this text

  const names = exits.map(({ name }) => name).join(", ");
  if (run.reminded)
    return { status, messages, ending: { status: "error", stopReason: "text", error: exitMissing(names) } };
  run.reminded = true;
  const reminder = userText(`Your text was not read by anyone. Finish by calling one of: ${names}.`);
  return { status: { type: "reminded" }, messages: [...messages, reminder] };
}

function exitMissing(names: string): HaftError {
  const message = `The model answered with text twice, and not with one of the exits: ${names}`;
  return new HaftError("EXIT_MISSING", message, {
    hint: "Say in the instructions when to use which exit, or give no exits to take the text.",
  });
}

/** What was said meanwhile comes now; a follow-up only when the run would end. */
function goesOn(run: RunState): boolean {
  if (run.steered) return true;
  const next = run.steering.takeFollowUp();
  if (!next) return false;
  run.messages.push(next);
  return true;
}

/** Closes the iteration in the log, and appends to the conversation what the model reads next. */
function close(
  run: RunState,
  iteration: RunningIteration,
  status: IterationStatus,
  messages: readonly LoggedMessage[],
): void {
  run.log.record(iteration.id, { type: "iteration-end", status, messages: [...messages] });
  append(run.messages, messages, (callId) => iteration.results.get(callId));
  const { assigns } = iteration;
  if (assigns) run.assigns = { ...run.assigns, ...assigns };
  const said = run.steering.takeSteers();
  run.messages.push(...said);
  run.steered = said.length > 0;
  iteration.end(status);
}

/** Every call that the model asked for gets a result, or providers refuse the conversation. */
function unfinished(
  run: RunState,
  iteration: RunningIteration,
  response: Response,
  { keys = new Map(), skip }: Stopped,
): readonly LoggedMessage[] {
  if (!response) return [];
  const results = new Map<string, StoppedCall>();
  for (const { id } of run.mode.read(response)) {
    const callId = keys.get(id);
    const isOver = callId !== undefined && iteration.results.has(callId);
    results.set(id, isOver ? { callId } : { message: `Not done: ${skip ?? "the run stopped before"}` });
  }
  return run.mode.stopped(response, results);
}

function cut(reason: "length" | "content-filter"): HaftError {
  if (reason === "length") {
    return new HaftError("MODEL_OUTPUT_LIMIT", "The model's answer was cut off at its limit of output tokens", {
      hint: "Raise maxOutputTokens, or ask for less at once.",
    });
  }
  return new HaftError("MODEL_CONTENT_FILTER", "The provider's content filter stopped the answer");
}
