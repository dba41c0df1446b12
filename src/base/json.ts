/** Plain JSON: its type, a copy that nobody shares, its canonical text, and a hash of that text. */
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

/** Lists and plain objects anew, however deep; anything else as it is. */
export function copyPlain<T>(value: T): T {
  objectsLeft = MOST_OBJECTS;
  try {
    return copyAt(value, MAX_DEPTH, undefined) as T;
  } catch (error) {
    if (error !== tooMuch) throw error;
    objectsLeft = Number.POSITIVE_INFINITY;
    return copyAt(value, Number.POSITIVE_INFINITY, new Map()) as T;
  }
}

/** More of either is perhaps a cycle, or one object in more places than there is time. */
const MAX_DEPTH = 100;
const MOST_OBJECTS = 1_000_000;

const tooMuch = Symbol("deeper or larger than almost any value that is a tree");

let objectsLeft = 0;

/** `copies`: of what was met, where there may be a cycle. */
function copyAt(value: unknown, depth: number, copies: Map<object, unknown> | undefined): unknown {
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return value;
  const known = copies?.get(value);
  if (known !== undefined) return known;
  if (depth === 0 || --objectsLeft < 0) throw tooMuch;
  const copy = isList ? [] : {};
  copies?.set(value, copy);
  if (isList) for (const item of value) (copy as unknown[]).push(copyAt(item, depth - 1, copies));
  else for (const key of Object.keys(value)) setOwn(copy, key, copyAt(value[key], depth - 1, copies));
  return copy;
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
