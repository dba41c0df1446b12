/** Roles of sub-agents, as they are given: agents, agents with other options, or options. */
import { HaftError, invalidOption } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import { Exit } from "../core/exit.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { readSchema, type SchemaLike, type Validator } from "../core/schema.ts";
import type { HasOptions, Subagent, SubagentOptions } from "../core/subagents.ts";
import type { ToolEntry } from "../core/tool.ts";
import { resolveTool } from "../core/tool-spec.ts";
import { checkOptions, isOptionOfRuns } from "../engine/check-options.ts";

export interface Role {
  readonly name: string;
  readonly description: string;
  /** What goes with a task; undefined where nothing does. */
  readonly input: Validator | undefined;
  /** A task without it does not fit. */
  readonly needsInput: boolean;
  /** As it was given. */
  readonly output: SchemaLike | undefined;
  /** What it gives is text. */
  readonly givesText: boolean;
  /** Of its runs. */
  readonly options: ExecuteOptions;
  /** Names of the secrets that are handed down. Undefined: all. */
  readonly secrets: readonly string[] | undefined;
  readonly timeoutMs: number;
  /** Works on files or processes in the sandbox of the run around. */
  readonly sharesSandbox: boolean;
}

const TIMEOUT_MS = 600_000;
const shape = /^[A-Za-z][A-Za-z0-9_]{0,38}$/;

/**
 * `levels`: how deep sub-agents may have sub-agents.
 *
 * @throws HaftError `OPTIONS_INVALID`, and what a bad schema throws
 */
export function readRoles(given: Readonly<Record<string, Subagent>>, levels: number): Role[] {
  return Object.entries(given).map(([name, subagent]) => readRole(name, subagent, levels));
}

function readRole(name: string, given: Subagent, levels: number): Role {
  const owner = `subagents.${name}`;
  if (!shape.test(name))
    throw invalidOption(
      `"${name}" is no role`,
      "A role is a letter, then letters, digits and underscores, 39 at most.",
    );
  const { description = "", input, output, secrets, timeoutMs = TIMEOUT_MS, ...rest } = optionsOf(given, owner);
  if (typeof description !== "string") throw invalidOption(`${owner}.description must be text`);
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0))
    throw invalidOption(`${owner}.timeoutMs must be a number of milliseconds above 0`);
  const hasExits = rest.exits !== undefined && !(Array.isArray(rest.exits) && rest.exits.length === 0);
  if (hasExits && output !== undefined) throw invalidOption(`${owner} has exits and an output`, "Give one of both.");
  const inputs = input === undefined ? undefined : readSchema(input, `${owner}: input`);
  const names = Array.isArray(secrets) ? (secrets as readonly string[]) : undefined;
  const options: ExecuteOptions = { ...rest };
  if (output !== undefined) options.exits = [resultExit(output)];
  if (secrets !== undefined && !names) options.secrets = secrets as NonNullable<ExecuteOptions["secrets"]>;
  checkOptions(options);
  return {
    name,
    description,
    input: inputs,
    needsInput: inputs !== undefined && isNeeded(inputs.json),
    output,
    givesText: output === undefined && !hasExits,
    options,
    secrets: names,
    timeoutMs,
    sharesSandbox: usesSandbox(options, levels),
  };
}

/** What is meant for the run around it. */
const notOfSubagents = ["prompt", "log", "store", "session", "epoch", "abortSignal", "approve"];

/** What it has beside the options of a run. */
const ownOfSubagents = ["description", "input", "output", "timeoutMs"];

function optionsOf(given: Subagent, owner: string): SubagentOptions {
  if (Array.isArray(given)) {
    const [agent, overrides] = given as readonly [HasOptions | SubagentOptions, SubagentOptions];
    if (given.length !== 2 || !isPlainObject(overrides))
      throw invalidOption(`${owner} must be an agent, [agent, options], or options`);
    return { ...optionsOf(agent, owner), ...plainOptions(overrides, owner) };
  }
  if (typeof given !== "object" || given === null)
    throw invalidOption(`${owner} must be an agent, [agent, options], or options, not ${describeValue(given)}`);
  return isAgent(given) ? ofAgent(given) : plainOptions(given as SubagentOptions, owner);
}

function isAgent(given: object): given is HasOptions {
  return "options" in given && typeof given.options === "object" && given.options !== null;
}

/** An agent may say more than a sub-agent is told, such as where its sessions are kept. */
function ofAgent(agent: HasOptions): SubagentOptions {
  const isKept = (name: string) =>
    ownOfSubagents.includes(name) || (isOptionOfRuns(name) && !notOfSubagents.includes(name));
  const kept = Object.entries(agent.options).filter(([name, value]) => value !== undefined && isKept(name));
  return { agent, ...Object.fromEntries(kept) };
}

function plainOptions(options: SubagentOptions, owner: string): SubagentOptions {
  for (const name of notOfSubagents)
    if (Object.hasOwn(options, name))
      throw invalidOption(`${owner} has no option "${name}"`, "That is for the run that it works for.");
  return options;
}

function resultExit(schema: SchemaLike): Exit {
  return new Exit({ name: "submit_result", description: "The task is done, and this is its result", schema });
}

function isNeeded({ required }: JsonSchema): boolean {
  return Array.isArray(required) && required.length > 0;
}

/** Of lists only: what a function gives is known when it gives it. */
function usesSandbox({ sandbox, tools, subagents }: ExecuteOptions, levels: number): boolean {
  if (sandbox !== undefined) return false;
  const own = Array.isArray(tools) && tools.some((tool) => isOfSandbox(tool));
  if (own || !subagents || levels <= 1) return own;
  return readRoles(subagents, levels - 1).some(({ sharesSandbox }) => sharesSandbox);
}

function isOfSandbox(entry: ToolEntry): boolean {
  try {
    return resolveTool(entry).definition.sandbox === true;
  } catch (error) {
    if (HaftError.is(error)) return false; // its own run says what is wrong with it
    throw error;
  }
}
