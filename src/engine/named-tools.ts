/** The tools of an iteration by name and alias, and the rule that no name is there twice. What is known at the start is checked then. */
import { HaftError, invalidOption } from "../base/errors.ts";
import { noSecrets } from "../core/call-context.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import { Exit } from "../core/exit.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import type { ToolSet } from "../core/mode.ts";
import type { ObjectInstance } from "../core/object.ts";
import type { SandboxAccess } from "../core/sandbox.ts";
import type { OpenSecrets } from "../core/secrets.ts";
import type { Tool, ToolEntry } from "../core/tool.ts";
import { withSecretNames } from "../core/tool-secret-input.ts";
import { resolveTool } from "../core/tool-spec.ts";
import type { RunObjects } from "./objects.ts";

export class NamedTools implements ToolSet {
  readonly list: readonly Tool[];
  /** Descriptions may tell what it can do. */
  #sandbox: SandboxAccess | undefined;
  #secrets: OpenSecrets | undefined;

  /** @throws HaftError `DUPLICATE_TOOL` */
  constructor(entries: readonly ToolEntry[], mode: string, sandbox?: SandboxAccess, secrets?: OpenSecrets) {
    const all = entries.map(resolveTool);
    this.list = all.some(({ definition }) => definition.modes) ? all.filter((tool) => isOf(tool, mode)) : all;
    this.surround(sandbox, secrets);
    if (entries.length > 1) checkNames(this.list);
  }

  /** What is known when the run has begun. */
  surround(sandbox: SandboxAccess | undefined, secrets: OpenSecrets | undefined): void {
    this.#sandbox = sandbox;
    this.#secrets = secrets;
  }

  find(name: string): Tool | undefined {
    return this.list.find((tool) => tool.name === name || tool.aliases.includes(name));
  }

  describe(tool: Tool): string {
    return tool.describe({ sandbox: this.#sandbox });
  }

  inputSchema(tool: Tool): JsonSchema {
    const { name, definition, inputSchema } = tool;
    if (!definition.secretInput) return inputSchema;
    const { names } = this.#secrets?.secretsFor({ name, secrets: definition.secrets }, () => {}) ?? noSecrets;
    return withSecretNames(inputSchema, definition.secretInput, names);
  }
}

function isOf({ definition: { modes } }: Tool, mode: string): boolean {
  return modes === undefined || (modes as readonly string[]).includes(mode);
}

/** The name of the mode that a run is in. */
export function modeName({ mode = "tools" }: ExecuteOptions): string {
  return typeof mode === "object" ? mode.name : mode;
}

/** A tool may say its own name again as an alias. */
function checkNames(list: readonly Tool[]): void {
  const known = new Map<string, Tool>();
  for (const tool of list) {
    if (known.has(tool.name)) throw duplicate(tool.name);
    known.set(tool.name, tool);
  }
  for (const tool of list) {
    for (const alias of tool.aliases) {
      const other = known.get(alias);
      if (other && other !== tool) throw duplicate(alias);
      known.set(alias, tool);
    }
  }
}

function duplicate(name: string): HaftError {
  return new HaftError("DUPLICATE_TOOL", `Two tools of this run are called "${name}"`, {
    hint: "Rename one (tool.rename, tool.with({ name })), or number them: Tool.withUniqueNames(tools).",
  });
}

/** Exits are taken in any capitals. @throws HaftError `OPTIONS_INVALID`, `DUPLICATE_EXIT`, `DUPLICATE_TOOL`, `DUPLICATE_OBJECT` */
export function checkExits(exits: readonly Exit[], tools: ToolSet, objects?: readonly ObjectInstance[]): void {
  if (!Array.isArray(exits)) throw invalidOption("exits must be a list of exits");
  if (exits.length > 0) checkExitNames(exits, tools, objects);
}

function checkExitNames(exits: readonly Exit[], tools: ToolSet, objects?: readonly ObjectInstance[]): void {
  const seen = new Set<string>();
  const toolNames = new Set(
    tools.list.flatMap(({ name, aliases }) => [name, ...aliases].map((one) => one.toLowerCase())),
  );
  for (const exit of exits) {
    if (!Exit.is(exit))
      throw invalidOption("exits has something that is not an Exit", "Make one with new Exit({ name, schema }).");
    for (const name of [exit.name, ...exit.aliases]) {
      if (seen.has(name.toLowerCase()))
        throw new HaftError("DUPLICATE_EXIT", `Two exits of this run are called "${name}"`, {
          hint: "Rename one, or use Exit.withUniqueNames(exits).",
        });
      seen.add(name.toLowerCase());
      if (toolNames.has(name.toLowerCase()))
        throw new HaftError("DUPLICATE_TOOL", `A tool and an exit of this run are both called "${name}"`, {
          hint: "Rename one of them.",
        });
      if (objects?.some((object) => object.name.toLowerCase() === name.toLowerCase()))
        throw new HaftError("DUPLICATE_OBJECT", `An object and an exit of this run are both called "${name}"`, {
          hint: "Rename one of them.",
        });
    }
  }
}

/** The tools where they are a list; a function is asked for them each iteration. */
export function toolsAtStart(options: ExecuteOptions, run: RunObjects | undefined): NamedTools | undefined {
  const { tools = [], exits = [] } = options;
  if (typeof tools === "function") return undefined;
  const objects = objectsAtStart(options);
  const list = objects && run ? run.withTools(objects, tools.map(resolveTool)) : tools;
  const named = new NamedTools(list, modeName(options));
  if (typeof exits !== "function") checkExits(exits, named, objects);
  return named;
}

/** The objects where they are a list. */
export function objectsAtStart({ objects }: ExecuteOptions): readonly ObjectInstance[] | undefined {
  return typeof objects === "function" ? undefined : objects;
}

/** Dynamic tools are not known yet: a run with those names its sandbox. */
export function wantsSandbox(tools: NamedTools | undefined): boolean {
  return tools?.list.some((tool) => tool.definition.sandbox) ?? false;
}
