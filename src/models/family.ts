/** Whose provider package a model comes from, told by its `provider` string. */

import type { LanguageModel } from "../core/model.ts";

export type Family = "openai" | "anthropic" | "google" | "cerebras" | "groq" | "openrouter" | "bedrock" | "other";

/** Words of a provider string (`openai.responses`, `vertex.anthropic.messages`, `google.vertex.chat`), the telling ones first. */
const words: [string, Family][] = [
  ["anthropic", "anthropic"],
  ["openrouter", "openrouter"],
  ["groq", "groq"],
  ["cerebras", "cerebras"],
  ["google", "google"],
  ["azure", "openai"],
  ["openai", "openai"],
  ["amazon-bedrock", "bedrock"],
];

export function familyOf(model: LanguageModel): Family {
  const parts = model.provider.split(".");
  return words.find(([word]) => parts.includes(word))?.[1] ?? "other";
}
