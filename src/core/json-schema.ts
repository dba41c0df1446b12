/** JSON Schema as plain data: its type, and following a local reference. */
import { isPlainObject } from "../base/json.ts";

/** A raw JSON Schema (draft 2020-12 or draft 7). It validates; it does not fill in defaults. */
export type JsonSchema = { [key: string]: any };

/** The schema that is meant, where a reference stands in its place. */
export function followRef(json: JsonSchema, root: JsonSchema): JsonSchema {
  const seen = new Set<string>();
  while (typeof json.$ref === "string" && !seen.has(json.$ref)) {
    seen.add(json.$ref);
    const target = resolvePointer(json.$ref, root);
    if (!isPlainObject(target)) return json;
    const { $ref: _, ...beside } = json;
    json = { ...target, ...beside };
  }
  return json;
}

/** What `#` or `#/…` points to; undefined when nothing is there. */
export function resolvePointer(pointer: string, root: JsonSchema): unknown {
  if (pointer === "#") return root;
  if (!pointer.startsWith("#/")) return undefined;
  let target: any = root;
  for (const key of pointer.slice(2).split("/")) {
    target = target?.[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return target;
}

/** The object schemas that a schema may be: itself, or those of its variants. */
export function objectBranches(json: JsonSchema, root: JsonSchema): JsonSchema[] {
  const schema = followRef(json, root);
  if (isPlainObject(schema.properties)) return [schema];
  const variants = ["anyOf", "oneOf", "allOf"].flatMap((word) =>
    Array.isArray(schema[word]) ? (schema[word] as JsonSchema[]) : [],
  );
  if (variants.length > 0) return variants.flatMap((variant) => objectBranches(variant, root));
  return [schema.type].flat().includes("object") ? [schema] : [];
}

/** `["a", 0, "b"]` → `a[0].b` */
export function keyPath(keys: readonly PropertyKey[]): string {
  let text = "";
  for (const key of keys) text += typeof key === "number" ? `[${key}]` : text ? `.${String(key)}` : String(key);
  return text;
}
