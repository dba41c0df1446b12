/** What an iteration offers to a program: functions by path, each with the tool behind it, objects and exits. */
import { decode } from "../../base/codec.ts";
import { isPlainObject, type Json } from "../../base/json.ts";
import type { Exit } from "../../core/exit.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import type { BoundObject, IterationContext, ToolSet } from "../../core/mode.ts";
import { callName } from "../../core/object-names.ts";
import type { Tool } from "../../core/tool.ts";
import { type Declarations, type DeclaredObject, declare } from "./declarations/index.ts";

/** What a program calls: the tool, and the name that the run knows it by. */
interface Offered {
  readonly tool: Tool;
  readonly name: string;
}

type Aside = (input: Json | undefined) => Json;

export interface Offer {
  readonly declarations: Declarations;
  readonly exits: readonly Exit[];
  readonly objects: readonly BoundObject[];
  /** Everything that a program may call. */
  readonly paths: readonly string[];
  /** What a program asks for with a path and an input, as the run is asked for it; undefined for an aside. */
  asked(path: string, input: Json | undefined): { name: string; input: unknown } | undefined;
  /** What is answered here, and is no call of the run. */
  aside(path: string): Aside | undefined;
}

export function offerOf({ tools, exits, objects }: IterationContext): Offer {
  const inObjects = new Set(objects.flatMap((bound) => bound.tools.map(({ call }) => call)));
  const free = tools.list.filter((tool) => !inObjects.has(tool));
  const offered = new Map<string, Offered>();
  for (const tool of free) for (const name of [tool.name, ...tool.aliases]) offered.set(name, { tool, name });
  for (const bound of objects) offerObject(bound, offered);
  const declarations = declare({
    functions: free.map((tool) => declaredTool(tool.name, tool, tools)),
    exits: exits.map(({ name, description, schema }) => ({ name, description, value: schema?.json })),
    objects: objects.map((bound) => declaredObject(bound, tools)),
  });
  const asides = declarations.isShort ? asidesOf(declarations, offered) : noAsides;
  const paths = [...offered.keys(), ...asides.keys()];
  return {
    declarations,
    exits,
    objects,
    paths,
    asked: (path, input) => askedOf(offered.get(path), input),
    aside: (path) => asides.get(path),
  };
}

/** A program gives the input itself, where JSON calls wrap what is no object. */
function askedOf(offered: Offered | undefined, input: Json | undefined) {
  if (!offered) return undefined;
  const given = input === undefined ? undefined : decode(input);
  const sent = offered.tool.wrapsInput && given !== undefined ? { input: given } : given;
  return { name: offered.name, input: sent ?? {} };
}

const noAsides: ReadonlyMap<string, Aside> = new Map();

/** A tool that has one of these names keeps it. */
function asidesOf(
  { describe, search }: Declarations,
  offered: ReadonlyMap<string, Offered>,
): ReadonlyMap<string, Aside> {
  const asides = new Map<string, Aside>([
    ["describe", (name) => describe(String(name))],
    ["search", (words) => search(String(words))],
  ]);
  for (const path of offered.keys()) asides.delete(path.split(".")[0]!);
  return asides;
}

/** `Orders.cancel`, which the run knows as `Orders_cancel`; aliases likewise. */
function offerObject({ object, tools }: BoundObject, offered: Map<string, Offered>): void {
  for (const { tool, call } of tools) {
    for (const name of [tool.name, ...tool.aliases]) {
      offered.set(`${object.name}.${name}`, { tool: call, name: callName(object, name) });
    }
  }
}

function declaredObject({ object, tools }: BoundObject, set: ToolSet): DeclaredObject {
  const { name, description, properties } = object;
  return {
    name,
    description,
    properties: properties.map((property) => ({
      name: property.name,
      description: property.description,
      type: property.type?.outputJson ?? property.inputSchema,
      writable: property.writable,
    })),
    functions: tools.map(({ tool, call }) => declaredTool(tool.name, call, set)),
  };
}

function declaredTool(name: string, tool: Tool, tools: ToolSet) {
  return { name, description: tools.describe(tool), input: inputOf(tool, tools), output: tool.output?.outputJson };
}

/** The schema of the input itself. */
function inputOf(tool: Tool, tools: ToolSet): JsonSchema | undefined {
  if (!tool.input) return undefined;
  const shown = tools.inputSchema(tool);
  if (!tool.wrapsInput) return shown;
  if (tool.definition.staticInputValues === undefined) return tool.input.json;
  const { properties, $defs, definitions } = shown;
  const inner = isPlainObject(properties) ? (properties.input as JsonSchema) : {};
  return { ...inner, ...($defs && { $defs }), ...(definitions && { definitions }) };
}
