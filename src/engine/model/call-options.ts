/** The options of one model call, without the prompt: the same object as long as nothing changes. */
import type { ExecuteOptions } from "../../core/execute.ts";
import type { ProviderOptions } from "../../core/message.ts";
import type { Presentation } from "../../core/mode.ts";
import type { ReasoningEffort } from "../../core/model.ts";
import { currentValue } from "../context.ts";
import type { RunState } from "../run-state.ts";
import type { OpenModel } from "./open-model.ts";

export type CallOptions = Record<string, unknown>;

export function callOptions(
  run: RunState,
  index: number,
  request: Presentation,
  opened: OpenModel,
): CallOptions | Promise<CallOptions> {
  const { fixed } = opened;
  return fixed?.tools === request.tools ? fixed.options : make(run, index, request, opened);
}

function make(
  run: RunState,
  index: number,
  { tools }: Presentation,
  opened: OpenModel,
): CallOptions | Promise<CallOptions> {
  if (isDynamic(run.options)) return dynamicOptions(run, index, tools, opened);
  const { temperature, reasoningEffort: effort } = run.options as {
    temperature?: number;
    reasoningEffort?: ReasoningEffort;
  };
  if (effort === undefined) return keep(opened, tools, optionsOf(run, tools, opened, temperature));
  const reasoning = run.rooms.reasoning(opened.model, effort);
  return reasoning.then((known) => keep(opened, tools, optionsOf(run, tools, opened, temperature, known)));
}

function keep(opened: OpenModel, tools: Presentation["tools"], options: CallOptions): CallOptions {
  opened.fixed = { tools, options };
  return options;
}

async function dynamicOptions(
  run: RunState,
  index: number,
  tools: Presentation["tools"],
  opened: OpenModel,
): Promise<CallOptions> {
  const ctx = run.dynamic(index);
  const temperature = await currentValue(run.options.temperature, ctx);
  const effort = await currentValue(run.options.reasoningEffort, ctx);
  const reasoning = effort === undefined ? undefined : await run.rooms.reasoning(opened.model, effort);
  return optionsOf(run, tools, opened, temperature, reasoning);
}

interface Reasoning {
  reasoning?: string;
  providerOptions?: ProviderOptions;
}

const toolChoice = Object.freeze({ type: "auto" });

function optionsOf(
  run: RunState,
  tools: Presentation["tools"],
  { traits }: OpenModel,
  temperature?: number,
  reasoning?: Reasoning,
): CallOptions {
  const { maxOutputTokens } = run.options;
  const made: CallOptions = {};
  if (tools.length > 0) {
    made.tools = tools;
    made.toolChoice = toolChoice;
  }
  if (temperature !== undefined) made.temperature = temperature;
  if (maxOutputTokens !== undefined) made.maxOutputTokens = maxOutputTokens;
  if (reasoning?.reasoning !== undefined) made.reasoning = reasoning.reasoning;
  const providerOptions = merge(traits.providerOptions, reasoning?.providerOptions, run.options.providerOptions);
  if (providerOptions) made.providerOptions = providerOptions;
  return made;
}

function isDynamic({ temperature, reasoningEffort }: ExecuteOptions): boolean {
  return typeof temperature === "function" || typeof reasoningEffort === "function";
}

/** The later ones are stronger, provider by provider. */
function merge(...all: (ProviderOptions | undefined)[]): ProviderOptions | undefined {
  let result: ProviderOptions | undefined;
  for (const options of all) {
    for (const provider in options) result = { ...result, [provider]: { ...result?.[provider], ...options[provider] } };
  }
  return result;
}
