/** The objects of a run are objects, and no name is there twice: neither theirs nor those of their calls. */
import { HaftError, invalidOption } from "../base/errors.ts";
import { describeValue } from "../base/json.ts";
import { ObjectInstance } from "../core/object.ts";
import type { Tool } from "../core/tool.ts";

/** @throws HaftError `OPTIONS_INVALID`, `DUPLICATE_OBJECT`, `DUPLICATE_TOOL` */
export function checkObjects(objects: readonly ObjectInstance[], tools: readonly Tool[]): void {
  if (!Array.isArray(objects)) throw invalidOption("objects must be a list of objects");
  const taken = new Set(tools.flatMap(({ name, aliases }) => [name, ...aliases]));
  const seen = new Set<string>();
  for (const [index, object] of objects.entries()) {
    if (!ObjectInstance.is(object)) {
      const found = describeValue(object);
      throw invalidOption(
        `objects[${index}] is ${found}, not an object of ours`,
        "Make one with new Autonomous.Object({ name, properties, tools }).",
      );
    }
    const { name } = object;
    if (seen.has(name)) throw duplicate(`Two objects of this run are called "${name}"`);
    if (taken.has(name)) throw duplicate(`An object and a tool of this run are both called "${name}"`);
    seen.add(name);
    checkCalls(object, taken);
  }
}

/** Initial values whose types validate asynchronously are looked at before anybody sees them. */
export function readyObjects(objects: readonly ObjectInstance[] | undefined): Promise<unknown> | undefined {
  if (!Array.isArray(objects)) return undefined;
  const waiting = objects.flatMap((object) => (ObjectInstance.is(object) ? (object.ready ?? []) : []));
  return waiting.length > 0 ? Promise.all(waiting) : undefined;
}

function duplicate(message: string): HaftError {
  return new HaftError("DUPLICATE_OBJECT", message, { hint: "Rename one of them." });
}

/** Two tools of an object itself were told apart where it was defined. */
function checkCalls({ name, tools, calls }: ObjectInstance, taken: Set<string>): void {
  for (const [index, call] of calls.entries()) {
    const other = [call.name, ...call.aliases].find((one) => taken.has(one));
    if (other === undefined) continue;
    const message = `"${tools[index]!.name}" of the object "${name}" is called "${other}", and so is another tool of this run`;
    throw new HaftError("DUPLICATE_TOOL", message, { hint: "Rename one of them." });
  }
}
