/** Reads the value that a model leaves with: kindly, but never by guessing between two readings. */
import { isPlainObject } from "../base/json.ts";
import type { Exit } from "./exit.ts";
import { followRef, type JsonSchema, objectBranches } from "./json-schema.ts";
import { issueText, type Validator } from "./schema.ts";

export type ExitReading = { ok: true; exit: Exit; value: unknown } | { ok: false; exit?: Exit; message: string };

/** What a program leaves with: the exit's name (any capitals, or an alias) and its value, under `value` or as properties. */
export interface ExitReturn {
  action: string;
  value?: unknown;
  [property: string]: unknown;
}

export async function parseExit(sent: unknown, exits: readonly Exit[]): Promise<ExitReading> {
  const names = exits.map(({ name }) => name).join(", ") || "none";
  if (!isPlainObject(sent) || typeof sent.action !== "string" || sent.action === "") {
    return { ok: false, message: `No exit was named. The exits are: ${names}` };
  }
  const exit = findExit(sent.action, exits);
  if (!exit) return { ok: false, message: `There is no exit "${sent.action}". The exits are: ${names}` };
  const { action: _, ...properties } = sent;
  return readExitValue(exit, properties);
}

export function findExit(name: string, exits: readonly Exit[]): Exit | undefined {
  const wanted = name.toLowerCase();
  return exits.find((exit) => [exit.name, ...exit.aliases].some((known) => known.toLowerCase() === wanted));
}

/**
 * Tries, in order: what was sent as it stands, the value alone, a single property alone; then the same under the one
 * field of the schema where it fits; then as the one variant of a union that it fits, with the mark of that variant.
 */
export async function readExitValue(exit: Exit, sent: Record<string, unknown>): Promise<ExitReading> {
  const { schema } = exit;
  if (!schema) return { ok: true, exit, value: unchecked(sent) };

  const given = readings(sent, schema);
  const known = given.filter((value) => hasKnownKey(value, schema));
  let problem: string | undefined;
  for (const value of known.length > 0 ? known : given) {
    const checked = await schema.check(value);
    if (!checked.ok) problem ??= issueText(checked.issues);
    else if (known.length > 0) return { ok: true, exit, value: checked.value };
  }

  const fits = (await fitting(given, schema, asField)) ?? (await fitting(given, schema, asVariants)) ?? [];
  if (fits.length === 1) return { ok: true, exit, value: fits[0] };
  if (fits.length > 1) problem = "the value fits in more than one way; name what is meant";
  return {
    ok: false,
    exit,
    message: `Exit "${exit.name}" was not taken: ${problem ?? "nothing it knows was sent"}. It takes ${shapeText(exit)}`,
  };
}

/** Without a schema: the value, else the one property, else all of them. */
function unchecked(sent: Record<string, unknown>): unknown {
  const keys = Object.keys(sent);
  if ("value" in sent) return sent.value;
  return keys.length === 1 ? sent[keys[0]!] : keys.length === 0 ? undefined : sent;
}

function readings(sent: Record<string, unknown>, schema: Validator): unknown[] {
  const { value, ...rest } = sent;
  const keys = Object.keys(rest);
  const declared = declaredKeys(schema);
  if (!("value" in sent)) return keys.length === 1 && !declared.includes(keys[0]!) ? [rest, rest[keys[0]!]] : [rest];
  const both = declared.includes("value") ? [sent, value] : [value, sent];
  return keys.length > 0 ? [...both, rest] : both;
}

/** A schema may drop keys that it does not know; a reading of which everything would be dropped is none. */
function hasKnownKey(value: unknown, schema: Validator): boolean {
  if (!isPlainObject(value) || Object.keys(value).length === 0) return true;
  const declared = declaredKeys(schema);
  return declared.length === 0 || Object.keys(value).some((key) => declared.includes(key));
}

function declaredKeys({ json }: Validator): string[] {
  return objectBranches(json, json).flatMap(({ properties }) => Object.keys(properties ?? {}));
}

type Candidates = (value: unknown, schema: Validator) => unknown[];

/** The values that fit, made from the first reading of which one fits. */
async function fitting(
  given: readonly unknown[],
  schema: Validator,
  candidates: Candidates,
): Promise<unknown[] | undefined> {
  for (const value of given) {
    const fits: unknown[] = [];
    for (const candidate of candidates(value, schema)) {
      const checked = await schema.check(candidate);
      if (checked.ok) fits.push(checked.value);
    }
    if (fits.length > 0) return fits;
  }
  return undefined;
}

/** A text, number or list where an object with one such field was meant. */
function asField(value: unknown, { json }: Validator): unknown[] {
  return isPlainObject(value) ? [] : Object.keys(json.properties ?? {}).map((key) => ({ [key]: value }));
}

function asVariants(value: unknown, { json }: Validator): unknown[] {
  const variants = [...(json.anyOf ?? []), ...(json.oneOf ?? [])] as JsonSchema[];
  return variants.flatMap((variant) => asVariant(value, followRef(variant, json)));
}

/** The value with the constants that tell the variant from the others. */
function asVariant(value: unknown, variant: JsonSchema): unknown[] {
  const fields = Object.entries((variant.properties ?? {}) as Record<string, JsonSchema>);
  const marks = Object.fromEntries(fields.flatMap(([key, field]) => ("const" in field ? [[key, field.const]] : [])));
  if (Object.keys(marks).length === 0) return [];
  if (isPlainObject(value))
    return Object.keys(value).some((key) => variant.properties[key]) ? [{ ...marks, ...value }] : [];
  if (value === null || typeof value === "boolean") return []; // it may be meant as the mark itself
  return fields.flatMap(([key]) => (key in marks ? [] : [{ ...marks, [key]: value }]));
}

function shapeText(exit: Exit): string {
  const text = JSON.stringify(exit.schema!.json);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
