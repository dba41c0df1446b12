/** What a caller of the provider spec must know about a package, because the spec does not say it. */

import type { LanguageModel } from "../core/model.ts";
import { type Family, familyOf } from "./family.ts";

export interface ModelTraits {
  /**
   * An image in the result of a tool reaches the model as an image. Where it is false, the package would write it
   * into the text as base64: put it into a message of the user after the results instead.
   */
  toolResultImages: boolean;
  /**
   * A finish always has the provider's own word in `finishReason.raw`. One without it is then a stream that broke off,
   * even when its `unified` looks fine (OpenRouter's says `tool-calls` after half a call).
   */
  finishHasRaw: boolean;
  /** What every call should carry, below what the user gives. */
  providerOptions: Record<string, Record<string, any>>;
}

export function traitsOf(model: LanguageModel): ModelTraits {
  const family = familyOf(model);
  return {
    toolResultImages: takesImages(family, model.provider),
    finishHasRaw: ["anthropic", "google", "cerebras", "groq", "openrouter"].includes(family) || isCompatible(model),
    providerOptions: everyCall(family, model),
  };
}

function takesImages(family: Family, provider: string): boolean {
  if (family === "openai") return provider.endsWith(".responses");
  return ["anthropic", "google", "openrouter", "bedrock"].includes(family);
}

/** The two that this house makes from the OpenAI-compatible package. */
function isCompatible({ provider }: LanguageModel): boolean {
  return provider === "ollama.chat" || provider === "openai-compatible.chat";
}

function everyCall(family: Family, { provider, modelId }: LanguageModel): ModelTraits["providerOptions"] {
  // Otherwise OpenAI keeps the conversation, and is sent ids of what it keeps instead of the reasoning itself: such a
  // log cannot be continued with another account, or once OpenAI has thrown it away.
  if (family === "openai" && provider.endsWith(".responses")) return { openai: { store: false } };
  // Otherwise these write their reasoning into the text.
  if (family === "groq" && /qwen|deepseek-r1/i.test(modelId)) return { groq: { reasoningFormat: "parsed" } };
  return {};
}
