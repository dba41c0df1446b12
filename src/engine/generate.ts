/** One answer of a model: recalled, or asked for, again and elsewhere when that may help. */
import { HaftError } from "../base/errors.ts";
import type { EntryBody, EntryOf } from "../core/log.ts";
import type { Presentation } from "../core/mode.ts";
import type { RunningIteration } from "./iteration.ts";
import { callModel, type Listener } from "./model/call.ts";
import { callOptions } from "./model/call-options.ts";
import { judge, type ModelFailure } from "./model/failure.ts";
import { chainOf, type OpenModel, openModel } from "./model/open-model.ts";
import type { RunState } from "./run-state.ts";

type Response = EntryOf<"model-response">;

/** @throws HaftError with a `MODEL_…` code when every model failed, or the reason of an abort */
export async function generate(run: RunState, iteration: RunningIteration, request: Presentation): Promise<Response> {
  run.lastRequest = request;
  const past = run.journal.response(iteration.id);
  const response = past ?? (await ask(run, iteration, request));
  run.spend(response);
  run.answered(response);
  iteration.answered(response.content, response.usage, run.mode.read(response));
  return response;
}

async function ask(run: RunState, iteration: RunningIteration, request: Presentation): Promise<Response> {
  const { attempts = 3 } = run.options.modelLimits ?? {};
  const chain = await chainOf(run, iteration.index);
  for (let number = 0; ; number++) {
    const model = await openModel(run, chain[number]!);
    const isLast = number === chain.length - 1;
    for (let attempt = 1; ; attempt++) {
      const outcome = await tryOnce(run, iteration, request, model, attempt, attempt < attempts, isLast);
      if (outcome.type === "answered") return outcome.response;
      if (outcome.then === "next-model") break;
      if (outcome.then === "fail") throw outcome.error;
      await pause(run, outcome.waitMs);
    }
  }
}

type Outcome =
  | { type: "answered"; response: Response }
  | { type: "failed"; then: Next; error: HaftError; waitMs: number };
type Next = EntryOf<"model-error">["then"];

async function tryOnce(
  run: RunState,
  iteration: RunningIteration,
  request: Presentation,
  opened: OpenModel,
  attempt: number,
  mayRetry: boolean,
  isLast: boolean,
): Promise<Outcome> {
  const key = iteration.id;
  const { model, name, traits, prompt } = opened;
  run.log.record(key, { type: "model-start", model: name, attempt });
  const listener = run.watchers.any ? new Shown(run, key) : undefined;
  const startedAt = Date.now();
  try {
    run.abortSignal.throwIfAborted();
    const answer = await callModel({
      model,
      traits,
      options: await callOptions(run, iteration.index, request, opened),
      prompt: prompt.for(request.instructions, run.messages),
      controller: run.modelCalls,
      onAbort: (listener) => run.abort.on(() => listener(run.abortSignal.reason)),
      idleMs: run.options.modelLimits?.idleMs ?? 60_000,
      listener,
    });
    const body: EntryBody = { type: "model-response", model: name, durationMs: Date.now() - startedAt, ...answer };
    const response = run.log.record(key, body) as Response;
    return { type: "answered", response };
  } catch (thrown) {
    if (run.abortSignal.aborted) throw run.abortSignal.reason;
    if (HaftError.is(thrown)) throw thrown; // ours: the store, the options
    return failed(run, key, name, attempt, judge(thrown, name), mayRetry, isLast, listener);
  }
}

function failed(
  run: RunState,
  key: string,
  model: string,
  attempt: number,
  failure: ModelFailure,
  mayRetry: boolean,
  isLast: boolean,
  shown: Shown | undefined,
): Outcome {
  const { backoffMs = 500, maxWaitMs = 60_000 } = run.options.modelLimits ?? {};
  const backoff = backoffMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  const waitMs = Math.round(failure.retryAfterMs ?? backoff);
  const isTooLong = waitMs > maxWaitMs;
  // A text that was shown is made again by the same model; another one would tell it differently.
  const elsewhere = failure.isRetryable && !isLast && !shown?.any ? "next-model" : "fail";
  const then: Next = failure.isRetryable && mayRetry && !isTooLong ? "retry" : elsewhere;

  const { error } = run.log.record(key, {
    type: "model-error",
    model,
    attempt,
    error: failure.error.toJSON() as any,
    then,
  });
  if (shown?.any) run.log.emit({ type: "text-reset", key });
  if (then === "retry")
    run.log.emit({ type: "retry", key, what: "model", name: model, attempt: attempt + 1, waitMs, error });
  return {
    type: "failed",
    then,
    error: new HaftError(error.code, error.message, { hint: error.hint, data: error.data as any }),
    waitMs,
  };
}

/** Tells the watchers what grows. */
class Shown implements Listener {
  any = false;
  readonly #names = new Map<string, string>();
  constructor(
    private readonly run: RunState,
    private readonly key: string,
  ) {}

  text(text: string): void {
    this.any = true;
    this.run.log.emit({ type: "text-delta", key: this.key, text });
  }

  reasoning(text: string): void {
    this.run.log.emit({ type: "reasoning-delta", key: this.key, text });
  }

  toolInput(id: string, name: string, text: string): void {
    if (name) this.#names.set(id, name);
    this.run.log.emit({ type: "tool-input-delta", key: this.key, id, name: this.#names.get(id) ?? "", text });
  }
}

/** @throws the reason of an abort */
function pause(run: RunState, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const unlink = run.abort.on(() => {
      clearTimeout(timer);
      reject(run.abortSignal.reason);
    });
    const timer = setTimeout(() => {
      unlink();
      resolve();
    }, waitMs);
  });
}
