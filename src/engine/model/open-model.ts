/** The models of a run: opened when they are first needed, each with its own form of the conversation. */
import { HaftError } from "../../base/errors.ts";
import { type LanguageModel, type ModelRef, type ModelTraits, modelName } from "../../core/model.ts";
import { currentValue } from "../context.ts";
import type { RunState } from "../run-state.ts";
import { Prompt } from "./prompt.ts";

export interface OpenModel {
  readonly model: LanguageModel;
  /** `provider:model-id` */
  readonly name: string;
  readonly traits: ModelTraits;
  readonly prompt: Prompt;
}

/** The fallback chain of this iteration. */
export async function chainOf(run: RunState, index: number): Promise<readonly ModelRef[]> {
  const model = (await currentValue(run.options.model, run.dynamic(index))) ?? run.rooms.defaultModel();
  const chain = (Array.isArray(model) ? model : model === undefined ? [] : [model]) as readonly ModelRef[];
  if (chain.length > 0) return chain;
  throw new HaftError("MODEL_MISSING", "No model was named for this run", {
    hint: 'Give execute({ model: "provider:name" }) or a provider object, or set HAFT_MODEL.',
  });
}

const opened = new WeakMap<RunState, Map<ModelRef, OpenModel>>();

export function openModel(run: RunState, ref: ModelRef): OpenModel | Promise<OpenModel> {
  return opened.get(run)?.get(ref) ?? open(run, ref);
}

async function open(run: RunState, ref: ModelRef): Promise<OpenModel> {
  const model = typeof ref === "string" ? await run.rooms.model(ref) : ref;
  if (typeof model?.doGenerate !== "function" || typeof model.doStream !== "function") {
    throw new HaftError("OPTIONS_INVALID", "model is neither a provider object nor text", {
      hint: 'Give an AI SDK provider model (openai("gpt-5")) or its name ("openai:gpt-5").',
    });
  }
  const traits = await run.rooms.traits(model);
  const made: OpenModel = { model, name: modelName(model), traits, prompt: new Prompt(model, traits, run.origins) };
  const known = opened.get(run) ?? new Map<ModelRef, OpenModel>();
  opened.set(run, known.set(ref, made));
  return made;
}
