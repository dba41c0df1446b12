/** Reads a model id, and when it cannot, says what it could have been. */

import { HaftError } from "../base/errors.ts";

export interface ModelId {
  providerName: string;
  modelName: string;
}

/** @throws HaftError MODEL_ID_INVALID */
export function parseModelId(id: unknown, known: string[]): ModelId {
  if (typeof id !== "string" || id.trim() === "") {
    throw invalid(`A model id is text such as "openai:gpt-5", not ${id === "" ? "empty" : typeof id}.`, known);
  }
  const colon = id.indexOf(":");
  const providerName = id.slice(0, colon);
  const modelName = id.slice(colon + 1);
  if (colon > 0 && known.includes(providerName)) {
    if (modelName) return { providerName, modelName };
    throw invalid(`"${id}" names no model after the colon.`, known);
  }
  const problem = colon > 0 ? `"${providerName}" is not a provider` : `"${id}" names no provider`;
  throw invalid(`${problem}; known are ${known.join(", ")}.`, known, suggest(id, known));
}

function invalid(message: string, known: string[], suggestion?: string): HaftError {
  const general = `Write "provider:model-name", or give a model object of any AI SDK provider package.`;
  return new HaftError("MODEL_ID_INVALID", message, {
    hint: suggestion ? `Did you mean "${suggestion}"?` : general,
    data: { known, ...(suggestion && { suggestion }) },
  });
}

/** Families of names whose maker, or usual place, is known. */
const families: [RegExp, string][] = [
  [/^(gpt-\d|chatgpt-|o\d($|-)|codex-)/, "openai"],
  [/^claude/, "anthropic"],
  [/^(gemini|gemma-\d)/, "google"],
  [/^(llama|qwen|mistral|deepseek|phi|gemma|gpt-oss|smollm)/, "ollama"],
];

function suggest(id: string, known: string[]): string | undefined {
  const [first, ...rest] = id.split("/");
  if (rest.length > 0) return known.includes(first!) ? `${first}:${rest.join("/")}` : `openrouter:${id}`;
  const lower = id.toLowerCase();
  const provider =
    known.find((name) => lower.startsWith(`${name}:`)) ?? families.find(([pattern]) => pattern.test(lower))?.[1];
  if (!provider) return undefined;
  return lower.startsWith(`${provider}:`) ? `${provider}${id.slice(provider.length)}` : `${provider}:${id}`;
}
