/** Turns what happened in an iteration into the run's next step: go on, leave, answer or wait. */
import { HaftError, messageOf } from "../base/errors.ts";
import { type Exit, ListenExit, ThinkExit } from "../core/exit.ts";
import type { EntryOf, IterationStatus, LoggedMessage } from "../core/log.ts";
import { userText } from "../core/message.ts";
import type { Outcome, StoppedCall } from "../core/mode.ts";
import { modelText } from "../core/tool-result.ts";
import type { Budget } from "./budget/index.ts";
import { abortedEnding, type Ending, type FinalEnding, failedEnding, loggedEnding } from "./ending.ts";
import { append } from "./history.ts";
import { afterIteration } from "./hook-calls.ts";
import type { RunningIteration } from "./iteration.ts";
import type { RunState } from "./run-state.ts";

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
  /** With an error: the run ends by it. */
  | { type: "refused"; message: string; error?: HaftError }
  | { type: "cut"; reason: "length" | "content-filter" };

type Response = EntryOf<"model-response"> | undefined;

/** How the iteration is closed in the log, and perhaps how the run ends with it. */
interface Conclusion {
  status: IterationStatus;
  messages: readonly LoggedMessage[];
  ending?: FinalEnding;
  told?: EntryOf<"iteration-end">["told"];
}

export function settle(
  run: RunState,
  iteration: RunningIteration,
  response: Response,
  happened: Happened,
): Ending | undefined | Promise<Ending | undefined> {
  if (happened.type === "failed" || happened.type === "paused") return broken(run, iteration, response, happened);
  const concluded = conclude(run, iteration, response, happened);
  const conclusion = run.budget ? withinBudget(run.budget, concluded) : concluded;
  const wasSteered = close(run, iteration, conclusion);
  const next = () => {
    const { ending } = conclusion;
    return ending?.status === "success" && goesOn(run, wasSteered) ? undefined : ending;
  };
  return run.hooks.onIterationEnd ? afterIteration(run, iteration).then(next) : next();
}

/** The iteration is not closed: what comes next begins with it. */
function broken(
  run: RunState,
  iteration: RunningIteration,
  response: Response,
  happened: Extract<Happened, { type: "failed" | "paused" }>,
): Ending {
  if (happened.type === "paused") {
    iteration.end({ type: "interrupted" });
    return { status: "interrupted", stopReason: "interrupted" };
  }
  append(run.messages, run.log.redacted(unfinished(run, iteration, response, happened)), iteration);
  if (iteration.hasMore) run.offerReading();
  iteration.end({ type: "failed" });
  return failedEnding(happened.error);
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
      const { message, error } = happened;
      const texts = new Map(run.mode.read(response!).map(({ id }) => [id, { message: `Not done: ${message}` }]));
      const messages = texts.size > 0 ? run.mode.stopped(response!, texts) : [userText(message)];
      return { status: { type: "refused", message }, messages, ending: error && failedEnding(error) };
    }
    case "aborted":
      return {
        status: { type: "aborted" },
        messages: unfinished(run, iteration, response, happened),
        ending: abortedEnding(run.abort),
      };
    case "cut": {
      const ending: FinalEnding = { status: "error", stopReason: "model", error: cut(happened.reason) };
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
  if (left) return leaving(messages, left);
  return text === undefined ? { status: { type: "continued" }, messages } : talked(run, iteration, text, messages);
}

function leaving(messages: readonly LoggedMessage[], { exit, value }: { exit: Exit; value: unknown }): Conclusion {
  const ending: FinalEnding = { status: "success", stopReason: "exit", exit, output: value };
  try {
    loggedEnding(ending);
    return { status: { type: "exit", exit: exit.name }, messages, ending };
  } catch (error) {
    const status: IterationStatus = { type: "exit-rejected", exit: exit.name, message: messageOf(error) };
    return { status, messages, ending: failedEnding(error) };
  }
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

/** A run that would go on ends where its budget does, or is told once how much is left. */
function withinBudget(budget: Budget, conclusion: Conclusion): Conclusion {
  if (conclusion.ending) return conclusion;
  const over = budget.refused ?? budget.over();
  if (over) return { ...conclusion, ending: failedEnding(over) };
  const notice = budget.notice();
  if (!notice) return conclusion;
  return { ...conclusion, messages: [...conclusion.messages, notice.message], told: notice.told };
}

/** Closes the iteration in the log, and appends to the conversation what the model reads next. Did somebody say something? */
function close(run: RunState, iteration: RunningIteration, conclusion: Conclusion): boolean {
  const { status, messages, ending, told } = conclusion;
  const more = { ...(ending && { ending: loggedEnding(ending) }), ...(told && { told }) };
  const end = run.log.record(iteration.id, { type: "iteration-end", status, messages: [...messages], ...more });
  append(run.messages, end.messages, iteration);
  if (iteration.hasMore) run.offerReading();
  const { assigns } = iteration;
  if (assigns) run.assigns = { ...run.assigns, ...assigns };
  const wasSteered = run.steering.waiting;
  if (wasSteered) run.messages.push(...run.steering.takeAll());
  iteration.end(end.status);
  return wasSteered;
}

/** What was said meanwhile comes now; a follow-up only when the run would end. */
function goesOn({ messages, steering }: RunState, wasSteered: boolean): boolean {
  if (wasSteered || steering.waiting) return true;
  const next = steering.takeFollowUp();
  if (next) messages.push(next);
  else steering.end();
  return next !== undefined;
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
  for (const { id, name } of run.mode.read(response)) {
    const callId = keys.get(id);
    const isOver = callId !== undefined && iteration.results?.has(callId);
    const isOpen = callId !== undefined && (iteration.begun?.has(callId) || run.journal.call(callId)?.inDoubt);
    const message = isOpen
      ? `"${name}" had started when the run stopped; whether it did its work is not known`
      : `Not done: ${skip ?? "the run stopped before"}`;
    results.set(id, isOver ? { callId } : { message });
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
