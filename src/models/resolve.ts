/** Turns `"provider:model-name"` into a model: finds the provider, its key and address, loads its package, asks it. */

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HaftError, messageOf } from "../base/errors.ts";
import type { LanguageModel } from "../core/model.ts";
import { parseModelId } from "./model-id.ts";
import { type Provider, type ProviderSettings, providers } from "./providers.ts";

export interface ResolveModelOptions {
  /** Default: the provider's environment variable. */
  apiKey?: string;
  /** Default: the provider's environment variable, then its public address. */
  baseURL?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Where keys and base URLs are looked up. Default: `process.env`. */
  env?: Record<string, string | undefined>;
  /** More providers, or others for known names: from a model's name to the model. */
  providers?: Record<string, (modelName: string) => LanguageModel | Promise<LanguageModel>>;
  /** Where provider packages are looked up after Haft's own place. Default: the working folder. */
  from?: string;
}

/**
 * The model that a string names: `openai:gpt-5`, `openrouter:anthropic/claude-sonnet-5`, `ollama:qwen3:4b`.
 * Everything after the first colon is the provider's own name of the model. Nothing is sent anywhere.
 *
 * Errors: MODEL_ID_INVALID, MODEL_BASE_URL_INVALID, MODEL_KEY_MISSING, MODEL_PACKAGE_MISSING. None of them holds a key.
 */
export async function resolveModel(id: string, options: ResolveModelOptions = {}): Promise<LanguageModel> {
  const own = options.providers ?? {};
  const { providerName, modelName } = parseModelId(id, [...providers.map(({ name }) => name), ...Object.keys(own)]);
  if (Object.hasOwn(own, providerName)) return own[providerName]!(modelName);

  const provider = providers.find(({ name }) => name === providerName)!;
  const settings = settingsOf(provider, options);
  const module = await load(provider, options.from ?? process.cwd());
  return provider.create(module, settings, modelName);
}

/** The names that can stand before the colon. */
export function providerNames(): string[] {
  return providers.map(({ name }) => name);
}

function settingsOf(provider: Provider, options: ResolveModelOptions): ProviderSettings {
  const env = options.env ?? process.env;
  const baseURL = baseURLOf(provider, options.baseURL ?? firstOf(env, provider.urlVariables));
  const apiKey = options.apiKey ?? firstOf(env, provider.keyVariables);
  if (!apiKey && provider.keyRequired) throw keyMissing(provider);
  return { baseURL, ...(apiKey && { apiKey }), ...(options.headers && { headers: options.headers }) };
}

function firstOf(env: Record<string, string | undefined>, names: string[]): string | undefined {
  return names.map((name) => env[name]?.trim()).find((value) => value);
}

function baseURLOf({ name, urlVariables, defaultBaseURL, adaptBaseURL }: Provider, given: string | undefined): string {
  const written = given ?? defaultBaseURL;
  const hint = `Set ${urlVariables.join(" or ")}, or give \`baseURL\`, such as "http://127.0.0.1:8000/v1".`;
  if (!written) throw new HaftError("MODEL_BASE_URL_INVALID", `${name} wants the base URL of a server.`, { hint });
  try {
    const url = adaptBaseURL ? adaptBaseURL(written) : written;
    if (/^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, "");
  } catch {
    // Not a URL: said below, like one of another scheme.
  }
  // The text itself may hold a password, so it is not repeated.
  throw new HaftError("MODEL_BASE_URL_INVALID", `The base URL for ${name} is not an http or https URL.`, { hint });
}

function keyMissing({ name, keyVariables }: Provider): HaftError {
  return new HaftError("MODEL_KEY_MISSING", `There is no API key for ${name}: ${keyVariables.join(", ")} not set.`, {
    hint: `Set ${keyVariables[0]} in the environment, or give \`apiKey\`.`,
    data: { provider: name, variables: keyVariables },
  });
}

async function load({ name, package: packageName }: Provider, from: string): Promise<unknown> {
  let cause: unknown;
  try {
    return await import(packageName);
  } catch (error) {
    cause = error;
  }
  const elsewhere = findFrom(from, packageName);
  try {
    if (elsewhere) return await import(pathToFileURL(elsewhere).href);
  } catch (error) {
    cause = error;
  }
  const absent = messageOf(cause).includes(`'${packageName}'`);
  const problem = absent ? "is not installed" : "is installed, but cannot be loaded";
  throw new HaftError(
    "MODEL_PACKAGE_MISSING",
    `${name} models come from the package ${packageName}, which ${problem}.`,
    {
      hint: `npm install ${packageName}`,
      data: { provider: name, package: packageName },
      cause,
    },
  );
}

/** A command that is installed globally finds the packages of the project that it runs in. */
function findFrom(folder: string, packageName: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve(packageName);
  } catch {
    return undefined;
  }
}
