/** The options of one model call, without the prompt: the same object as long as nothing changes. */
import type { ExecuteOptions } from "../../core/execute.ts";
import type { ProviderOptions } from "../../core/message.ts";
import type { Presentation } from "../../core/mode.ts";
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

async function make(run: RunState, index: number, request: Presentation, opened: OpenModel): Promise<CallOptions> {
  const { options } = run;
  const ctx = run.dynamic(index);
  const temperature = await currentValue(options.temperature, ctx);
  const effort = await currentValue(options.reasoningEffort, ctx);
  const reasoning = effort === undefined ? undefined : await run.rooms.reasoning(opened.model, effort);
  const providerOptions = merge(opened.traits.providerOptions, reasoning?.providerOptions, options.providerOptions);
  const made: CallOptions = {
    ...(request.tools.length > 0 && { tools: request.tools, toolChoice: { type: "auto" } }),
    ...(temperature !== undefined && { temperature }),
    ...(options.maxOutputTokens !== undefined && { maxOutputTokens: options.maxOutputTokens }),
    ...(reasoning?.reasoning !== undefined && { reasoning: reasoning.reasoning }),
    ...(providerOptions && { providerOptions }),
  };
  if (!isDynamic(options)) opened.fixed = { tools: request.tools, options: made };
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
