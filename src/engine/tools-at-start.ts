/** Tools and exits that are known before the run starts are checked then. */
import type { ExecuteOptions } from "../core/execute.ts";
import type { ObjectInstance } from "../core/object.ts";
import { resolveTool } from "../core/tool-spec.ts";
import { checkExits, modeName, NamedTools } from "./named-tools.ts";
import type { RunObjects } from "./objects.ts";

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
