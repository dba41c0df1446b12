/** One answer of a model: recalled, or asked for, again and elsewhere when that may help. */
import { HaftError } from "../base/errors.ts";
import type { EntryBody, EntryOf } from "../core/log.ts";
import type { Presentation } from "../core/mode.ts";
import { type LanguageModel, type Model, type ModelRef, modelName } from "../core/model.ts";
import { valueOf } from "./context.ts";
import type { RunningIteration } from "./iteration.ts";
import { callModel, type Listener } from "./model/call.ts";
import { judge, type ModelFailure } from "./model/failure.ts";
import { Prompt } from "./model/prompt.ts";
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
    const model = await resolve(run, chain[number]!);
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
  model: LanguageModel,
  attempt: number,
  mayRetry: boolean,
  isLast: boolean,
): Promise<Outcome> {
  const key = iteration.id;
  const name = modelName(model);
  run.log.record(key, { type: "model-start", model: name, attempt });
  const listener = run.watchers.any ? new Shown(run, key) : undefined;
  const startedAt = Date.now();
  try {
    run.abortSignal.throwIfAborted();
    const answer = await callModel({
      model,
      traits: run.traits.get(model)!,
      options: await callOptions(run, iteration.index, request, model),
      controller: run.modelCalls,
      onAbort: (listener) => run.abort.on(() => listener(run.abortSignal.reason)),
      idleMs: run.options.modelLimits?.idleMs ?? 60_000,
      listener,
    });
    const body: EntryBody = { type: "model-response", model: name, durationMs: Date.now() - startedAt, ...answer };
    const response = run.log.record(key, body) as Response;
    await run.log.durable();
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

async function chainOf(run: RunState, index: number): Promise<readonly ModelRef[]> {
  const model = (await valueOf(run.options.model, run.dynamic(index))) ?? run.rooms.defaultModel();
  const chain = (Array.isArray(model) ? model : model === undefined ? [] : [model]) as readonly ModelRef[];
  if (chain.length > 0) return chain;
  throw new HaftError("MODEL_MISSING", "No model was named for this run", {
    hint: 'Give execute({ model: "provider:name" }) or a provider object, or set HAFT_MODEL.',
  });
}

const resolved = new WeakMap<RunState, Map<string, LanguageModel>>();

async function resolve(run: RunState, ref: ModelRef): Promise<LanguageModel> {
  const model = typeof ref === "string" ? await named(run, ref) : ref;
  if (typeof model?.doGenerate !== "function" || typeof model.doStream !== "function") {
    throw new HaftError("OPTIONS_INVALID", "model is neither a provider object nor text", {
      hint: 'Give an AI SDK provider model (openai("gpt-5")) or its name ("openai:gpt-5").',
    });
  }
  if (!run.traits.has(model)) run.traits.set(model, await run.rooms.traits(model));
  return model;
}

async function named(run: RunState, id: string): Promise<LanguageModel> {
  const known = resolved.get(run) ?? new Map<string, LanguageModel>();
  resolved.set(run, known);
  const model = known.get(id) ?? (await run.rooms.model(id));
  known.set(id, model);
  return model;
}

async function callOptions(
  run: RunState,
  index: number,
  request: Presentation,
  model: LanguageModel,
): Promise<Record<string, unknown>> {
  const { options } = run;
  const ctx = run.dynamic(index);
  const traits = run.traits.get(model)!;
  let prompt = run.prompts.get(model);
  if (!prompt) {
    prompt = new Prompt(model, traits, run.origins);
    run.prompts.set(model, prompt);
  }
  const temperature = await valueOf(options.temperature, ctx);
  const effort = await valueOf(options.reasoningEffort, ctx);
  const reasoning = effort === undefined ? undefined : await run.rooms.reasoning(model, effort);
  const providerOptions = merge(traits.providerOptions, reasoning?.providerOptions, options.providerOptions);
  return {
    prompt: prompt.for(request.instructions, run.messages),
    ...(request.tools.length > 0 && { tools: request.tools, toolChoice: { type: "auto" } }),
    ...(temperature !== undefined && { temperature }),
    ...(options.maxOutputTokens !== undefined && { maxOutputTokens: options.maxOutputTokens }),
    ...(reasoning?.reasoning !== undefined && { reasoning: reasoning.reasoning }),
    ...(providerOptions && { providerOptions }),
  };
}

function merge(
  ...all: (Record<string, Record<string, any>> | undefined)[]
): Record<string, Record<string, any>> | undefined {
  let result: Record<string, Record<string, any>> | undefined;
  for (const options of all) {
    for (const [provider, values] of Object.entries(options ?? {})) {
      result = { ...result, [provider]: { ...result?.[provider], ...values } };
    }
  }
  return result;
}

/** @throws the reason of an abort */
function pause(run: RunState, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(run.abortSignal.reason);
    };
    const timer = setTimeout(() => {
      run.abortSignal.removeEventListener("abort", stop);
      resolve();
    }, waitMs);
    run.abortSignal.addEventListener("abort", stop, { once: true });
  });
}
