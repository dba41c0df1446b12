/** What the model should know this iteration: dynamic values are asked anew, names are checked. */
import type { Dynamic, DynamicContext } from "../core/execute.ts";
import type { Exit } from "../core/exit.ts";
import type { IterationContext, ToolSet } from "../core/mode.ts";
import type { ToolEntry } from "../core/tool.ts";
import { invalidOption } from "./invalid-option.ts";
import { checkExits, NamedTools } from "./named-tools.ts";
import type { RunState } from "./run-state.ts";
import { untilAbort } from "./until-abort.ts";

/** Built once where nothing is dynamic; only the messages grow. */
export function buildContext(run: RunState, index: number): IterationContext | Promise<IterationContext> {
  if (run.fixedContext) return run.fixedContext;
  const { instructions, tools, exits } = run.options;
  if (typeof instructions === "function" || typeof tools === "function" || typeof exits === "function") {
    return buildDynamic(run, index);
  }
  run.fixedContext = contextOf(run, instructions, tools, exits as readonly Exit[] | undefined);
  return run.fixedContext;
}

async function buildDynamic(run: RunState, index: number): Promise<IterationContext> {
  const { options } = run;
  const ctx = run.dynamic(index);
  const { abort } = run;
  const instructions = await untilAbort(abort, currentValue(options.instructions, ctx));
  const tools = await untilAbort(abort, currentValue(options.tools, ctx));
  const exits = await untilAbort(abort, currentValue(options.exits as Dynamic<readonly Exit[]> | undefined, ctx));
  return contextOf(run, instructions, tools, exits);
}

function contextOf(
  run: RunState,
  instructions = "",
  entries: readonly ToolEntry[] | undefined,
  exits = noExits,
): IterationContext {
  if (typeof instructions !== "string") throw invalidOption("instructions must be text");
  if (entries !== undefined && !Array.isArray(entries)) throw invalidOption("tools must be a list of tools");
  const tools = toolSetFor(run, entries);
  checkExits(exits, tools);
  return { instructions: run.log.redacted(instructions), messages: run.messages, tools, exits };
}

const noExits: readonly Exit[] = [];

export function currentValue<T>(value: Dynamic<T> | undefined, ctx: DynamicContext): T | undefined | Promise<T> {
  return typeof value === "function" ? (value as (ctx: DynamicContext) => T | Promise<T>)(ctx) : value;
}

/** The exits that are known without asking. */
export function exitsOf({ options }: RunState): readonly Exit[] {
  return Array.isArray(options.exits) ? options.exits : noExits;
}

/** The same list gives the same set: it is read once a run. */
function toolSetFor(run: RunState, entries: readonly ToolEntry[] | undefined): ToolSet {
  if (!run.tools || run.tools.entries !== entries) {
    run.tools = { entries, set: new NamedTools(entries ?? [], run.sandbox, run.secrets) };
  }
  return run.tools.set;
}
