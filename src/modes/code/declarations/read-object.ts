/** An object's schema → its properties, and the type of those that it does not name. */
import { isPlainObject } from "../../../base/json.ts";
import type { JsonSchema } from "../../../core/json-schema.ts";
import { noteOf } from "./notes.ts";
import type { SchemaReader } from "./read-schema.ts";
import { singular, typeName } from "./type-names.ts";
import type { Field, Suggestion, TypeNode } from "./type-nodes.ts";

export function readObject(
  reader: SchemaReader,
  schema: JsonSchema,
  root: JsonSchema,
  suggestion: Suggestion,
): TypeNode {
  const { pool } = reader;
  const fields = fieldsOf(reader, schema, root);
  const others = othersOf(reader, schema, root, suggestion);
  if (!others) {
    const isAny = fields.length === 0 && schema.additionalProperties !== false && !schema.properties;
    return isAny ? pool.object([], pool.unknown) : pool.object(fields);
  }
  const note = isPlainObject(schema.patternProperties) ? patternNote(schema.patternProperties) : "";
  // TypeScript wants every property to fit the index signature; where one does not, that may hold anything.
  const alternatives: readonly TypeNode[] = others.kind === "union" ? others.members : [others];
  const fitsAll = fields.every(
    ({ type, isOptional }) => !isOptional && (type === others || alternatives.includes(type)),
  );
  return pool.object(fields, fitsAll ? others : pool.unknown, note);
}

function fieldsOf(reader: SchemaReader, schema: JsonSchema, root: JsonSchema): Field[] {
  const properties: JsonSchema = isPlainObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.keys(properties).map((name): Field => {
    const property: unknown = properties[name];
    const hasDefault = reader.side === "input" && isPlainObject(property) && property.default !== undefined;
    const isOptional = !required.has(name) || hasDefault;
    const type = reader.read(property, root, { name: typeName(name), rank: 2 });
    const note = noteOf(property, root, reader.side);
    return { name, isOptional, type: inherited.has(name) ? reader.pool.plain("any") : type, note };
  });
  for (const name of unlisted(schema, properties, required)) {
    const type = reader.read(schema.additionalProperties ?? true, root, { name: typeName(name), rank: 1 });
    fields.push({ name, isOptional: !required.has(name), type, note: "" });
  }
  return fields;
}

/** TypeScript sees these in every object, and would refuse objects that have others, or none. */
const inherited: ReadonlySet<string> = new Set(
  "constructor toString toLocaleString valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable".split(" "),
);

/** Names that stand elsewhere than among the properties. */
function unlisted(schema: JsonSchema, properties: JsonSchema, required: ReadonlySet<unknown>): string[] {
  const names = [...namesOf(schema), ...required];
  return [...new Set(names)].filter((name): name is string => {
    return typeof name === "string" && !Object.hasOwn(properties, name);
  });
}

/** Keys of a record that are one of a few. */
function namesOf({ propertyNames }: JsonSchema): readonly unknown[] {
  if (!isPlainObject(propertyNames)) return [];
  if ("const" in propertyNames) return [propertyNames.const];
  return Array.isArray(propertyNames.enum) ? propertyNames.enum : [];
}

function othersOf(
  reader: SchemaReader,
  schema: JsonSchema,
  root: JsonSchema,
  { name }: Suggestion,
): TypeNode | undefined {
  if (namesOf(schema).length > 0) return undefined;
  const patterns = isPlainObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const { additionalProperties } = schema;
  const isListed = isPlainObject(additionalProperties) || additionalProperties === true;
  const values = isListed ? [...patterns, additionalProperties] : patterns;
  if (values.length === 0) return undefined;
  return reader.pool.union(values.map((value) => reader.read(value, root, { name: singular(name), rank: 1 })));
}

function patternNote(patterns: JsonSchema): string {
  const names = Object.keys(patterns).map((pattern) => `/${pattern}/`);
  return names.join(", ").length <= 80 ? names.join(", ") : "";
}
