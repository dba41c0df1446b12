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

export async function settle(
  run: RunState,
  iteration: RunningIteration,
  response: Response,
  happened: Happened,
): Promise<Ending | undefined> {
  switch (happened.type) {
    case "acted":
      return acted(run, iteration, happened.outcome, happened.left);
    case "thinking": {
      const { reason, context } = happened;
      const said = context === undefined ? [] : [userText(modelText(context))]; // a tool's context is its call's result
      await end(run, iteration, { type: "thinking", reason }, [
        ...unfinished(run, iteration, response, happened),
        ...said,
      ]);
      return undefined;
    }
    case "refused": {
      const { message } = happened;
      const texts = new Map(run.mode.read(response!).map(({ id }) => [id, { message: `Not done: ${message}` }]));
      const messages = texts.size > 0 ? run.mode.stopped(response!, texts) : [userText(message)];
      await end(run, iteration, { type: "refused", message }, messages);
      return undefined;
    }
    case "paused":
      iteration.end({ type: "interrupted" });
      return { status: "interrupted", stopReason: "interrupted" };
    case "aborted":
      await end(run, iteration, { type: "aborted" }, unfinished(run, iteration, response, happened));
      return abortedEnding(run);
    case "cut":
      await end(run, iteration, { type: "text" }, unfinished(run, iteration, response, {}));
      return { status: "error", stopReason: "model", error: cut(happened.reason) };
    case "failed":
      iteration.end({ type: "failed" });
      throw happened.error;
  }
}

async function acted(
  run: RunState,
  iteration: RunningIteration,
  outcome: Outcome,
  left: { exit: Exit; value: unknown } | undefined,
): Promise<Ending | undefined> {
  if (left && left.exit.name !== ThinkExit.name) return leave(run, iteration, outcome.messages, left);
  if (left) {
    await end(run, iteration, { type: "thinking", reason: "the model wants to think again" }, outcome.messages);
    return undefined;
  }
  if (outcome.text === undefined) {
    await end(run, iteration, { type: "continued" }, outcome.messages);
    return undefined;
  }
  return talked(run, iteration, outcome.text, outcome.messages);
}

async function leave(
  run: RunState,
  iteration: RunningIteration,
  messages: readonly LoggedMessage[],
  left: { exit: Exit; value: unknown },
): Promise<Ending | undefined> {
  await end(run, iteration, { type: "exit", exit: left.exit.name }, messages);
  if (goesOn(run)) return undefined;
  return { status: "success", stopReason: "exit", exit: left.exit, output: left.value };
}

/** Text without a call: an answer, a turn of a conversation, or a reminder that exits are to be used. */
async function talked(
  run: RunState,
  iteration: RunningIteration,
  text: string,
  messages: readonly LoggedMessage[],
): Promise<Ending | undefined> {
  const exits = iteration.context?.exits ?? [];
  const listens = exits.some(({ name }) => name === ListenExit.name);
  if (exits.length === 0 || listens || run.steering.waiting) {
    await end(run, iteration, { type: "text" }, messages);
    if (goesOn(run)) return undefined;
    if (listens) return { status: "success", stopReason: "exit", exit: ListenExit, output: text };
    return { status: "success", stopReason: "text", output: text };
  }
  const names = exits.map(({ name }) => name).join(", ");
  if (run.reminded) {
    await end(run, iteration, { type: "text" }, messages);
    const error = new HaftError(
      "EXIT_MISSING",
      `The model answered with text twice, and not with one of the exits: ${names}`,
      {
        hint: "Say in the instructions when to use which exit, or give no exits to take the text.",
      },
    );
    return { status: "error", stopReason: "text", error };
  }
  run.reminded = true;
  const reminder = userText(`Your text was not read by anyone. Finish by calling one of: ${names}.`);
  await end(run, iteration, { type: "reminded" }, [...messages, reminder]);
  return undefined;
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
async function end(
  run: RunState,
  iteration: RunningIteration,
  status: IterationStatus,
  messages: readonly LoggedMessage[],
): Promise<void> {
  run.log.record(iteration.id, { type: "iteration-end", status, messages: [...messages] });
  append(run.messages, messages, (callId) => iteration.results.get(callId));
  const { assigns } = iteration;
  if (assigns) run.assigns = { ...run.assigns, ...assigns };
  const said = run.steering.takeSteers();
  run.messages.push(...said);
  run.steered = said.length > 0;
  iteration.end(status);
  if (run.hooks.onIterationEnd) await afterIteration(run, iteration);
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
