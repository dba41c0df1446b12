/** JSON Schema as plain data: its type, and following a local reference. */
import { isPlainObject } from "../base/json.ts";

/** A raw JSON Schema (draft 2020-12 or draft 7). It validates; it does not fill in defaults. */
export type JsonSchema = { [key: string]: any };

export function followRef(json: JsonSchema, root: JsonSchema): JsonSchema {
  if (typeof json.$ref !== "string" || !json.$ref.startsWith("#/")) return json;
  let target: any = root;
  for (const key of json.$ref.slice(2).split("/")) target = target?.[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  return isPlainObject(target) ? { ...target, ...omitRef(json) } : json;
}

function omitRef({ $ref: _, ...rest }: JsonSchema): JsonSchema {
  return rest;
}
