/** One answer of a model: recalled, or asked for, again and elsewhere when that may help. */

import { HaftError } from "../base/errors.ts";
import { LONGEST_TIMEOUT_MS } from "../base/watchdog.ts";
import type { AbortListener } from "../core/context.ts";
import type { EntryBody, EntryOf } from "../core/log.ts";
import type { Message } from "../core/message.ts";
import type { Presentation } from "../core/mode.ts";
import type { ModelRef } from "../core/model.ts";
import type { RunningIteration } from "./iteration.ts";
import { logged, unlogged } from "./logged-error.ts";
import type { Answer } from "./model/answer.ts";
import { callModel } from "./model/call.ts";
import { type CallOptions, callOptions } from "./model/call-options.ts";
import { chainOf, letRest, type OpenModel, openModel } from "./model/open-model.ts";
import { providerOf } from "./model/prompt.ts";
import { nobody, Shown } from "./model/shown.ts";
import type { RunState } from "./run-state.ts";

type Awaitable<T> = T | Promise<T>;
type Response = EntryOf<"model-response">;

/** @throws HaftError with a `MODEL_…` code when every model failed, or the reason of an abort */
export function generate(run: RunState, iteration: RunningIteration, request: Presentation): Promise<Response> {
  run.lastRequest = request;
  const past = run.journal.response(iteration.id);
  if (past) return Promise.resolve(heard(run, iteration, past));
  const chain = chainOf(run, iteration.index);
  if (chain instanceof Promise || run.isLong) return askLater(run, iteration, request, chain);
  return ask(run, iteration, request, chain, 0); // an await of what is there already is not free
}

async function askLater(
  run: RunState,
  iteration: RunningIteration,
  request: Presentation,
  choosing: Awaitable<readonly ModelRef[]>,
): Promise<Response> {
  const chain = await choosing;
  if (!run.isLong) return ask(run, iteration, request, chain, 0);
  const { compactForWindow } = await import("./compaction/in-run.ts");
  const shorter = await compactForWindow(run, iteration, request, chain[0]!);
  return ask(run, iteration, shorter, chain, 0);
}

function heard(run: RunState, iteration: RunningIteration, response: Response): Response {
  const message: Message = { role: "assistant", content: response.content };
  const { inputTokens, outputTokens } = response.usage;
  run.messages.push(message);
  run.measured = { tokens: inputTokens + outputTokens || run.size, messages: run.messages.length };
  run.origins.set(message, providerOf(response.model.split(":")[0]!));
  run.spend(response);
  iteration.answered(response.content, response.usage, run.mode.read(response));
  iteration.code = run.mode.code?.(response);
  return response;
}

/** One model of the chain after the other, each several times where that may help. */
function ask(
  run: RunState,
  iteration: RunningIteration,
  request: Presentation,
  chain: readonly ModelRef[],
  position: number,
): Promise<Response> {
  const opened = openModel(run, chain[position]!);
  const options = opened instanceof Promise ? undefined : callOptions(run, iteration.index, request, opened);
  if (opened instanceof Promise || options instanceof Promise) return prepare(opened, options);
  return attempt({ run, iteration, request, chain, position, opened, options: options!, streams: false }, 1);

  async function prepare(opening: Awaitable<OpenModel>, making?: Awaitable<CallOptions>): Promise<Response> {
    const opened = await opening;
    const options = await (making ?? callOptions(run, iteration.index, request, opened));
    return attempt({ run, iteration, request, chain, position, opened, options, streams: false }, 1);
  }
}

interface Call {
  run: RunState;
  iteration: RunningIteration;
  request: Presentation;
  chain: readonly ModelRef[];
  /** Of the model in the chain. */
  position: number;
  opened: OpenModel;
  options: CallOptions;
  /** Streamed even when nobody watches. */
  streams: boolean;
  /** The conversation was too long for it, and has been made shorter once. */
  isCompacted?: boolean;
}

function attempt(call: Call, number: number): Promise<Response> {
  call.run.budget?.affords(call.opened.name);
  const shown = call.run.watchers.any ? new Shown(call.run.log, call.iteration.id) : undefined;
  const startedAt = Date.now();
  return begin(call, number, shown).then(
    (answer) => heard(call.run, call.iteration, noted(call, answer, startedAt)),
    (thrown) => again(call, number, thrown, shown),
  );
}

async function again(call: Call, number: number, thrown: unknown, shown: Shown | undefined): Promise<Response> {
  const { run, iteration, request, chain, position } = call;
  const { judge } = await import("./model/failure.ts"); // most runs have none
  const failure = failed(call, number, thrown, shown, judge);
  const over = run.budget?.over();
  if (over) throw over;
  if (failure.then === "next-model") return ask(run, iteration, request, chain, position + 1);
  if (failure.then === "retry") {
    await pause(run, failure.waitMs);
    return attempt(call, number + 1);
  }
  const { compactForOverflow } = await import("./compaction/in-run.ts");
  const shorter = await compactForOverflow(run, iteration, request, call.opened);
  if (!shorter) throw failure.error;
  const options = await callOptions(run, iteration.index, shorter, call.opened);
  return attempt({ ...call, request: shorter, options, isCompacted: true }, number + 1);
}

/** The start is in the log before the model is called: a writer that was overtaken calls none. */
function begin(call: Call, number: number, shown?: Shown): Promise<Answer> {
  const { run, iteration, opened } = call;
  run.log.record(iteration.id, { type: "model-start", model: opened.name, attempt: number });
  const written = run.log.durable();
  return written ? written.then(() => askModel(call, shown)) : askModel(call, shown);
}

function askModel({ run, request, opened, options, streams }: Call, shown?: Shown): Promise<Answer> {
  const { model, traits, prompt } = opened;
  if (run.abort.aborted) return Promise.reject(run.abort.reason);
  return callModel({
    model,
    traits,
    options,
    prompt: prompt.for(request.instructions, run.messages),
    controller: run.modelCalls,
    abort: run.abort,
    idleMs: run.options.modelLimits?.idleMs ?? 60_000,
    listener: shown ?? (streams ? nobody : undefined),
  });
}

function noted({ run, iteration, opened }: Call, answer: Answer, startedAt: number): Response {
  const { content, finishReason, usage } = answer;
  const durationMs = Date.now() - startedAt;
  run.budget?.spends(opened.name, usage);
  const body: EntryBody = { type: "model-response", model: opened.name, durationMs, content, finishReason, usage };
  return run.log.record(iteration.id, body) as Response;
}

type Judge = typeof import("./model/failure.ts").judge;
type Next = { then: "retry"; waitMs: number } | { then: "next-model" } | { then: "compact"; error: HaftError };

/** @throws what ends the run: the reason of an abort, an error of ours, or that of the last model */
function failed(call: Call, attempt: number, thrown: unknown, shown: Shown | undefined, judge: Judge): Next {
  const { run, opened } = call;
  const key = call.iteration.id;
  const isLast = call.position === call.chain.length - 1;
  if (run.abort.aborted) throw run.abort.reason;
  if (HaftError.is(thrown)) throw thrown; // ours: no provider is to blame
  const failure = judge(thrown, opened.name);
  const { attempts = 3, backoffMs = 500, maxWaitMs = 60_000 } = run.options.modelLimits ?? {};
  const { retryAfterMs } = failure;
  const backoff = Math.min(backoffMs * 2 ** (attempt - 1), maxWaitMs) * (0.75 + Math.random() / 2);
  const waitMs = Math.round(retryAfterMs ?? backoff);
  const isTooLong = retryAfterMs !== undefined && retryAfterMs > maxWaitMs;

  const canRetry = failure.mayHelpAgain && attempt < attempts && !isTooLong;
  // Text that was shown is told again by the same model; another one would tell it differently.
  const canMoveOn = failure.mayHelpElsewhere && !isLast && !shown?.anyText;
  const canCompact = failure.error.code === "MODEL_CONTEXT_OVERFLOW" && mayCompact(call);
  const then = canRetry ? "retry" : canMoveOn ? "next-model" : canCompact ? "compact" : "fail";

  const { name } = opened;
  const told = isTooLong ? withWait(failure.error, retryAfterMs, maxWaitMs) : failure.error;
  const { usage } = failure;
  if (usage) run.budget?.spends(name, usage);
  const more = { error: logged(told), then, ...(usage && { usage }) } as const;
  const { error } = run.log.record(key, { type: "model-error", model: name, attempt, ...more });
  if (shown?.any) run.log.emit({ type: "text-reset", key });
  call.streams ||= failure.mayHelpStreamed;
  if (then === "fail") throw unlogged(error);
  if (then === "compact") return { then, error: unlogged(error) };
  if (then === "next-model") {
    letRest(opened, failure.error, retryAfterMs);
    return { then };
  }
  run.log.emit({ type: "retry", key, what: "model", name, attempt: attempt + 1, waitMs, error });
  return { then, waitMs };
}

/** Once for a call, and where there is something that could be shorter. */
function mayCompact({ run, isCompacted }: Call): boolean {
  return !isCompacted && run.options.compaction !== false && run.messages.length > 1;
}

function withWait({ code, message, data }: HaftError, retryAfterMs: number, maxWaitMs: number): HaftError {
  const seconds = Math.ceil(retryAfterMs / 1000);
  return new HaftError(code, `${message} (it asks to wait for ${seconds} s)`, {
    hint: `modelLimits.maxWaitMs allows ${maxWaitMs} ms: raise it, wait, or name a second model as a fallback.`,
    data: { ...data, retryAfterMs },
  });
}

/** @throws the reason of an abort */
function pause(run: RunState, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (run.abort.aborted) return reject(run.abort.reason);
    const listener: AbortListener = {
      handleEvent() {
        clearTimeout(timer);
        reject(run.abort.reason);
      },
    };
    const done = () => {
      run.abort.remove(listener);
      resolve();
    };
    const timer = setTimeout(done, Math.min(waitMs, LONGEST_TIMEOUT_MS));
    run.abort.add(listener);
  });
}
