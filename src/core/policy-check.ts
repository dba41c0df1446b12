/** Says what is wrong with a policy, before anything runs under it. */

import { messageOf } from "../base/errors.ts";
import { compileGlob } from "../base/glob-pattern.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import { nearest } from "./names.ts";

const actions = ["allow", "ask", "deny"];
const keys = ["tool", "path", "command", "when", "then", "reason"];

export interface PolicyProblem {
  message: string;
  hint?: string;
}

/** undefined for a policy that can be used. `name` is how the sentences call it. */
export function policyProblem(policy: unknown, name = "policy"): PolicyProblem | undefined {
  if (!Array.isArray(policy)) return { message: `${name} must be a list of rules, got ${describeValue(policy)}` };
  for (const [index, rule] of policy.entries()) {
    const problem = ruleProblem(rule);
    if (problem)
      return {
        ...problem,
        message: `${name}[${index}]${problem.message.startsWith(":") ? "" : " "}${problem.message}`,
      };
  }
  return undefined;
}

function ruleProblem(rule: unknown): PolicyProblem | undefined {
  if (!isPlainObject(rule))
    return { message: `must be a rule such as { tool: "Bash", then: "ask" }, got ${describeValue(rule)}` };
  const unknown = Object.keys(rule).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    const near = nearest(unknown, keys);
    return {
      message: `has an unknown key "${unknown}"`,
      hint: `${near ? `Did you mean "${near}"? ` : ""}A rule has: ${keys.join(", ")}.`,
    };
  }
  const { tool, path, command, when, then, reason } = rule;
  if (!actions.includes(then as string))
    return { message: `: then must be one of ${actions.join(", ")}, got ${shown(then)}` };
  if (reason !== undefined && typeof reason !== "string")
    return { message: `: reason must be text, got ${shown(reason)}` };
  if (when !== undefined && typeof when !== "function")
    return { message: `: when must be a function, got ${shown(when)}` };
  if (command !== undefined && !(command instanceof RegExp) && !isFilled(command))
    return { message: `: command must be a glob or a RegExp, got ${shown(command)}` };
  return globProblem("tool", tool) ?? globProblem("path", path);
}

function globProblem(key: "tool" | "path", glob: unknown): PolicyProblem | undefined {
  if (glob === undefined) return undefined;
  if (!isFilled(glob)) return { message: `: ${key} must be a glob, got ${shown(glob)}` };
  if (key === "tool" && glob.includes("/"))
    return { message: `: tool is a glob on names, which have no slash, got ${shown(glob)}` };
  try {
    compileGlob(glob.replace(/^\/+/, ""));
    return undefined;
  } catch (error) {
    return {
      message: `: ${key} is no glob: ${messageOf(error)}`,
      hint: 'Write it without "..": src/**, *.pem, or /etc/**.',
    };
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : describeValue(value);
}
