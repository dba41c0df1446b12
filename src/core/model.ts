/** A model: an object of the AI SDK provider spec (V2, V3 or V4), or the string `"provider:model-name"` for one. */
import type { AssistantMessage } from "./message.ts";

/** The provider spec, as far as the loop speaks it. Any `LanguageModelV2 | V3 | V4` fits. */
export interface LanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: any): PromiseLike<any>;
  doStream(options: any): PromiseLike<any>;
}

export type ModelRef = LanguageModel | (string & {});

/** One model, or a fallback chain: the next one is tried when a call fails for a reason that is the provider's. */
export type Model = ModelRef | readonly ModelRef[];

export type ReasoningEffort = "none" | "low" | "medium" | "high" | "dynamic";

/** What a mode asks of a model, beside the conversation. */
export interface ModelTool {
  type: "function";
  name: string;
  description?: string;
  inputSchema: any;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  /** Part of inputTokens. */
  cacheReadTokens: number;
  /** Part of inputTokens. */
  cacheWriteTokens: number;
  /** Part of outputTokens. */
  reasoningTokens: number;
}

/** What a caller of the spec must know about a provider package, because the spec does not say it. */
export interface ModelTraits {
  /** Images in tool results reach the model as images. Otherwise they go into a user message after the results. */
  toolResultImages: boolean;
  /** A finish without the provider's own word is a stream that broke off. */
  finishHasRaw: boolean;
  /** What every call should carry, below what the user gives. */
  providerOptions: Record<string, Record<string, any>>;
}

export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter";

/** A call that the model asked for. */
export interface AskedCall {
  /** The provider's id. */
  id: string;
  name: string;
  input: unknown;
  /** Why the input could not be read as JSON. */
  invalid?: string;
  /** Its place among the calls of the iteration, from 1, where that is not the order in which they are invoked. */
  number?: number;
  /** Where a program made it, from 1. */
  line?: number;
}

/** One whole answer, as the log keeps it. */
export interface ModelResponse {
  /** `provider:model-id` of the one that answered. */
  model: string;
  content: AssistantMessage["content"];
  finishReason: FinishReason;
  usage: Usage;
}

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

export function modelName(model: LanguageModel): string {
  return `${model.provider}:${model.modelId}`;
}
