/** Reads the value that a model leaves with: kindly, but never by guessing between two readings. */
import { isPlainObject } from "../base/json.ts";
import type { Exit } from "./exit.ts";
import { followRef, type JsonSchema } from "./json-schema.ts";
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
 * Tries, in order: the value as it stands, the properties as the value, one property alone; then the same wrapped
 * under the keys that the schema has, with the discriminator of a union added where only one variant fits.
 */
export async function readExitValue(exit: Exit, sent: Record<string, unknown>): Promise<ExitReading> {
  if (!exit.schema) return { ok: true, exit, value: unchecked(sent) };
  const given = readings(sent);

  let first: string | undefined;
  for (const value of [...given, ...given.flatMap((value) => wrapped(value, exit.schema!))]) {
    const checked = await exit.schema.check(value);
    if (checked.ok) return { ok: true, exit, value: checked.value };
    first ??= issueText(checked.issues);
  }
  const fits = await variants(given, exit.schema);
  if (fits.length === 1) return { ok: true, exit, value: fits[0] };

  const problem = fits.length > 1 ? "the value fits more than one variant; name the one that is meant" : first;
  return { ok: false, exit, message: `Exit "${exit.name}" was not taken: ${problem}. It takes ${shapeText(exit)}` };
}

/** Without a schema: the value, else the one property, else all of them. */
function unchecked(sent: Record<string, unknown>): unknown {
  const keys = Object.keys(sent);
  if ("value" in sent) return sent.value;
  return keys.length === 1 ? sent[keys[0]!] : keys.length === 0 ? undefined : sent;
}

function readings(sent: Record<string, unknown>): unknown[] {
  const { value, ...rest } = sent;
  const keys = Object.keys(rest);
  const list: unknown[] = [];
  if ("value" in sent) list.push(value);
  if (keys.length === 1 && !("value" in sent) && isWrapper(keys[0]!, rest[keys[0]!])) list.push(rest, rest[keys[0]!]);
  else if (keys.length > 0) list.push(rest, ...(keys.length === 1 ? [rest[keys[0]!]] : []));
  if (list.length === 0) list.push(rest);
  if ("value" in sent) list.push(sent);
  return list;
}

function isWrapper(key: string, value: unknown): boolean {
  return ["props", "data"].includes(key) && isPlainObject(value);
}

const commonKeys = ["result", "value", "data", "message", "error", "output", "response"];

/** A text, number or list where an object with one such field was meant. */
function wrapped(value: unknown, schema: Validator): unknown[] {
  if (isPlainObject(value)) return [];
  const own = Object.keys(schema.json.properties ?? {});
  return [...new Set([...own, ...commonKeys])].map((key) => ({ [key]: value }));
}

async function variants(given: readonly unknown[], schema: Validator): Promise<unknown[]> {
  const options = [...(schema.json.anyOf ?? []), ...(schema.json.oneOf ?? [])].map((item) =>
    followRef(item, schema.json),
  );
  for (const value of given) {
    const fits: unknown[] = [];
    for (const option of options) {
      for (const candidate of asVariant(value, option)) {
        const checked = await schema.check(candidate);
        if (checked.ok) fits.push(checked.value);
      }
    }
    if (fits.length > 0) return fits;
  }
  return [];
}

function asVariant(value: unknown, option: JsonSchema): unknown[] {
  const fields = Object.entries((option.properties ?? {}) as Record<string, JsonSchema>);
  const marks = Object.fromEntries(fields.flatMap(([key, field]) => ("const" in field ? [[key, field.const]] : [])));
  if (Object.keys(marks).length === 0) return [];
  if (isPlainObject(value)) return [{ ...marks, ...value }];
  return fields.flatMap(([key]) => (key in marks ? [] : [{ ...marks, [key]: value }]));
}

function shapeText(exit: Exit): string {
  const text = JSON.stringify(exit.schema!.json);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
