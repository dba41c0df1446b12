/** JSON Schema → type: every value that fits what a schema lists fits the type, and what cannot be said is `unknown`. */
import { canonicalJson, hashText, isPlainObject } from "../../../base/json.ts";
import { type JsonSchema, resolvePointer } from "../../../core/json-schema.ts";
import { literal } from "./literal.ts";
import type { Side } from "./notes.ts";
import { readObject } from "./read-object.ts";
import { singular, typeName } from "./type-names.ts";
import { type RecursiveNode, type Suggestion, suggest, type TypeNode, type TypePool } from "./type-nodes.ts";

/** Deeper than anybody reads. */
const MAX_DEPTH = 100;

/**
 * Reads the schemas of one side. As everywhere in prompts, objects are taken as closed and tuples as complete, unless the
 * schema says otherwise: properties that nobody names are not worth writing about.
 */
export class SchemaReader {
  readonly pool: TypePool;
  readonly side: Side;
  /** By identity, so that a definition is read once however often it is referred to. */
  readonly #known = new Map<object, Known>();
  readonly #texts = new Map<object, string>();
  readonly #sharedTexts = new Map<object, string>();
  #unlike = 0;
  #root: JsonSchema | undefined;
  #depth = 0;

  constructor(pool: TypePool, side: Side) {
    this.pool = pool;
    this.side = side;
  }

  read(schema: unknown, root: JsonSchema, suggestion: Suggestion): TypeNode {
    if (schema === false) return this.pool.never;
    if (!isPlainObject(schema)) return this.pool.unknown;
    if (this.#root !== root) this.#known.clear(); // a reference means something else there
    this.#root = root;
    const name = typeof schema.title === "string" ? titled(schema.title, suggestion) : suggestion;
    const known = this.#known.get(schema);
    if (known && !known.type) return this.#itself(known, schema, root);
    const type = known?.type ?? this.#first(schema, root, name);
    const isMeant = type.kind !== "recursive" || type === this.#known.get(schema)?.itself;
    if (isMeant) suggest(type, name); // and not what merely refers to it
    return type;
  }

  #first(schema: JsonSchema, root: JsonSchema, suggestion: Suggestion): TypeNode {
    if (this.#depth >= MAX_DEPTH) return this.pool.unknown;
    const entry: Known = { type: undefined, itself: undefined };
    this.#known.set(schema, entry);
    this.#depth++;
    const type = this.#combine(schema, root, suggestion);
    this.#depth--;
    if (entry.itself) entry.itself.body ??= type;
    entry.type = entry.itself ?? type;
    return entry.type;
  }

  /** It is inside of itself. */
  #itself(known: Known, schema: JsonSchema, root: JsonSchema): TypeNode {
    known.itself ??= this.pool.recursive(`${this.side} ${this.#keyOf(schema, root)}`);
    return known.itself;
  }

  /** Two functions that bring the same definitions mean the same type. */
  #keyOf(schema: JsonSchema, root: JsonSchema): string {
    try {
      const own = this.#canonical(schema);
      const { $defs, definitions } = root;
      const shared = this.#canonical({ $defs, definitions }, root);
      const isApart = !/"\$ref":"#(?!\/\$defs\/|\/definitions\/)/.test(own + shared);
      return hashText(isApart ? own + shared : own + this.#canonical(root));
    } catch {
      return `no plain JSON: ${this.#unlike++}`;
    }
  }

  #canonical(schema: JsonSchema, key: object = schema): string {
    const texts = key === schema ? this.#texts : this.#sharedTexts;
    const known = texts.get(key) ?? canonicalJson(schema);
    texts.set(key, known);
    return known;
  }

  #combine(schema: JsonSchema, root: JsonSchema, suggestion: Suggestion): TypeNode {
    const { pool } = this;
    const variant = { ...suggestion, rank: 1 } as const;
    const all = (list: unknown) => (Array.isArray(list) ? list : []).map((item) => this.read(item, root, variant));
    const parts = [...all(schema.allOf)];
    if (typeof schema.$ref === "string") parts.push(this.#reference(schema.$ref, root, variant));
    for (const variants of [schema.anyOf, schema.oneOf]) {
      if (Array.isArray(variants)) parts.push(pool.union(all(variants)));
    }
    const beside = pool.intersection(parts);
    const own = this.#own(schema, root, suggestion, beside !== pool.unknown);
    const type = pool.intersection([own, beside]);
    return schema.nullable === true ? pool.union([type, pool.null]) : type;
  }

  #reference(pointer: string, root: JsonSchema, suggestion: Suggestion): TypeNode {
    let target: unknown;
    try {
      target = resolvePointer(pointer, root);
    } catch {} // a pointer that cannot be decoded points nowhere
    const last = pointer.split("/").at(-1)!;
    const isGenerated = last.startsWith("__");
    return this.read(target ?? true, root, isGenerated ? suggestion : { name: typeName(last), rank: 3 });
  }

  /** What a schema says without those that it is put together from. */
  #own(schema: JsonSchema, root: JsonSchema, suggestion: Suggestion, hasOthers: boolean): TypeNode {
    const { pool } = this;
    if ("const" in schema) return this.#literal(schema.const);
    if (Array.isArray(schema.enum)) {
      const values = schema.enum.filter((value) => schema.type === undefined || hasType(value, schema.type));
      return pool.union(values.map((value) => this.#literal(value)));
    }
    if (isPlainObject(schema.not) && Object.keys(schema.not).length === 0) return pool.never;
    if (schema.not === true) return pool.never;
    const types: unknown[] = schema.type === undefined ? impliedTypes(schema) : [schema.type].flat();
    if (types.length === 0) return pool.unknown;
    const isBare = hasOthers && types.length === 1 && types[0] === "object" && !says(schema, objectWords);
    if (isBare) return pool.unknown;
    return pool.union(types.map((type) => this.#typed(type, schema, root, suggestion)));
  }

  #typed(type: unknown, schema: JsonSchema, root: JsonSchema, suggestion: Suggestion): TypeNode {
    switch (type) {
      case "string":
      case "number":
      case "boolean":
      case "null":
        return this.pool.plain(type);
      case "integer":
        return this.pool.plain("number");
      case "array":
        return this.#array(schema, root, suggestion);
      case "object":
        return readObject(this, schema, root, suggestion);
      default:
        return this.pool.unknown;
    }
  }

  #array(schema: JsonSchema, root: JsonSchema, suggestion: Suggestion): TypeNode {
    const item = { ...suggestion, name: singular(suggestion.name) };
    const read = (one: unknown) => this.read(one, root, item);
    const isOldTuple = Array.isArray(schema.items);
    const first: unknown = isOldTuple ? schema.items : schema.prefixItems;
    const others: unknown = isOldTuple ? schema.additionalItems : schema.items;
    if (!Array.isArray(first) || first.length === 0) return this.pool.array(read(others ?? true));
    const { minItems = first.length } = schema;
    const required = typeof minItems === "number" ? Math.min(minItems, first.length) : first.length;
    const rest = others === undefined || others === false ? undefined : read(others);
    return this.pool.tuple(first.map(read), required, rest);
  }

  #literal(value: unknown): TypeNode {
    const { pool } = this;
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#literal(item));
      return pool.tuple(items, items.length, undefined);
    }
    if (isPlainObject(value)) {
      const fields = Object.entries(value).map(([name, item]) => {
        return { name, isOptional: false, type: this.#literal(item), note: "" };
      });
      return pool.object(fields);
    }
    return ["string", "number", "boolean"].includes(typeof value) || value === null
      ? pool.plain(literal(value))
      : pool.unknown;
  }
}

interface Known {
  /** Undefined while it is read. */
  type: TypeNode | undefined;
  itself: RecursiveNode | undefined;
}

/** Titles that say what a thing is, and not a sentence about it. */
function titled(title: string, suggestion: Suggestion): Suggestion {
  const name = title.length <= 40 ? typeName(title) : "";
  return name ? { name, rank: 3 } : suggestion;
}

const objectWords = ["properties", "patternProperties", "additionalProperties", "propertyNames", "required"];

function says(schema: JsonSchema, words: readonly string[]): boolean {
  return words.some((word) => schema[word] !== undefined && schema[word] !== false);
}

/** Schemas that leave their type to the reader. A list of required names alone is a rule beside others. */
function impliedTypes(schema: JsonSchema): string[] {
  if (isPlainObject(schema.properties) || isPlainObject(schema.patternProperties)) return ["object"];
  if (isPlainObject(schema.additionalProperties)) return ["object"];
  return Array.isArray(schema.prefixItems) || isPlainObject(schema.items) ? ["array"] : [];
}

function hasType(value: unknown, types: unknown): boolean {
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return [types].flat().some((type) => type === found || (type === "integer" && found === "number"));
}
