/** Tools and exits that are known before the run starts are checked then. */
import type { ExecuteOptions } from "../core/execute.ts";
import { checkExits, NamedTools } from "./named-tools.ts";

/** The tools where they are a list; a function is asked for them each iteration. */
export function toolsAtStart({ tools = [], exits = [] }: ExecuteOptions): NamedTools | undefined {
  if (typeof tools === "function") return undefined;
  const named = new NamedTools(tools);
  if (typeof exits !== "function") checkExits(exits, named);
  return named;
}

/** Dynamic tools are not known yet: a run with those names its sandbox. */
export function wantsSandbox(tools: NamedTools | undefined): boolean {
  return tools?.list.some((tool) => tool.definition.sandbox) ?? false;
}
