/** The comment behind a property: its description, and what a type cannot say. */
import { isPlainObject } from "../../../base/json.ts";
import { followRef, type JsonSchema } from "../../../core/json-schema.ts";
import { cutText, literal, plainLine } from "./literal.ts";

/** Which way a value goes: what a function takes has defaults, what it gives is complete. */
export type Side = "input" | "output";

export function noteOf(schema: unknown, root: JsonSchema, side: Side): string {
  if (!isPlainObject(schema)) return "";
  const constraints = constraintsOf(schema, root, side, 0).join(", ");
  const description = descriptionOf(schema, root);
  const sentence = constraints ? description.replace(/\.$/, "") : description;
  return cutText([sentence, constraints].filter(Boolean).join("; "), 400);
}

function descriptionOf(schema: JsonSchema, root: JsonSchema): string {
  const own = schema.description ?? only(schema)?.description ?? tryFollow(schema, root).description;
  return typeof own === "string" ? cutText(plainLine(own.slice(0, 1_000)), 200) : "";
}

function constraintsOf(schema: JsonSchema, root: JsonSchema, side: Side, depth: number): string[] {
  const meant = tryFollow(schema, root);
  const read = (schemas: readonly unknown[], side: Side) =>
    depth < 3 ? schemas.filter(isPlainObject).flatMap((below) => constraintsOf(below, root, side, depth + 1)) : [];
  const below = read(Array.isArray(meant.allOf) ? meant.allOf.slice(0, 8) : [only(meant)], side);
  const items = meant.prefixItems ? [] : read([meant.items], "output");
  const words = [
    ...below,
    ...textWords(meant),
    numberRange(meant),
    typeof meant.multipleOf === "number" && `multiple of ${meant.multipleOf}`,
    range(meant.minItems, meant.maxItems, "items"),
    meant.uniqueItems === true && "unique",
    items.length > 0 && `each ${items.join(", ")}`,
    ...literalNotes(meant),
    meant.deprecated === true && "deprecated",
    side === "input" && defaultWord(meant.default),
  ];
  return [...new Set(words.filter((word): word is string => typeof word === "string" && word !== ""))];
}

/** The one variant that is not null. */
function only(schema: JsonSchema): JsonSchema | undefined {
  const variants = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (!Array.isArray(variants)) return undefined;
  const rest = variants.filter((variant) => isPlainObject(variant) && variant.type !== "null");
  return rest.length === 1 ? rest[0] : undefined;
}

function textWords(schema: JsonSchema): (string | false)[] {
  const { format, pattern, contentEncoding } = schema;
  const hasFormat = typeof format === "string" && format !== "";
  const isShort = typeof pattern === "string" && pattern.length <= 80;
  return [
    hasFormat && cutText(plainLine(format), 40),
    !hasFormat && isShort && `/${plainLine(pattern)}/`,
    typeof contentEncoding === "string" && contentEncoding !== format && cutText(plainLine(contentEncoding), 40),
    !hasFormat && range(schema.minLength, schema.maxLength, "chars"),
  ];
}

/** Libraries write the bounds of safe integers where nobody asked for any. */
function numberRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): string {
  const low = isBound(minimum) ? minimum : undefined;
  const high = isBound(maximum) ? maximum : undefined;
  if (low !== undefined && low >= 0 && high !== undefined) return `${low}-${high}`;
  const words = [
    low !== undefined && `min ${low}`,
    isBound(exclusiveMinimum) && `> ${exclusiveMinimum}`,
    high !== undefined && `max ${high}`,
    isBound(exclusiveMaximum) && `< ${exclusiveMaximum}`,
  ];
  return words.filter(Boolean).join(", ");
}

function isBound(bound: unknown): bound is number {
  return typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}

function range(least: unknown, most: unknown, unit: string): string {
  const low = typeof least === "number" && least > 0 ? least : undefined;
  const high = typeof most === "number" ? most : undefined;
  if (low !== undefined && high !== undefined) return low === high ? `${low} ${unit}` : `${low}-${high} ${unit}`;
  if (high !== undefined) return `max ${high} ${unit}`;
  if (low !== undefined) return low === 1 ? "not empty" : `min ${low} ${unit}`;
  return "";
}

/** Variants of one value each often say what it stands for. */
function literalNotes({ anyOf, oneOf }: JsonSchema): string[] {
  const variants: unknown = oneOf ?? anyOf;
  if (!Array.isArray(variants)) return [];
  return variants.flatMap((variant) => {
    if (!isPlainObject(variant) || typeof variant.description !== "string" || !("const" in variant)) return [];
    return [`${cutText(plainLine(literal(variant.const)), 40)}: ${cutText(plainLine(variant.description), 80)}`];
  });
}

function defaultWord(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = plainLine(literal(value));
  return text.length <= 60 ? `default ${text}` : "";
}

function tryFollow(schema: JsonSchema, root: JsonSchema): JsonSchema {
  try {
    return followRef(schema, root);
  } catch {
    return schema; // a pointer that cannot be decoded points nowhere
  }
}
