/** Plain JSON: its type, its canonical text, and a hash of that text. */
import { hash } from "node:crypto";
import { HaftError } from "./errors.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What a value is, in a few words for an error's sentence: never its content. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (value instanceof Promise) return "a Promise (was an await forgotten?)";
  if (typeof value === "function") return value.name ? `the function ${value.name}` : "a function";
  if (typeof value !== "object") return `a ${typeof value}`;
  const keys = Object.keys(value).slice(0, 5).join(", ");
  if (!isPlainObject(value)) return `an object of the class ${value.constructor?.name ?? "unknown"}`;
  return keys ? `an object with the keys ${keys}` : "an empty object";
}

/** Defines a property without ever reaching a setter, `__proto__` included. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else (target as Record<string, unknown>)[key] = value;
}

/**
 * Plain JSON with sorted keys: equal values give equal text, whatever the order of their keys. Undefined properties
 * do not count; undefined elsewhere is null.
 *
 * @throws HaftError `VALUE_NOT_ENCODABLE` for anything but plain JSON, so that two different values never give one text;
 * `encode` them first.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isPlainObject(value)) return canonicalObject(value);
  if (value === null || value === undefined) return "null";
  const isJson = ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
  if (isJson) return JSON.stringify(value);
  throw new HaftError("VALUE_NOT_ENCODABLE", `Only plain JSON has a canonical text, not ${describeValue(value)}`);
}

function canonicalObject(value: Record<string, unknown>): string {
  const pairs: string[] = [];
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) pairs.push(`${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  }
  return `{${pairs.join(",")}}`;
}

/** SHA-256 of a text, 43 characters of base64url. */
export function hashText(text: string): string {
  return hash("sha256", text, "base64url" as "hex");
}

/** SHA-256 of the canonical text, 43 characters of base64url. */
export function hashOf(value: unknown): string {
  return hashText(canonicalJson(value));
}
