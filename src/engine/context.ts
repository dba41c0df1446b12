/** What the model should know this iteration: dynamic values are asked anew, names are checked. */
import { invalidOption } from "../base/errors.ts";
import type { Dynamic, DynamicContext, ExecuteOptions } from "../core/execute.ts";
import type { Exit } from "../core/exit.ts";
import type { IterationContext, ToolSet } from "../core/mode.ts";
import type { ObjectInstance } from "../core/object.ts";
import type { Tool, ToolEntry } from "../core/tool.ts";
import { resolveTool } from "../core/tool-spec.ts";
import { checkExits, modeName, NamedTools } from "./named-tools.ts";
import type { RunObjects } from "./objects.ts";
import type { RunState } from "./run-state.ts";
import { untilAbort } from "./until-abort.ts";

/** Built once where nothing is dynamic; only the messages grow. */
export function buildContext(run: RunState, index: number): IterationContext | Promise<IterationContext> {
  if (run.reading === "wanted") return addReading(run).then(() => buildContext(run, index));
  if (run.fixedContext && !run.objects?.hasChanged) return run.fixedContext;
  if (isDynamic(run.options)) return buildDynamic(run, index);
  run.fixedContext = contextOf(run, index, run.options as CurrentOptions);
  return run.fixedContext;
}

/** Few results are so long, and only then is there something to read on in. */
async function addReading(run: RunState): Promise<void> {
  const { readResultTool } = await import("./read-result.ts");
  run.reading = readResultTool(run);
  run.tools = undefined;
  run.fixedContext = undefined;
}

function isDynamic({ instructions, tools, exits, objects }: ExecuteOptions): boolean {
  return (
    typeof instructions === "function" ||
    typeof tools === "function" ||
    typeof exits === "function" ||
    typeof objects === "function"
  );
}

async function buildDynamic(run: RunState, index: number): Promise<IterationContext> {
  const { options } = run;
  const ctx = run.dynamic(index);
  const { abort } = run;
  const instructions = await untilAbort(abort, currentValue(options.instructions, ctx));
  const tools = await untilAbort(abort, currentValue(options.tools, ctx));
  const exits = await untilAbort(abort, currentValue(options.exits as Dynamic<readonly Exit[]> | undefined, ctx));
  const objects = run.objects && (await currentObjects(run, run.objects, ctx));
  return contextOf(run, index, { instructions, tools, exits, objects });
}

async function currentObjects({ options, abort }: RunState, run: RunObjects, ctx: DynamicContext) {
  const objects = await untilAbort(abort, currentValue(options.objects, ctx));
  if (objects) await untilAbort(abort, run.ready(objects));
  return objects;
}

/** Dynamic options, as they are now. */
interface CurrentOptions {
  instructions?: string | undefined;
  tools?: readonly ToolEntry[] | undefined;
  exits?: readonly Exit[] | undefined;
  objects?: readonly ObjectInstance[] | undefined;
}

function contextOf(run: RunState, index: number, given: CurrentOptions): IterationContext {
  const { instructions = "", tools: entries, exits = none, objects } = given;
  if (typeof instructions !== "string") throw invalidOption("instructions must be text");
  if (entries !== undefined && !Array.isArray(entries)) throw invalidOption("tools must be a list of tools");
  const tools = toolSetFor(run, entries, objects);
  checkExits(exits, tools, objects);
  const bound = run.objects && objects ? run.objects.bind(objects, `${run.id}/${index}`) : none;
  return { instructions: run.log.redacted(instructions), messages: run.messages, tools, exits, objects: bound };
}

const none: readonly never[] = [];

export function currentValue<T>(value: Dynamic<T> | undefined, ctx: DynamicContext): T | undefined | Promise<T> {
  return typeof value === "function" ? (value as (ctx: DynamicContext) => T | Promise<T>)(ctx) : value;
}

/** The exits that are known without asking. */
export function exitsOf({ options }: RunState): readonly Exit[] {
  return Array.isArray(options.exits) ? options.exits : none;
}

/** The same lists give the same set: they are read once a run. */
function toolSetFor(
  run: RunState,
  entries: readonly ToolEntry[] | undefined,
  objects: readonly ObjectInstance[] | undefined,
): ToolSet {
  if (!run.tools || run.tools.entries !== entries || run.tools.objects !== objects) {
    const own = entries ?? [];
    const given = objects && run.objects ? run.objects.withTools(objects, own.map(resolveTool)) : own;
    const list = typeof run.reading === "object" ? withReading(given, run.reading) : given;
    run.tools = { entries, objects, set: new NamedTools(list, modeName(run.options), run.sandbox, run.secrets) };
  }
  return run.tools.set;
}

/** A tool of the same name that the run was given is the one that counts. */
function withReading(given: readonly ToolEntry[], reading: Tool): readonly ToolEntry[] {
  const isTaken = given.some((entry) => {
    const { name, aliases } = resolveTool(entry);
    return name === reading.name || aliases.includes(reading.name);
  });
  return isTaken ? given : [...given, reading];
}
