/** The providers that a string can name: their package, their environment variables and how a model is made. */

import type { LanguageModel } from "../core/model.ts";

export interface ProviderSettings {
  baseURL: string;
  apiKey?: string;
  headers?: Record<string, string>;
}

export interface Provider {
  /** The part of a model id before the first colon. */
  name: string;
  /** Imported when the provider is first named, never before. */
  package: string;
  /** Environment variables that may hold the key; the first is the one to recommend. */
  keyVariables: string[];
  /** False where a server may want no key. */
  keyRequired: boolean;
  urlVariables: string[];
  /** Absent where only the user can know it. */
  defaultBaseURL?: string;
  /** What a user wrote as base URL, as the package wants it. */
  adaptBaseURL?(url: string): string;
  /** Method syntax, so that each entry can name the type of its own module. */
  create(module: any, settings: ProviderSettings, modelName: string): LanguageModel;
}

export const providers: readonly Provider[] = [
  {
    name: "openai",
    package: "@ai-sdk/openai",
    keyVariables: ["OPENAI_API_KEY"],
    keyRequired: true,
    urlVariables: ["OPENAI_BASE_URL"],
    defaultBaseURL: "https://api.openai.com/v1",
    create: (module: typeof import("@ai-sdk/openai"), settings, name) => module.createOpenAI(settings).responses(name),
  },
  {
    name: "anthropic",
    package: "@ai-sdk/anthropic",
    keyVariables: ["ANTHROPIC_API_KEY"],
    keyRequired: true,
    urlVariables: ["ANTHROPIC_BASE_URL"],
    defaultBaseURL: "https://api.anthropic.com/v1",
    // Anthropic's own clients are given a URL without a version, the package wants one with it.
    adaptBaseURL: (url) => withPath(url, "/v1"),
    create: (module: typeof import("@ai-sdk/anthropic"), settings, name) => module.createAnthropic(settings)(name),
  },
  {
    name: "google",
    package: "@ai-sdk/google",
    keyVariables: ["GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    keyRequired: true,
    urlVariables: ["GOOGLE_BASE_URL"],
    defaultBaseURL: "https://generativelanguage.googleapis.com/v1beta",
    create: (module: typeof import("@ai-sdk/google"), settings, name) =>
      module.createGoogleGenerativeAI(settings)(name),
  },
  {
    name: "cerebras",
    package: "@ai-sdk/cerebras",
    keyVariables: ["CEREBRAS_API_KEY"],
    keyRequired: true,
    urlVariables: ["CEREBRAS_BASE_URL"],
    defaultBaseURL: "https://api.cerebras.ai/v1",
    create: (module: typeof import("@ai-sdk/cerebras"), settings, name) => module.createCerebras(settings)(name),
  },
  {
    name: "groq",
    package: "@ai-sdk/groq",
    keyVariables: ["GROQ_API_KEY"],
    keyRequired: true,
    urlVariables: ["GROQ_BASE_URL"],
    defaultBaseURL: "https://api.groq.com/openai/v1",
    create: (module: typeof import("@ai-sdk/groq"), settings, name) => module.createGroq(settings)(name),
  },
  {
    name: "openrouter",
    package: "@openrouter/ai-sdk-provider",
    keyVariables: ["OPENROUTER_API_KEY"],
    keyRequired: true,
    urlVariables: ["OPENROUTER_BASE_URL"],
    defaultBaseURL: "https://openrouter.ai/api/v1",
    create: (module: typeof import("@openrouter/ai-sdk-provider"), settings, name) =>
      // Only "strict" asks for the usage of a stream.
      module.createOpenRouter({ ...settings, compatibility: "strict" }).chat(name),
  },
  {
    name: "ollama",
    // Ollama's own packages drop a line that they cannot read; its OpenAI-compatible endpoint loses nothing.
    package: "@ai-sdk/openai-compatible",
    keyVariables: ["OLLAMA_API_KEY"],
    keyRequired: false,
    urlVariables: ["OLLAMA_BASE_URL", "OLLAMA_HOST"],
    defaultBaseURL: "http://127.0.0.1:11434",
    adaptBaseURL: (url) => withPath(ollamaURL(url), "/v1"),
    create: (module: CompatibleModule, settings, name) => compatibleModel(module, "ollama", settings, name),
  },
  {
    name: "openai-compatible",
    package: "@ai-sdk/openai-compatible",
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    keyRequired: false,
    urlVariables: ["OPENAI_COMPATIBLE_BASE_URL"],
    create: (module: CompatibleModule, settings, name) => compatibleModel(module, "openai-compatible", settings, name),
  },
];

type CompatibleModule = typeof import("@ai-sdk/openai-compatible");

function compatibleModel(module: CompatibleModule, name: string, settings: ProviderSettings, modelName: string) {
  return module.createOpenAICompatible({ ...settings, name, includeUsage: true }).chatModel(modelName);
}

/** A URL without a path gets this one. */
function withPath(url: string, path: string): string {
  const parsed = new URL(url);
  if (parsed.pathname !== "/") return url;
  parsed.pathname = path;
  return parsed.href;
}

/** OLLAMA_HOST is what the server listens on: it may lack a scheme or a port, and may be the address of all interfaces. */
export function ollamaURL(host: string): string {
  const url = new URL(host.includes("://") ? host : `http://${host}`);
  if (!url.port && !host.includes("://")) url.port = "11434";
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = "127.0.0.1";
  return url.href;
}
