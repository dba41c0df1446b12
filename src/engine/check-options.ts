/** Options are checked before anything is opened: what is wrong with them is said at once, and by name. */
import { invalidOption } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import { checkMessages, checkPrompt } from "./check-messages.ts";

type Check = [what: string, fits: (value: any) => boolean];

const isText = (value: unknown) => typeof value === "string";
const isFunction = (value: unknown) => typeof value === "function";
const isObject = (value: unknown) => typeof value === "object" && value !== null;
const has = (value: unknown, ...methods: string[]) =>
  isObject(value) && methods.every((method) => isFunction((value as any)[method]));
const isWhole = (least: number) => (value: unknown) => Number.isInteger(value) && (value as number) >= least;
const isNumber = (least: number, most: number) => (value: unknown) =>
  typeof value === "number" && value >= least && value <= most;
const orDynamic = (fits: (value: any) => boolean) => (value: unknown) => isFunction(value) || fits(value);
const isModel = (value: unknown) => isText(value) || has(value, "doGenerate", "doStream");

const efforts = ["none", "low", "medium", "high", "dynamic"];
const approvals = ["ask", "interrupt", "deny"];

const checks: Record<keyof ExecuteOptions, Check | undefined> = {
  model: [
    'a provider object, a name such as "openai:gpt-5", or a list of these',
    orDynamic((value) => isModel(value) || (Array.isArray(value) && value.length > 0 && value.every(isModel))),
  ],
  instructions: ["text, or a function", orDynamic(isText)],
  prompt: undefined,
  messages: undefined,
  log: ["a list of entries, or a snapshot", isObject],
  tools: ["a list of tools, or a function", orDynamic(Array.isArray)],
  objects: ["a list of objects, or a function", orDynamic(Array.isArray)],
  exits: ["a list of exits, or a function", orDynamic(Array.isArray)],
  subagents: ["an object of sub-agents by role", isPlainObject],
  subagentLimits: ["an object", isPlainObject],
  hooks: ["an object of functions", isObject],
  mode: ["a name or a Mode", (value) => isText(value) || has(value, "open")],
  sandbox: ["a name or a Sandbox", (value) => isText(value) || isObject(value)],
  cwd: ["a path", isText],
  secrets: ["an object of sources by name", isPlainObject],
  policy: undefined,
  redact: ["a list of rules", Array.isArray],
  approvals: [`one of ${approvals.join(", ")}`, (value) => approvals.includes(value)],
  approve: ["a function", isFunction],
  approvalTimeoutMs: ["a number of milliseconds above 0", isNumber(Number.MIN_VALUE, Number.MAX_VALUE)],
  budget: ["an object of limits", isPlainObject],
  iterations: ["an integer from 1", isWhole(1)],
  temperature: ["a number from 0 to 2, or a function", orDynamic(isNumber(0, 2))],
  reasoningEffort: [`one of ${efforts.join(", ")}, or a function`, orDynamic((value) => efforts.includes(value))],
  maxOutputTokens: ["an integer from 1", isWhole(1)],
  providerOptions: ["an object", isObject],
  modelLimits: ["an object", isObject],
  compaction: ["false, or an object", (value) => value === false || isPlainObject(value)],
  resultLimit: ["an integer from 500, or false", (value) => value === false || isWhole(500)(value)],
  assigns: ["an object", isObject],
  abortSignal: ["an AbortSignal", (value) => has(value, "addEventListener", "removeEventListener")],
  store: ["a Store", (value) => has(value, "read", "append")],
  session: ["text", (value) => isText(value) && value !== ""],
  epoch: ["an integer from 0", isWhole(0)],
  agent: undefined,
  logger: ["an object with debug, info, warn and error", (value) => has(value, "debug", "info", "warn", "error")],
  prices: ['a function, or "genai"', (value) => isFunction(value) || value === "genai"],
};

export function isOptionOfRuns(name: string): boolean {
  return Object.hasOwn(checks, name);
}

const hookNames = [
  "onBeforeTool",
  "onAfterTool",
  "onBeforeExecution",
  "onExit",
  "onTrace",
  "onIterationStart",
  "onIterationEnd",
];

const limits: Record<string, Check> = {
  attempts: ["an integer from 1", isWhole(1)],
  idleMs: ["a number above 0", isNumber(Number.MIN_VALUE, Number.POSITIVE_INFINITY)],
  backoffMs: ["a number from 0", isNumber(0, Number.POSITIVE_INFINITY)],
  maxWaitMs: ["a number from 0", isNumber(0, Number.POSITIVE_INFINITY)],
};

const compaction: Record<string, Check> = {
  window: ["an integer from 1", isWhole(1)],
  share: ["a number above 0, at most 1", isNumber(Number.MIN_VALUE, 1)],
  keepTurns: ["an integer from 1", isWhole(1)],
  model: ['a provider object, or a name such as "openai:gpt-5"', isModel],
  instructions: ["text", isText],
  compactor: ["a function", isFunction],
};

const ofSubagents: Record<string, Check> = {
  depth: ["an integer from 1", isWhole(1)],
  concurrency: ["an integer from 1", isWhole(1)],
};

/** @throws HaftError `OPTIONS_INVALID` */
export function checkOptions(options: ExecuteOptions): void {
  if (!isObject(options) || Array.isArray(options))
    throw invalidOption(`execute() takes an object of options, not ${describeValue(options)}`);
  checkEach(options, checks, "execute() has no option");
  checkHooks(options.hooks ?? {});
  checkEach(options.modelLimits ?? {}, limits, "modelLimits has no");
  if (options.compaction) checkEach(options.compaction, compaction, "compaction has no");
  checkEach(options.subagentLimits ?? {}, ofSubagents, "subagentLimits has no");
  checkPrompt(options.prompt);
  checkMessages(options.messages);
  if (options.approvals === "ask" && !options.approve)
    throw invalidOption('approvals: "ask" needs an approve function to ask');
}

function checkEach(given: object, known: Record<string, Check | undefined>, unknown: string): void {
  for (const name of Object.keys(given)) {
    const value = (given as Record<string, unknown>)[name];
    if (!Object.hasOwn(known, name))
      throw invalidOption(`${unknown} "${name}"`, `There are: ${Object.keys(known).join(", ")}.`);
    const check = known[name];
    if (value === undefined || !check || check[1](value)) continue;
    throw invalidOption(`${name} must be ${check[0]}, got ${shown(value)}`);
  }
}

function checkHooks(hooks: object): void {
  for (const [name, hook] of Object.entries(hooks)) {
    if (!hookNames.includes(name))
      throw invalidOption(`There is no hook "${name}"`, `The hooks are: ${hookNames.join(", ")}.`);
    if (hook !== undefined && !isFunction(hook)) throw invalidOption(`${name} must be a function, got ${shown(hook)}`);
  }
}

function shown(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value.slice(0, 80))
    : typeof value === "number"
      ? `${value}`
      : describeValue(value);
}
