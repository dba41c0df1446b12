/** The input as a model sees it (always an object, without static values), and back. */
import { isPlainObject } from "../base/json.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Validator } from "./schema.ts";
import type { Tool } from "./tool.ts";
import { withoutStatics } from "./tool-hidden-input.ts";
import { isWhole } from "./tool-statics.ts";

export interface ModelInput {
  inputSchema: JsonSchema;
  wrapsInput: boolean;
}

export function inputForModel(input: Validator | undefined, statics: unknown): ModelInput {
  if (!input) return { inputSchema: openObject(), wrapsInput: false };
  if (isWhole(statics, input)) {
    return { inputSchema: { type: "object", properties: {}, additionalProperties: false }, wrapsInput: false };
  }
  return objectSchema(isPlainObject(statics) ? withoutStatics(input.json, statics) : input.json, "input");
}

/** What providers refuse at the root of a tool's schema. */
const notAtRoot = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if"];

/** Providers take plain objects only: a schema of anything else goes under one key. Exit values use the key `value`. */
export function objectSchema({ $schema: _, ...json }: JsonSchema, key: "input" | "value"): ModelInput {
  if (json.type === "object" && !notAtRoot.some((word) => word in json)) {
    return { inputSchema: "properties" in json ? json : { ...json, properties: {} }, wrapsInput: false };
  }
  if (isAnything(json)) return { inputSchema: { ...json, ...openObject() }, wrapsInput: false };
  return { inputSchema: schemaUnder(key, json), wrapsInput: true };
}

/** The schema of `{ [key]: … }`. */
export function schemaUnder(key: string, { $schema: _, ...json }: JsonSchema): JsonSchema {
  const { $defs, definitions, ...inner } = moveRefs(json, key) as JsonSchema;
  return {
    type: "object",
    properties: { [key]: inner },
    required: [key],
    additionalProperties: false,
    ...($defs && { $defs }),
    ...(definitions && { definitions }),
  };
}

/** What the model sent, as the tool takes it. */
export function inputFromModel(tool: Tool, sent: unknown): unknown {
  if (!tool.wrapsInput || !isPlainObject(sent)) return sent;
  const keys = Object.keys(sent);
  if (keys.length === 0) return undefined;
  return keys.length === 1 && keys[0] === "input" ? sent.input : sent;
}

const openObject = (): JsonSchema => ({ type: "object", properties: {}, additionalProperties: true });

function isAnything(json: JsonSchema): boolean {
  return Object.keys(json).every((key) => ["title", "description", "default", "examples"].includes(key));
}

/** A reference from the root now starts under the key; shared definitions stay at the root. */
function moveRefs(json: unknown, key: string): unknown {
  if (Array.isArray(json)) return json.map((item) => moveRefs(item, key));
  if (!isPlainObject(json)) return json;
  const moved = (name: string, item: unknown) =>
    name === "$ref" && typeof item === "string" ? moveRef(item, key) : moveRefs(item, key);
  return Object.fromEntries(Object.entries(json).map(([name, item]) => [name, moved(name, item)]));
}

function moveRef(ref: string, key: string): string {
  const stays = !ref.startsWith("#") || ref.startsWith("#/$defs/") || ref.startsWith("#/definitions/");
  return stays ? ref : `#/properties/${key}${ref.slice(1)}`;
}
