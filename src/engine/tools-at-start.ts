/** Options are checked before anything is opened. */
import { HaftError } from "../base/errors.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import { resolveTool } from "../core/tool-spec.ts";
import { checkExits, NamedTools } from "./named-tools.ts";

const known = new Set([
  "model",
  "instructions",
  "prompt",
  "messages",
  "log",
  "tools",
  "exits",
  "hooks",
  "mode",
  "sandbox",
  "cwd",
  "secrets",
  "approvals",
  "approve",
  "iterations",
  "temperature",
  "reasoningEffort",
  "maxOutputTokens",
  "providerOptions",
  "modelLimits",
  "assigns",
  "abortSignal",
  "store",
  "session",
  "epoch",
  "agent",
  "logger",
  "prices",
]);

const hookNames = new Set([
  "onBeforeTool",
  "onAfterTool",
  "onBeforeExecution",
  "onExit",
  "onTrace",
  "onIterationStart",
  "onIterationEnd",
]);

/** @throws HaftError `OPTIONS_INVALID` */
export function checkOptions(options: ExecuteOptions): void {
  if (typeof options !== "object" || options === null) throw invalid("execute() takes an object of options");
  for (const key of Object.keys(options)) {
    if (!known.has(key)) throw invalid(`execute() has no option "${key}"`, `It has: ${[...known].join(", ")}.`);
  }
  for (const key of Object.keys(options.hooks ?? {})) {
    if (!hookNames.has(key)) throw invalid(`There is no hook "${key}"`, `The hooks are: ${[...hookNames].join(", ")}.`);
  }
  const { iterations, approvals, temperature, prompt } = options;
  if (iterations !== undefined && !(Number.isInteger(iterations) && iterations >= 1))
    throw invalid(`iterations must be an integer from 1, got ${iterations}`);
  if (approvals !== undefined && !["ask", "interrupt", "deny"].includes(approvals))
    throw invalid(`approvals must be "ask", "interrupt" or "deny", got ${JSON.stringify(approvals)}`);
  if (approvals === "ask" && !options.approve) throw invalid('approvals: "ask" needs an approve function to ask');
  if (typeof temperature === "number" && !(temperature >= 0 && temperature <= 2))
    throw invalid(`temperature must be from 0 to 2, got ${temperature}`);
  if (prompt !== undefined && typeof prompt !== "string" && !Array.isArray(prompt))
    throw invalid("prompt must be text, or a list of parts");
}

/** The tools where they are a list; a function is asked for them each iteration. */
export function toolsAtStart({ tools = [], exits = [] }: ExecuteOptions): NamedTools | undefined {
  if (typeof tools === "function") return undefined;
  if (!Array.isArray(tools)) throw invalid("tools must be a list of tools");
  const named = new NamedTools(tools.map(resolveTool));
  if (typeof exits !== "function") checkExits(exits, named);
  return named;
}

/** Dynamic tools are not known yet: a run with those names its sandbox. */
export function wantsSandbox(tools: NamedTools | undefined): boolean {
  return tools?.list.some((tool) => tool.definition.sandbox) ?? false;
}

function invalid(message: string, hint?: string): HaftError {
  return new HaftError("OPTIONS_INVALID", message, { hint });
}
