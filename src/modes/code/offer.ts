/** What an iteration offers to a program: functions by path, each with the tool behind it, and exits. */
import { decode } from "../../base/codec.ts";
import { isPlainObject, type Json } from "../../base/json.ts";
import type { Exit } from "../../core/exit.ts";
import type { JsonSchema } from "../../core/json-schema.ts";
import type { IterationContext, ToolSet } from "../../core/mode.ts";
import type { Tool } from "../../core/tool.ts";
import { type Declarations, declare } from "./declarations/index.ts";

/** What a program calls: the tool, and the name that the run knows it by. */
interface Offered {
  readonly tool: Tool;
  readonly name: string;
}

type Aside = (input: Json | undefined) => Json;

export interface Offer {
  readonly declarations: Declarations;
  readonly exits: readonly Exit[];
  /** Everything that a program may call. */
  readonly paths: readonly string[];
  /** What a program asks for with a path and an input, as the run is asked for it; undefined for an aside. */
  asked(path: string, input: Json | undefined): { name: string; input: unknown } | undefined;
  /** What is answered here, and is no call of the run. */
  aside(path: string): Aside | undefined;
}

export function offerOf({ tools, exits }: IterationContext): Offer {
  const offered = new Map<string, Offered>();
  for (const tool of tools.list) for (const name of [tool.name, ...tool.aliases]) offered.set(name, { tool, name });
  const declarations = declare({
    functions: tools.list.map((tool) => declaredTool(tool.name, tool, tools)),
    exits: exits.map(({ name, description, schema }) => ({ name, description, value: schema?.json })),
    objects: [],
  });
  const asides = declarations.isShort ? asidesOf(declarations) : noAsides;
  const paths = [...offered.keys(), ...asides.keys()];
  return {
    declarations,
    exits,
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

function asidesOf({ describe, search }: Declarations): ReadonlyMap<string, Aside> {
  return new Map([
    ["describe", (name) => describe(String(name))],
    ["search", (words) => search(String(words))],
  ]);
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
