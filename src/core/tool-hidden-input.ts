/** Takes what is set statically out of the schema that a model sees. */
import { isPlainObject } from "../base/json.ts";
import { followRef, type JsonSchema } from "./json-schema.ts";

type Statics = Record<string, unknown>;

export function withoutStatics(json: JsonSchema, statics: Statics): JsonSchema {
  if (Object.keys(statics).length === 0) return json;
  const root = nameTheRoot(json);
  return hide(root, statics, root);
}

/**
 * The schema without those properties. An object that is set in part stays with the rest; variants of a union that the
 * static values rule out go.
 */
function hide(json: JsonSchema, statics: Statics, root: JsonSchema): JsonSchema {
  const { default: _, examples: __, ...schema } = followRef(json, root);
  const result: JsonSchema = isPlainObject(schema.properties) ? hideProperties(schema, statics, root) : { ...schema };
  for (const word of ["anyOf", "oneOf"]) {
    if (!Array.isArray(schema[word])) continue;
    delete result[word]; // without the property that told them apart, more than one may fit
    result.anyOf = variants(schema[word], statics, root).map((item) => hide(item, statics, root));
  }
  if (Array.isArray(schema.allOf)) result.allOf = schema.allOf.map((item: JsonSchema) => hide(item, statics, root));
  return result;
}

function hideProperties(schema: JsonSchema, statics: Statics, root: JsonSchema): JsonSchema {
  const properties = { ...schema.properties } as Record<string, JsonSchema>;
  const optional = new Set<string>();
  for (const [key, value] of Object.entries(statics)) {
    if (value === undefined) continue;
    const property = properties[key];
    const rest = property && isPlainObject(value) ? hide(property, value, root) : undefined;
    if (!rest || isEmpty(rest)) delete properties[key];
    else {
      properties[key] = rest;
      if (rest.type === "object" && !rest.required) optional.add(key);
    }
  }
  const { required: before, ...result }: JsonSchema = { ...schema, properties };
  const required = Array.isArray(before) ? before.filter((key) => key in properties && !optional.has(key)) : [];
  return required.length > 0 ? { ...result, required } : result;
}

function variants(items: readonly JsonSchema[], statics: Statics, root: JsonSchema): JsonSchema[] {
  const possible = items.filter((item) => !isRuledOut(followRef(item, root), statics, root));
  return possible.length > 0 ? possible : [...items];
}

function isRuledOut({ properties }: JsonSchema, statics: Statics, root: JsonSchema): boolean {
  return Object.entries(statics).some(([key, value]) => {
    const property = isPlainObject(properties) && followRef((properties[key] ?? {}) as JsonSchema, root);
    if (!property || ["object", "function", "undefined"].includes(typeof value)) return false;
    if ("const" in property) return property.const !== value;
    return Array.isArray(property.enum) && !property.enum.includes(value);
  });
}

/** Nothing is left for the model to say. */
function isEmpty(rest: JsonSchema): boolean {
  if (isPlainObject(rest.properties) && Object.keys(rest.properties).length > 0) return false;
  if (isPlainObject(rest.additionalProperties) || rest.additionalProperties === true) return false;
  return Array.isArray(rest.anyOf) ? rest.anyOf.every(isEmpty) : true;
}

/** A reference to the whole schema means the schema before anything is taken out of it. */
function nameTheRoot(json: JsonSchema): JsonSchema {
  if (!JSON.stringify(json).includes('"$ref":"#"')) return json;
  const named = rename(json) as JsonSchema;
  const { $defs, definitions, ...whole } = named;
  return { ...named, $defs: { ...$defs, whole } };
}

function rename(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(rename);
  if (!isPlainObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [key, key === "$ref" && item === "#" ? "#/$defs/whole" : rename(item)]),
  );
}
