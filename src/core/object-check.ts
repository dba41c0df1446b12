/** Reads an object's definition, and says in a sentence with its name what is wrong with it. */
import { HaftError } from "../base/errors.ts";
import { describeValue, isPlainObject, type Json } from "../base/json.ts";
import { checkMemberName, checkName } from "./names.ts";
import type { ObjectDefinition, ObjectProperty, PropertyDefinition } from "./object.ts";
import { callName, getName, pathOf, setName } from "./object-names.ts";
import { readValue } from "./object-value.ts";
import type { WriteAnswer } from "./program.ts";
import { readSchema } from "./schema.ts";
import type { Tool, ToolEntry } from "./tool.ts";
import { resolveTool } from "./tool-spec.ts";

const MAX_PROPERTIES = 100;
const MAX_NAME_LENGTH = 50;

interface Identity {
  name: string;
  /** Starts the sentences of errors. */
  owner: string;
  description: string;
  metadata: Record<string, any>;
  properties: readonly unknown[];
  tools: readonly ToolEntry[];
}

/** @throws HaftError `OBJECT_INVALID` */
export function readIdentity(definition: ObjectDefinition<any>): Identity {
  if (!isPlainObject(definition)) {
    const found = describeValue(definition);
    throw invalid(`new Autonomous.Object() takes an object { name, description, properties, tools }, not ${found}`);
  }
  const { name, description = "", metadata = {}, properties = [], tools = [] } = definition as ObjectDefinition;
  checkName(name, "An object", "OBJECT_INVALID");
  const owner = `Object "${name}"`;
  if (typeof description !== "string") throw invalid(`${owner}: description must be text`);
  if (!isPlainObject(metadata)) throw invalid(`${owner}: metadata must be an object`);
  if (!Array.isArray(properties)) throw invalid(`${owner}: properties must be a list`, listHint);
  if (!Array.isArray(tools)) throw invalid(`${owner}: tools must be a list of tools`);
  if (properties.length > MAX_PROPERTIES) {
    throw invalid(
      `${owner} has ${properties.length} properties, and may have ${MAX_PROPERTIES}`,
      "Make one property of several values, or two objects.",
    );
  }
  return { name, owner, description, metadata, properties, tools };
}

const listHint = 'Each is an object: { name: "status", value: "open", type, writable, description }.';

interface ReadProperty {
  property: ObjectProperty;
  /** While a type that validates asynchronously looks at the initial value. */
  checking: Promise<void> | undefined;
}

/** @throws HaftError `OBJECT_INVALID`, `OBJECT_VALUE_INVALID`, `SCHEMA_INVALID`, `SCHEMA_UNSUPPORTED` */
export function readProperty(object: string, owner: string, given: unknown, index: number): ReadProperty {
  if (!isPlainObject(given))
    throw invalid(`${owner}: properties[${index}] is ${describeValue(given)}, not a property`, listHint);
  const { name, description = "", type: schema, writable = false, value } = given as unknown as PropertyDefinition;
  checkMemberName(name, `${owner}: a property`, "OBJECT_INVALID");
  const path = pathOf({ name: object }, { name });
  if (typeof description !== "string") throw invalid(`${path}: description must be text`);
  if (typeof writable !== "boolean") throw invalid(`${path}: writable must be true or false`);
  const type = schema === undefined ? undefined : readSchema(schema, `${path}: type`);
  const inputSchema = writable ? (type?.json ?? {}) : undefined;

  let initial: Json | undefined;
  const accept = (answer: WriteAnswer) => {
    if (!answer.ok) throw unfit(answer.message);
    initial = answer.value;
  };
  const reading = readValue(path, type, value);
  const checking = reading instanceof Promise ? reading.then(accept) : accept(reading);
  const property = {
    name,
    description,
    type,
    inputSchema,
    writable,
    get initial() {
      return initial;
    },
  };
  return { property: Object.freeze(property), checking: checking ?? undefined };
}

function unfit(message: string): HaftError {
  return new HaftError("OBJECT_VALUE_INVALID", message, {
    hint: "Give an initial value that fits the property's type.",
  });
}

/** @throws HaftError `TOOL_INVALID`, `TOOL_OPTIONS_INVALID` */
export function readTools(tools: readonly ToolEntry[]): Tool[] {
  return tools.map(resolveTool);
}

interface Members {
  readonly name: string;
  readonly properties: readonly ObjectProperty[];
  readonly tools: readonly Tool[];
}

/** No two members have one name. @throws HaftError `OBJECT_INVALID` */
export function checkMembers({ properties, tools }: Members, owner: string): void {
  const seen = new Set<string>();
  const names = tools.flatMap((tool) => [...new Set([tool.name, ...tool.aliases])]);
  for (const name of names) checkMemberName(name, `${owner}: a tool`, "OBJECT_INVALID");
  for (const name of [...properties.map((property) => property.name), ...names]) {
    if (seen.has(name)) throw invalid(`${owner} has two members called "${name}"`, "Rename one of them.");
    seen.add(name);
  }
}

/** Each call has a name of its own, which every provider takes. @throws HaftError `OBJECT_INVALID` */
export function checkCalls(object: Members, owner: string): void {
  const { properties, tools } = object;
  const access = properties.length > 0 ? [getName(object)] : [];
  for (const property of properties) if (property.writable) access.push(setName(object, property));
  const calls = tools.flatMap(({ name, aliases }) => [name, ...aliases]).map((name) => callName(object, name));
  const taken = calls.find((call) => access.includes(call));
  if (taken) {
    throw invalid(
      `${owner} has a tool that would be called "${taken}", by which models read or set properties`,
      "Rename the tool.",
    );
  }
  const long = [...access, ...calls].find((call) => call.length > MAX_NAME_LENGTH);
  if (long)
    throw invalid(
      `${owner}: "${long}" is longer than ${MAX_NAME_LENGTH} characters, and a model must call it so`,
      "Shorten one of its names.",
    );
}

function invalid(message: string, hint?: string): HaftError {
  return new HaftError("OBJECT_INVALID", message, hint === undefined ? {} : { hint });
}
