/** Every form of a tools list's entry, read in one place: which tool it is, what a model is told of it, and a call of it. */
import { encode } from "../base/codec.ts";
import { codeOf, HaftError, messageOf } from "../base/errors.ts";
import { describeValue } from "../base/json.ts";
import type { ToolContext } from "./context.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isSignal } from "./signals.ts";
import { Tool, type ToolEntry } from "./tool.ts";
import { optionsMissing } from "./tool-run.ts";

/** What a model is told of a tool. */
export interface ToolSpec {
  name: string;
  description: string;
  /** A JSON Schema; always that of an object. */
  parameters: JsonSchema;
}

/** How a call outside a run went. */
export type ToolOutcome = { ok: true; output: unknown } | { ok: false; error: { code: string; message: string } };

/** @throws HaftError `TOOL_INVALID`, `TOOL_OPTIONS_INVALID` */
export function toolName(entry: ToolEntry): string {
  return resolveTool(entry).name;
}

/** @throws HaftError `TOOL_INVALID`, `TOOL_OPTIONS_INVALID` */
export function toolSpec(entry: ToolEntry): ToolSpec {
  const { name, description, inputSchema } = resolveTool(entry);
  return { name, description, parameters: inputSchema };
}

/**
 * Calls a tool outside a run. `options` are the entry's, whatever `ctx` says; the rest of `ctx` reaches the handler.
 *
 * Gives the outcome and does not reject: a bad entry, invalid input, a failure of the handler and an output that cannot
 * be written as JSON are all `{ ok: false, error }`. Only a ThinkSignal or a SnapshotSignal is thrown again, because
 * it speaks to whoever runs the loop.
 */
export async function executeTool(
  entry: ToolEntry,
  input?: unknown,
  ctx: Partial<ToolContext> = {},
): Promise<ToolOutcome> {
  try {
    const tool = resolveTool(entry);
    const output = await tool.execute(input, "options" in ctx && isLiteral(ctx) ? withoutOptions(ctx) : ctx);
    encode(output, "output");
    return { ok: true, output };
  } catch (error) {
    if (isSignal(error)) throw error;
    return { ok: false, error: { code: codeOf(error) ?? "TOOL_FAILED", message: messageOf(error) } };
  }
}

/**
 * The tool of an entry, with the option values that the entry gives. `index` is its place in the tools list.
 *
 * @throws HaftError `TOOL_INVALID` for anything else, naming what was found; `TOOL_OPTIONS_INVALID` when it needs values.
 */
export function resolveTool(entry: unknown, index?: number): Tool {
  const tool = toolOf(entry);
  if (!tool) {
    const place = index === undefined ? "This" : `tools[${index}]`;
    throw new HaftError("TOOL_INVALID", `${place} is ${describeValue(entry)}, which is not a tool`, {
      hint: nextStep(entry),
    });
  }
  if (tool.missingOptions) throw optionsMissing(tool);
  return tool;
}

function toolOf(entry: unknown): Tool | undefined {
  if (Tool.is(entry)) return entry;
  if (Array.isArray(entry) && entry.length === 2 && Tool.is(entry[0])) return entry[0].withOptions(entry[1]);
  return undefined;
}

function nextStep(entry: unknown): string {
  if (Array.isArray(entry))
    return "A pair is [tool, option values]; several tools stand beside each other in one list.";
  if (typeof entry === "object" && entry !== null && "handler" in entry) return "Make it a tool: new Tool({ … }).";
  return "Give what new Tool({ name, description, input, handler }) made, or [tool, option values].";
}

function isLiteral(ctx: object): boolean {
  return Object.getPrototypeOf(ctx) === Object.prototype;
}

function withoutOptions({ options: _, ...rest }: Partial<ToolContext>): Partial<ToolContext> {
  return rest;
}
