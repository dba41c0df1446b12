/** What the model should know this iteration: dynamic values are asked anew, names are checked. */
import type { Dynamic, DynamicContext } from "../core/execute.ts";
import type { Exit } from "../core/exit.ts";
import type { IterationContext, ToolSet } from "../core/mode.ts";
import type { ToolEntry } from "../core/tool.ts";
import { resolveTool } from "../core/tool-spec.ts";
import { checkExits, NamedTools } from "./named-tools.ts";
import type { RunState } from "./run-state.ts";

export async function buildContext(run: RunState, index: number): Promise<IterationContext> {
  const { options } = run;
  const ctx = run.dynamic(index);
  const instructions = await valueOf(options.instructions, ctx);
  const entries = await valueOf(options.tools, ctx);
  const exits = (await valueOf(options.exits as Dynamic<readonly Exit[]> | undefined, ctx)) ?? noExits;
  const tools = toolSetFor(run, entries ?? noTools);
  checkExits(exits, tools);
  return { instructions: instructions ?? "", messages: run.messages, tools, exits };
}

const noTools: readonly ToolEntry[] = [];
const noExits: readonly Exit[] = [];

export function valueOf<T>(value: Dynamic<T> | undefined, ctx: DynamicContext): T | undefined | Promise<T> {
  return typeof value === "function" ? (value as (ctx: DynamicContext) => T | Promise<T>)(ctx) : value;
}

const sets = new WeakMap<RunState, { entries: readonly ToolEntry[]; set: ToolSet }>();

/** The same list gives the same set: it is read once a run. */
function toolSetFor(run: RunState, entries: readonly ToolEntry[]): ToolSet {
  const known = sets.get(run);
  if (known?.entries === entries) return known.set;
  const set = new NamedTools(entries.map(resolveTool), { sandbox: run.sandbox });
  sets.set(run, { entries, set });
  return set;
}
