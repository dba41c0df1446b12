/** Sub-agents of a run: its options, with what gives tasks to them among its tools, or as a namespace of programs. */
import type { DynamicContext, ExecuteOptions } from "../core/execute.ts";
import { ObjectInstance } from "../core/object.ts";
import type { Tool } from "../core/tool.ts";
import { modeName } from "../engine/named-tools.ts";
import { deepest, depthOf } from "../engine/run-inside.ts";
import { readRoles } from "./subagent-role.ts";
import { roleTool } from "./subagent-role-tool.ts";
import { subagentTool } from "./subagent-tool.ts";
import { Turns } from "./turns.ts";

const PARALLEL = 4;

/**
 * As they were given where no more runs may be around another one.
 *
 * @throws HaftError `OPTIONS_INVALID`, and what a bad schema throws
 */
export function withSubagents(options: ExecuteOptions): ExecuteOptions {
  const roles = readRoles(options.subagents!, deepest(options) - depthOf(options));
  if (roles.length === 0 || depthOf(options) >= deepest(options)) return options;
  const turns = new Turns(options.subagentLimits?.concurrency ?? PARALLEL);
  if (modeName(options) === "code") {
    const tools = roles.map((role) => roleTool(role, turns));
    return { ...options, objects: withMore(options.objects, namespace(tools)) };
  }
  return { ...options, tools: withMore(options.tools, subagentTool(roles, turns)) };
}

function namespace(tools: readonly Tool[]): ObjectInstance {
  return new ObjectInstance({
    name: "subagents",
    description: "Work on a task of their own, and report back. They know nothing of this conversation.",
    tools,
  });
}

type Dynamic<T> = readonly T[] | ((ctx: DynamicContext) => readonly T[] | Promise<readonly T[]>) | undefined;

/** The same list gives the same list again: whoever looks at it reads it once. */
function withMore<T>(given: Dynamic<T>, more: T): Dynamic<T> {
  if (typeof given !== "function") return [...(given ?? []), more];
  let last: { given: readonly T[]; list: readonly T[] } | undefined;
  return async (ctx) => {
    const now = await given(ctx);
    if (!Array.isArray(now)) return now;
    if (last?.given !== now) last = { given: now, list: [...now, more] };
    return last.list;
  };
}
