/** Reads what a model sent, field by field: forgiving where the meaning is clear, and one sentence for each mistake. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { isPlainObject } from "../../base/json.ts";

/**
 * A missing field and `null` are the same. Numbers and booleans may come as text, lists as JSON text. Keys that nobody
 * asks for are ignored. After the reading, `issues` says what was wrong; the values are then of no use.
 */
export class Fields {
  readonly issues: StandardSchemaV1.Issue[] = [];
  readonly #given: Record<string, unknown>;
  readonly #place: readonly PropertyKey[];

  constructor(given: unknown, place: readonly PropertyKey[] = [], issues?: StandardSchemaV1.Issue[]) {
    if (issues) this.issues = issues;
    this.#place = place;
    this.#given = isPlainObject(given) ? given : {};
    if (!isPlainObject(given)) this.issues.push({ message: `must be an object, got ${kindOf(given)}`, path: place });
  }

  has(key: string): boolean {
    return this.#given[key] !== undefined && this.#given[key] !== null;
  }

  /** The first of the keys that is there, or the first of all. */
  firstOf(...keys: [string, ...string[]]): string {
    return keys.find((key) => this.has(key)) ?? keys[0];
  }

  text(key: string): string {
    return this.optionalText(key) ?? this.#missing(key, "text", "");
  }

  /** Text with at least one character. */
  filledText(key: string): string {
    if (this.#given[key] === "") this.#wrong(key, "must not be empty");
    return this.text(key);
  }

  optionalText(key: string): string | undefined {
    if (!this.has(key)) return undefined;
    const value = this.#given[key];
    if (typeof value === "string") return value;
    this.#wrong(key, `must be text, got ${kindOf(value)}`);
    return undefined;
  }

  /** A whole number. */
  count(key: string, { min = 1 }: { min?: number } = {}): number | undefined {
    const value = this.#number(key);
    if (value === undefined) return undefined;
    if (Number.isSafeInteger(value) && value >= min) return value;
    this.#wrong(key, `must be a whole number of at least ${min}, got ${value}`);
    return undefined;
  }

  /** A number above 0, perhaps with a fraction. */
  amount(key: string): number | undefined {
    const value = this.#number(key);
    if (value === undefined || value > 0) return value;
    this.#wrong(key, `must be above 0, got ${value}`);
    return undefined;
  }

  flag(key: string): boolean {
    if (!this.has(key)) return false;
    const value = this.#given[key];
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    this.#wrong(key, `must be true or false, got ${kindOf(value)}`);
    return false;
  }

  oneOf<const Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.optionalText(key);
    if (value === undefined || choices.includes(value as Choice)) return value as Choice | undefined;
    this.#wrong(key, `must be one of ${choices.join(", ")}, got "${value}"`);
    return undefined;
  }

  texts(key: string): string[] {
    const items = this.#list(key) ?? this.#missing(key, "an array of strings", []);
    const isText = (item: unknown): item is string => typeof item === "string";
    if (items.every(isText)) return items;
    this.#wrong(key, "must be an array of strings");
    return [];
  }

  /** Each item of a list of objects, as fields that report to the same issues. */
  objects(key: string): Fields[] {
    const items = this.#list(key) ?? [];
    const fields = items.map((item, index) => new Fields(item, [...this.#place, key, index], this.issues));
    return fields.filter((_, index) => isPlainObject(items[index]));
  }

  /** An object of text values. None of them is ever repeated in an issue. */
  textMap(key: string): Record<string, string> | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (!isPlainObject(value)) {
      this.#wrong(key, `must be an object, got ${kindOf(value)}`);
      return undefined;
    }
    for (const [name, item] of Object.entries(value)) {
      if (typeof item !== "string") this.#wrong(`${key}.${name}`, `must be text, got ${kindOf(item)}`);
    }
    return value as Record<string, string>;
  }

  raw(key: string): unknown {
    return this.has(key) ? this.#given[key] : undefined;
  }

  keysBeside(known: readonly string[]): string[] {
    return Object.keys(this.#given).filter((key) => !known.includes(key));
  }

  problem(key: string, message: string): void {
    this.#wrong(key, message);
  }

  #number(key: string): number | undefined {
    if (!this.has(key)) return undefined;
    const value = this.#given[key];
    const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof read === "number" && Number.isFinite(read)) return read;
    this.#wrong(key, `must be a number, got ${typeof value === "string" ? JSON.stringify(value) : kindOf(value)}`);
    return undefined;
  }

  #list(key: string): unknown[] | undefined {
    if (!this.has(key)) return undefined;
    const value = this.#given[key];
    const read = typeof value === "string" ? parsed(value) : value;
    if (Array.isArray(read)) return read;
    this.#wrong(key, `must be an array, got ${kindOf(value)}`);
    return [];
  }

  #missing<T>(key: string, what: string, fallback: T): T {
    if (!this.has(key)) this.#wrong(key, `is missing: it must be ${what}`);
    return fallback;
  }

  #wrong(key: string, message: string): void {
    this.issues.push({ message, path: [...this.#place, key] });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}
