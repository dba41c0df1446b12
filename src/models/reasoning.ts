/** Says "think this hard" to each provider package in its own words. Pure: reads the model's names, asks nobody. */

import type { LanguageModel, ReasoningEffort } from "../core/model.ts";
import { type Family, familyOf } from "./family.ts";

/** To be merged into the options of `doGenerate` and `doStream`. */
export interface ReasoningOptions {
  /** For models of the spec V4, which have a word for it. */
  reasoning?: "none" | "low" | "medium" | "high";
  providerOptions?: Record<string, Record<string, any>>;
}

/**
 * `none` is as little as the model can do, which for many is not nothing. `dynamic` leaves it to the model.
 * Empty where the model cannot reason, or where nothing is known about it.
 */
export function reasoningOptions(model: LanguageModel, effort: ReasoningEffort): ReasoningOptions {
  if (model.specificationVersion === "v4") return effort === "dynamic" ? {} : { reasoning: effort };
  const providerOptions = mappings[familyOf(model)](model.modelId.toLowerCase(), effort);
  return providerOptions ? { providerOptions } : {};
}

type Mapping = (modelId: string, effort: ReasoningEffort) => ReasoningOptions["providerOptions"] | undefined;

const mappings: Record<Family, Mapping> = { openai, anthropic, google, cerebras, groq, openrouter, bedrock, other };

function openai(modelId: string, effort: ReasoningEffort) {
  const gpt = /^gpt-(\d+)(?:\.(\d+))?(.*)$/.exec(modelId);
  const version = gpt ? Number(gpt[1]) + Number(gpt[2] ?? 0) / 100 : 0;
  const variant = gpt?.[3] ?? "";
  const reasons = /^o\d/.test(modelId) || (version >= 5 && !variant.startsWith("-chat"));
  if (!reasons || effort === "dynamic") return undefined;
  if (effort !== "none") return { openai: { reasoningEffort: effort } };
  const plain = gpt && !/codex|pro/.test(variant);
  const least = !plain ? "low" : version > 5 ? "none" : "minimal";
  return { openai: { reasoningEffort: least } };
}

/** From Claude 4.6 on, thinking is adaptive and has an effort; before, it has a budget of tokens; before 3.7, it is not there. */
function anthropic(modelId: string, effort: ReasoningEffort) {
  const [, major = "99", minor = "0"] = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(modelId) ?? [];
  const version = Number(major) + Number(minor) / 100;
  if (version < 3.07) return undefined;
  if (effort === "none") return { anthropic: { thinking: { type: "disabled" } } };
  if (version >= 4.06) {
    // The newer ones keep their thoughts to themselves unless they are asked for them.
    const thinking = { type: "adaptive", display: "summarized" };
    return { anthropic: effort === "dynamic" ? { thinking } : { thinking, effort } };
  }
  if (effort === "dynamic") return undefined;
  const budgetTokens = { low: 2048, medium: 8192, high: 16_384 }[effort];
  return { anthropic: { thinking: { type: "enabled", budgetTokens } } };
}

/** Gemini 2.5 takes a budget of tokens, Gemini 3 and later a level. */
function google(modelId: string, effort: ReasoningEffort) {
  const [, version, variant = ""] = /gemini-(\d+(?:\.\d+)?)(-[a-z]+)?/.exec(modelId) ?? [];
  if (!version || Number(version) < 2.5) return undefined;
  const includeThoughts = effort !== "none";
  if (version === "2.5") {
    const least = variant === "-pro" ? 128 : 0;
    const thinkingBudget = { none: least, low: 1024, medium: 8192, high: 24_576, dynamic: -1 }[effort];
    return { google: { thinkingConfig: { thinkingBudget, includeThoughts } } };
  }
  if (effort === "dynamic") return { google: { thinkingConfig: { includeThoughts } } };
  // "low" is the lowest level that every one of them takes; the first Gemini 3 Pro has no "medium".
  const noMedium = version === "3" && variant === "-pro";
  const thinkingLevel = effort === "none" ? "low" : effort === "medium" && noMedium ? "high" : effort;
  return { google: { thinkingConfig: { thinkingLevel, includeThoughts } } };
}

function cerebras(modelId: string, effort: ReasoningEffort) {
  if (modelId.includes("glm")) return effort === "none" ? { cerebras: { reasoningEffort: "none" } } : undefined;
  if (!modelId.includes("gpt-oss") || effort === "dynamic") return undefined;
  return { cerebras: { reasoningEffort: effort === "none" ? "low" : effort } };
}

function groq(modelId: string, effort: ReasoningEffort) {
  if (effort === "dynamic") return undefined;
  if (modelId.includes("qwen")) return { groq: { reasoningEffort: effort === "none" ? "none" : "default" } };
  if (!modelId.includes("gpt-oss")) return undefined;
  return { groq: { reasoningEffort: effort === "none" ? "low" : effort } };
}

function openrouter(_modelId: string, effort: ReasoningEffort) {
  return { openrouter: { reasoning: effort === "dynamic" ? { enabled: true } : { effort } } };
}

function bedrock() {
  return undefined;
}

/** Ollama and all that speak OpenAI's chat-completions, whatever their name. A package that does not, ignores it. */
function other(_modelId: string, effort: ReasoningEffort) {
  return effort === "dynamic" ? undefined : { openaiCompatible: { reasoningEffort: effort } };
}
