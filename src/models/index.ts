/** Models by name: `resolveModel("openai:gpt-5")`, and what is known about the packages behind the names. */

export type { LanguageModel } from "../core/model.ts";
export { type DetectLocalOptions, detectLocal, type LocalProbe, type LocalServer } from "./detect-local.ts";
export { type ReasoningOptions, reasoningOptions } from "./reasoning.ts";
export { providerNames, type ResolveModelOptions, resolveModel } from "./resolve.ts";
export { type ModelTraits, traitsOf } from "./traits.ts";
