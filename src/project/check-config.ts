/** Says what is wrong with an `agent.config.ts`: the field, what was found there and what is allowed. */
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import { nearest } from "../core/names.ts";
import { policyProblem } from "../core/policy-check.ts";
import { Tool } from "../core/tool.ts";
import type { ProjectConfig } from "./config.ts";

/** What a field must be: a test, and the words for it. */
type Check = readonly [test: (value: any) => boolean, expected: string];

const isText = (value: unknown) => typeof value === "string" && value.trim() !== "";
const isFunction = (value: unknown) => typeof value === "function";
const isModel = (value: any) => isText(value) || isFunction(value?.doGenerate);
const isModelChain = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isModel);
const isTextList = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isText);
const isTool = (value: unknown) => Tool.is(value) || (Array.isArray(value) && Tool.is(value[0]) && value.length <= 2);
const isObject = (value: unknown) => isPlainObject(value);
const storeMethods = ["read", "append", "claim", "renew", "release", "list", "close"];
const isStore = (value: any) => typeof value === "object" && storeMethods.every((name) => isFunction(value?.[name]));
const oneOf = (...words: string[]): Check => [(value) => words.includes(value), words.map(quote).join(", ")];

const fields: Record<keyof ProjectConfig, Check> = {
  name: [isText, "text"],
  instructions: [(value) => typeof value === "string" || isFunction(value), "text, or a function that gives text"],
  model: [(value) => isModel(value) || isModelChain(value), '"provider:model-name", a model, or a list of them'],
  defaultModels: [isObject, 'an object such as { autonomous: "openai:gpt-5" }'],
  tools: [
    (value) => isText(value) || (Array.isArray(value) && value.every((entry) => isText(entry) || isTool(entry))),
    "a list of tools, [tool, options] pairs and names of built-in tools",
  ],
  exits: [(value) => Array.isArray(value) || isFunction(value), "a list of exits, or a function that gives one"],
  hooks: [isObject, "an object of hooks"],
  sandbox: [isText, 'the name of a sandbox: "auto", "isolated", "virtual" or "local"'],
  mode: [(value) => isText(value) || isFunction(value?.open), '"tools", "code", or a mode'],
  iterations: [(value) => Number.isInteger(value) && value >= 1, "a whole number from 1"],
  policy: [Array.isArray, 'a list of rules such as { tool: "Bash", then: "ask" }'],
  approvals: oneOf("ask", "interrupt", "deny"),
  secrets: [isObject, 'an object such as { GH_TOKEN: { env: "GH_TOKEN" } }'],
  redact: [(value) => Array.isArray(value), 'a list of rules such as ["email", "token"]'],
  temperature: [(value) => typeof value === "number" || isFunction(value), "a number"],
  reasoningEffort: [
    (value) => isFunction(value) || ["none", "low", "medium", "high", "dynamic"].includes(value),
    '"none", "low", "medium", "high" or "dynamic"',
  ],
  maxOutputTokens: [(value) => Number.isInteger(value) && value >= 1, "a whole number from 1"],
  providerOptions: [isObject, "an object of options by provider"],
  modelLimits: [isObject, "an object such as { attempts: 3 }"],
  assigns: [isObject, "an object"],
  budget: [isObject, "an object such as { tokens: 100_000, seconds: 600 }"],
  prices: [(value) => value === "genai" || isFunction(value), '"genai", or a function'],
  compaction: [(value) => value === false || isPlainObject(value), "false, or an object such as { share: 0.8 }"],
  resultLimit: [
    (value) => value === false || (Number.isInteger(value) && value >= 500),
    "false, or a whole number from 500",
  ],
  approvalTimeoutMs: [(value) => typeof value === "number" && value > 0, "a number of milliseconds above 0"],
  subagents: [isObject, "an object of sub-agents by role"],
  subagentLimits: [isObject, "an object such as { depth: 2 }"],
  store: [
    (value) => ["sqlite", "file", "memory"].includes(value) || isStore(value),
    '"sqlite", "file", "memory", or a store such as sqliteStore(path)',
  ],
  durability: oneOf("strict", "fast"),
  contextFiles: [(value) => typeof value === "boolean", "true or false"],
};

/**
 * `file` is how the messages call the file.
 *
 * @throws HaftError CONFIG_INVALID
 */
export function checkConfig(config: unknown, file: string): ProjectConfig {
  if (!isPlainObject(config)) {
    throw invalid(
      file,
      `has no settings: its default export is ${nameOf(config)}.`,
      "Write: export default { … }, or export default defineConfig({ … }).",
    );
  }
  const names = Object.keys(fields);
  for (const [name, value] of Object.entries(config)) {
    if (!Object.hasOwn(fields, name))
      throw invalid(file, `has an unknown setting "${name}".`, unknownHint(name, names));
    const [test, expected] = fields[name as keyof ProjectConfig];
    if (value !== undefined && !test(value)) {
      throw invalid(file, `: "${name}" must be ${expected}, not ${nameOf(value)}.`, `Correct "${name}" in ${file}.`);
    }
  }
  checkDefaultModels((config as ProjectConfig).defaultModels, file);
  checkPolicy((config as ProjectConfig).policy, file);
  return config as ProjectConfig;
}

function checkDefaultModels(models: ProjectConfig["defaultModels"], file: string): void {
  for (const [use, value] of Object.entries(models ?? {})) {
    if (!["autonomous", "zai"].includes(use)) {
      const hint = "There are defaultModels.autonomous and defaultModels.zai.";
      throw invalid(file, `has an unknown setting "defaultModels.${use}".`, hint);
    }
    if (value === undefined || isText(value) || isTextList(value)) continue;
    throw invalid(
      file,
      `: "defaultModels.${use}" must be "provider:model-name" or a list of those, not ${nameOf(value)}.`,
      `Correct "defaultModels.${use}" in ${file}.`,
    );
  }
}

function checkPolicy(policy: ProjectConfig["policy"], file: string): void {
  const problem = policy === undefined ? undefined : policyProblem(policy, '"policy"');
  if (problem) throw invalid(file, `: ${problem.message}.`, problem.hint ?? `Correct "policy" in ${file}.`);
}

function unknownHint(name: string, names: string[]): string {
  const near = nearest(name, names);
  return `${near ? `Did you mean "${near}"? ` : ""}Settings are ${names.join(", ")}.`;
}

function invalid(file: string, problem: string, hint: string): HaftError {
  return new HaftError("CONFIG_INVALID", `${file}${problem.startsWith(":") ? "" : " "}${problem}`, { hint });
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function quote(word: string): string {
  return JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word);
}
