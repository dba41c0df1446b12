/** Decides which model a run uses: the flag, then the settings, then HAFT_MODEL; and what to offer when none is named. */
import { HaftError } from "../base/errors.ts";
import type { Model, ModelRef } from "../core/model.ts";
import { detectLocal, type LocalServer } from "../models/detect-local.ts";
import { providers } from "../models/providers.ts";
import { resolveModel } from "../models/resolve.ts";
import type { ProjectConfig } from "./config.ts";

type Env = Record<string, string | undefined>;

/** What a person may choose from when no model is named. */
export interface ModelOffers {
  /** Providers whose key is in the environment: the variable that holds it. */
  keys: { provider: string; variable: string }[];
  /** Model servers that answered on this machine. */
  servers: LocalServer[];
}

/** undefined when nobody named one. A list in text is a fallback chain: `"openai:a,anthropic:b"`. */
export function namedModel(flag: string | undefined, config: ProjectConfig, env: Env): Model | undefined {
  if (flag !== undefined) return listed(flag);
  const configured = config.model ?? config.defaultModels?.autonomous;
  if (configured !== undefined) return configured;
  return env.HAFT_MODEL?.trim() ? listed(env.HAFT_MODEL) : undefined;
}

function listed(text: string): string[] {
  return text.split(",").map((id) => id.trim());
}

export async function findModelOffers(env: Env): Promise<ModelOffers> {
  const keys = providers.flatMap(({ name, keyVariables }) => {
    const variable = keyVariables.find((candidate) => env[candidate]?.trim());
    return variable ? [{ provider: name, variable }] : [];
  });
  const servers = await detectLocal({ env });
  return { keys, servers: servers.filter(({ models }) => models.length > 0) };
}

/** The sentence for those who cannot be asked. */
export function modelMissing({ keys, servers }: ModelOffers): HaftError {
  const found: string[] = [];
  for (const { provider, variable } of keys) found.push(`${variable} is set (${provider}:<model>)`);
  for (const { name, models, id } of servers) found.push(`${serverName(name)} runs here with ${some(models)} (${id})`);
  const detected = found.length > 0 ? `Found: ${found.join("; ")}.` : "No API key and no local model server was found.";
  const example = servers[0]?.id ?? (keys[0] && `${keys[0].provider}:<model>`) ?? "openai:<model>";
  return new HaftError("MODEL_MISSING", `No model was named. ${detected}`, {
    hint: `Name one: --model ${example}, HAFT_MODEL in the environment, or "model" in agent.config.ts.`,
    data: { keys: keys.map(({ variable }) => variable), servers: servers.map(({ id }) => id) },
  });
}

export function serverName(name: string): string {
  return { ollama: "Ollama", "lm-studio": "LM Studio", vllm: "vLLM" }[name] ?? name;
}

function some(names: string[]): string {
  return names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
}

/**
 * Loads the models before a run starts, so that a missing key is said at once. Of a fallback chain, those that cannot
 * be loaded are left out and noted, unless that is all of them.
 *
 * @throws HaftError MODEL_ID_INVALID, MODEL_BASE_URL_INVALID, MODEL_KEY_MISSING, MODEL_PACKAGE_MISSING
 */
export async function loadModel(model: Model, options: { cwd: string; env: Env; notes: string[] }): Promise<Model> {
  const chain = (Array.isArray(model) ? model : [model]) as ModelRef[];
  const loaded: ModelRef[] = [];
  let failure: unknown;
  for (const one of chain) {
    try {
      loaded.push(typeof one === "string" ? await resolveModel(one, { env: options.env, from: options.cwd }) : one);
    } catch (thrown) {
      failure ??= thrown;
      if (chain.length > 1) options.notes.push(`${one} is left out of the models to try: ${(thrown as Error).message}`);
    }
  }
  if (loaded.length === 0) throw failure;
  return loaded.length === 1 ? loaded[0]! : loaded;
}

/** How a model is called in the first lines of a run. */
export function modelLabel(model: Model): string {
  const chain = (Array.isArray(model) ? model : [model]) as ModelRef[];
  return chain.map((one) => (typeof one === "string" ? one : `${one.provider}:${one.modelId}`)).join(", then ");
}
