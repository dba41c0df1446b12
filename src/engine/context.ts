/** What the model should know this iteration: dynamic values are asked anew, names are checked. */
import type { Dynamic, DynamicContext } from "../core/execute.ts";
import type { Exit } from "../core/exit.ts";
import type { IterationContext, ToolSet } from "../core/mode.ts";
import type { ToolEntry } from "../core/tool.ts";
import { resolveTool } from "../core/tool-spec.ts";
import { checkExits, NamedTools } from "./named-tools.ts";
import type { RunState } from "./run-state.ts";

/** Built once where nothing is dynamic; only the messages grow. */
export function buildContext(run: RunState, index: number): IterationContext | Promise<IterationContext> {
  return run.fixedContext ?? build(run, index);
}

async function build(run: RunState, index: number): Promise<IterationContext> {
  const { options } = run;
  const ctx = run.dynamic(index);
  const instructions = await currentValue(options.instructions, ctx);
  const entries = await currentValue(options.tools, ctx);
  const exits = (await currentValue(options.exits as Dynamic<readonly Exit[]> | undefined, ctx)) ?? noExits;
  const tools = toolSetFor(run, entries ?? noTools);
  checkExits(exits, tools);
  const context = { instructions: instructions ?? "", messages: run.messages, tools, exits };
  const isDynamic = [options.instructions, options.tools, options.exits].some((value) => typeof value === "function");
  if (!isDynamic) run.fixedContext = context;
  return context;
}

const noTools: readonly ToolEntry[] = [];
const noExits: readonly Exit[] = [];

export function currentValue<T>(value: Dynamic<T> | undefined, ctx: DynamicContext): T | undefined | Promise<T> {
  return typeof value === "function" ? (value as (ctx: DynamicContext) => T | Promise<T>)(ctx) : value;
}

/** The same list gives the same set: it is read once a run. */
function toolSetFor(run: RunState, entries: readonly ToolEntry[]): ToolSet {
  if (run.tools?.entries !== entries)
    run.tools = { entries, set: new NamedTools(entries.map(resolveTool), run.sandbox) };
  return run.tools.set;
}

export { currentValue as valueOf };
