/** The models of a run: opened when they are first needed, each with its own form of the conversation. */
import { HaftError } from "../../base/errors.ts";
import { type LanguageModel, type Model, type ModelRef, type ModelTraits, modelName } from "../../core/model.ts";
import type { RunState } from "../run-state.ts";
import { Prompt } from "./prompt.ts";

export interface OpenModel {
  /** As the options name it. */
  readonly ref: ModelRef;
  readonly model: LanguageModel;
  /** `provider:model-id` */
  readonly name: string;
  readonly traits: ModelTraits;
  readonly prompt: Prompt;
  /** The options of a call beside the prompt, for these tools, where nothing of them is dynamic. */
  fixed: { tools: unknown; options: Record<string, unknown> } | undefined;
  /** Given up, and left alone until then: milliseconds since 1970. */
  restsUntil: number | undefined;
}

/**
 * The fallback chain of this iteration. Models that rest come last: an iteration does not begin with a failure that is
 * known, and the conversation stays where it is cached.
 *
 * @throws HaftError MODEL_MISSING
 */
export function chainOf(run: RunState, index: number): readonly ModelRef[] | Promise<readonly ModelRef[]> {
  const { model } = run.options;
  if (typeof model !== "function") return chainFrom(run, model);
  return Promise.resolve(model(run.dynamic(index))).then((current) => chainFrom(run, current));
}

function chainFrom(run: RunState, given: Model | undefined): readonly ModelRef[] {
  const model = given ?? run.rooms.defaultModel();
  const chain = (Array.isArray(model) ? model : model === undefined ? [] : [model]) as readonly ModelRef[];
  if (chain.length === 1) return chain;
  if (chain.length > 1) return restingLast(run, chain);
  throw new HaftError("MODEL_MISSING", "No model was named for this run", {
    hint: 'Give execute({ model: "provider:name" }) or a provider object, or set HAFT_MODEL.',
  });
}

function restingLast(run: RunState, chain: readonly ModelRef[]): readonly ModelRef[] {
  const now = Date.now();
  const rests = (ref: ModelRef) => (opened(run, ref)?.restsUntil ?? 0) > now;
  return [...chain.filter((ref) => !rests(ref)), ...chain.filter(rests)];
}

/** A model that was given up rests for so long, or for as long as its provider asked. */
const REST_MS = 60_000;

/** A conversation only grows: what was too long for a model once is not tried there again. */
export function letRest(opened: OpenModel, error: HaftError, retryAfterMs = REST_MS): void {
  const restMs = error.code === "MODEL_CONTEXT_OVERFLOW" ? Number.POSITIVE_INFINITY : retryAfterMs;
  opened.restsUntil = Date.now() + restMs;
}

function opened({ models }: RunState, ref: ModelRef): OpenModel | undefined {
  return models.find((one) => one.ref === ref);
}

/** @throws HaftError of the room that makes models, or OPTIONS_INVALID */
export function openModel(run: RunState, ref: ModelRef): OpenModel | Promise<OpenModel> {
  return (
    opened(run, ref) ??
    (typeof ref === "string" ? run.rooms.model(ref).then((model) => open(run, ref, model)) : open(run, ref, ref))
  );
}

function open(run: RunState, ref: ModelRef, model: LanguageModel, known?: ModelTraits): OpenModel | Promise<OpenModel> {
  if (typeof model?.doGenerate !== "function" || typeof model.doStream !== "function") {
    throw new HaftError("OPTIONS_INVALID", "model is neither a provider object nor text", {
      hint: 'Give an AI SDK provider model (openai("gpt-5")) or its name ("openai:gpt-5").',
    });
  }
  const traits = known ?? run.rooms.traits(model);
  if (traits instanceof Promise) return traits.then((found) => open(run, ref, model, found));
  const prompt = new Prompt(model, traits, run.origins);
  const opened: OpenModel = {
    ref,
    model,
    name: modelName(model),
    traits,
    prompt,
    fixed: undefined,
    restsUntil: undefined,
  };
  run.models = [...run.models, opened];
  return opened;
}
