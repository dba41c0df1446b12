/** Looks for model servers on this machine, for whoever asks for one: nothing in Haft calls this by itself. */

import { ollamaURL } from "./providers.ts";

export interface LocalServer {
  name: "ollama" | "lm-studio" | "llama.cpp" | "vllm" | (string & {});
  /** As `resolveModel` takes it. */
  baseURL: string;
  /** What the server says it has. May be empty. */
  models: string[];
  /** The model id of the first of them; undefined when there is none. */
  id: string | undefined;
}

export interface LocalProbe {
  name: string;
  provider: "ollama" | "openai-compatible";
  baseURL: string;
}

export interface DetectLocalOptions {
  /** How long all probes together may take. Default 300. */
  timeoutMs?: number;
  /** Where OLLAMA_HOST is looked up. Default: `process.env`. */
  env?: Record<string, string | undefined>;
  /** Asked instead of the usual ports. */
  probes?: LocalProbe[];
  abortSignal?: AbortSignal;
}

/** Servers on loopback that answer in time, in the order of the probes. Never rejects. */
export async function detectLocal(options: DetectLocalOptions = {}): Promise<LocalServer[]> {
  const { timeoutMs = 300, env = process.env, abortSignal } = options;
  const probes = (options.probes ?? usualProbes(env.OLLAMA_HOST)).filter(({ baseURL }) => isLoopback(baseURL));
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = abortSignal ? AbortSignal.any([timeout, abortSignal]) : timeout;
  const found = await Promise.all(probes.map((probe) => ask(probe, signal).catch(() => undefined)));
  return found.filter((server) => server !== undefined);
}

function usualProbes(ollamaHost: string | undefined): LocalProbe[] {
  return [
    { name: "ollama", provider: "ollama", baseURL: localOllama(ollamaHost) },
    { name: "lm-studio", provider: "openai-compatible", baseURL: "http://127.0.0.1:1234/v1" },
    { name: "llama.cpp", provider: "openai-compatible", baseURL: "http://127.0.0.1:8080/v1" },
    { name: "vllm", provider: "openai-compatible", baseURL: "http://127.0.0.1:8000/v1" },
  ];
}

function localOllama(host: string | undefined): string {
  const usual = "http://127.0.0.1:11434";
  try {
    const url = host ? ollamaURL(host).replace(/\/+$/, "") : usual;
    return isLoopback(url) ? url : usual;
  } catch {
    return usual;
  }
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

async function ask({ name, provider, baseURL }: LocalProbe, signal: AbortSignal): Promise<LocalServer | undefined> {
  const path = provider === "ollama" ? "/api/tags" : "/models";
  const response = await fetch(baseURL + path, { signal, redirect: "error" });
  if (!response.ok) return undefined;
  const models = namesIn(await response.json());
  if (!models) return undefined;
  return { name, baseURL, models, id: models[0] && `${provider}:${models[0]}` };
}

/** Ollama lists `models[].name`, the others `data[].id`. Anything else is not a model server. */
function namesIn(answer: any): string[] | undefined {
  const entries = answer?.models ?? answer?.data;
  if (!Array.isArray(entries)) return undefined;
  return entries.map((entry) => entry?.name ?? entry?.id).filter((name) => typeof name === "string");
}
