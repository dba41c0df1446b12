/** The input as a model sees it (always an object, without static values), and back. */
import { isPlainObject } from "../base/json.ts";
import { followRef, type JsonSchema } from "./json-schema.ts";
import type { Validator } from "./schema.ts";
import type { Tool } from "./tool.ts";
import { isWhole } from "./tool-statics.ts";

export interface ModelInput {
  inputSchema: JsonSchema;
  wrapsInput: boolean;
}

export function inputForModel(input: Validator | undefined, statics: unknown): ModelInput {
  if (!input) return { inputSchema: openObject(), wrapsInput: false };
  if (isWhole(statics, input))
    return { inputSchema: { type: "object", properties: {}, additionalProperties: false }, wrapsInput: false };
  return objectSchema(isPlainObject(statics) ? hide(input.json, statics, input.json) : input.json, "input");
}

/** Providers take objects only: a schema of anything else goes under one key. Exit values use the key `value`. */
export function objectSchema(json: JsonSchema, key: "input" | "value"): ModelInput {
  if (json.type === "object")
    return { inputSchema: "properties" in json ? json : { ...json, properties: {} }, wrapsInput: false };
  if (isAnything(json)) return { inputSchema: { ...json, ...openObject() }, wrapsInput: false };
  const { $defs, definitions, ...inner } = moveRefs(json, key) as JsonSchema;
  const inputSchema = {
    type: "object",
    properties: { [key]: inner },
    required: [key],
    additionalProperties: false,
    ...($defs && { $defs }),
    ...(definitions && { definitions }),
  };
  return { inputSchema, wrapsInput: true };
}

/** What the model sent, as the tool takes it. */
export function inputFromModel(tool: Tool, sent: unknown): unknown {
  if (!tool.wrapsInput) return sent;
  return isPlainObject(sent) && "input" in sent && Object.keys(sent).length === 1 ? sent.input : sent;
}

const openObject = (): JsonSchema => ({ type: "object", properties: {}, additionalProperties: true });

function isAnything(json: JsonSchema): boolean {
  return Object.keys(json).every((key) => ["$schema", "title", "description", "default", "examples"].includes(key));
}

/** `#` meant the whole schema, which now stands under a key. */
function moveRefs(json: unknown, key: string): unknown {
  if (Array.isArray(json)) return json.map((item) => moveRefs(item, key));
  if (!isPlainObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, item]) => [
      name,
      name === "$ref" && item === "#" ? `#/properties/${key}` : moveRefs(item, key),
    ]),
  );
}

/** The schema without the properties that are set statically. An object that is set whole goes as a whole. */
function hide(json: JsonSchema, statics: Record<string, unknown>, root: JsonSchema): JsonSchema {
  const schema = followRef(json, root);
  const result: JsonSchema = { ...schema };
  for (const branch of ["anyOf", "oneOf", "allOf"]) {
    if (Array.isArray(schema[branch]))
      result[branch] = schema[branch].map((item: JsonSchema) => hide(item, statics, root));
  }
  if (!isPlainObject(schema.properties)) return result;

  const properties = { ...schema.properties } as Record<string, JsonSchema>;
  for (const [key, value] of Object.entries(statics)) {
    const property = properties[key];
    const rest = property && isPlainObject(value) ? hide(property, value, root) : undefined;
    if (rest && isPlainObject(rest.properties) && Object.keys(rest.properties).length > 0) properties[key] = rest;
    else delete properties[key];
  }
  result.properties = properties;
  if (Array.isArray(schema.required)) result.required = schema.required.filter((key: string) => key in properties);
  if (result.required?.length === 0) delete result.required;
  return result;
}
