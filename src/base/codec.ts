/** The one JSON codec of the log: plain JSON stays plain; Date, Map, Set, BigInt, bytes, Error and friends survive. */
import { HaftError } from "./errors.ts";
import { describeValue, isPlainObject, type Json, setOwn } from "./json.ts";

export { decode } from "./codec-decode.ts";

/** The key that marks a value which JSON does not have. */
const TAG = "$haft";

const MAX_DEPTH = 1_000;

/**
 * Turns a value into plain JSON that `decode` turns back. Always a copy: neither shares an object with the value.
 *
 * Kept exactly: JSON values, undefined in arrays, NaN, Infinity, -0, BigInt, Date, RegExp, URL, Map, Set, Error (name,
 * message, code, data, cause), typed arrays and ArrayBuffer. Objects of other classes become plain objects, through
 * their `toJSON` when they have one. Undefined properties are left out.
 *
 * @throws HaftError `VALUE_NOT_ENCODABLE`, naming the path, for functions, symbols, promises, weak collections, cycles,
 * nesting deeper than 1,000, and objects that hold nothing of their own (a Response, a stream, a generator).
 */
export function encode(value: unknown, label = "value"): Json {
  const plain = tryCopy(value);
  return plain === notPlain ? encodeAt(value, label, []) : plain;
}

const notPlain = Symbol("not plain");

function tryCopy(value: unknown): Json | typeof notPlain {
  try {
    return copyPlain(value, 0);
  } catch {
    return notPlain; // a getter threw; the slow way finds out where
  }
}

/** The common case: plain JSON is its own encoding. A copy, because its owner may go on to change it. */
function copyPlain(value: unknown, depth: number): Json | typeof notPlain {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0) ? value : notPlain;
    case "object":
      break;
    default:
      return notPlain;
  }
  if (value === null) return null;
  if (depth > 100) return notPlain;
  if (Array.isArray(value)) return copyArray(value, depth);
  return isPlainObject(value) ? copyObject(value, depth) : notPlain;
}

function copyArray(value: readonly unknown[], depth: number): Json | typeof notPlain {
  const result: Json[] = [];
  for (let index = 0; index < value.length; index++) {
    const item = copyPlain(value[index], depth + 1);
    if (item === notPlain) return notPlain;
    result.push(item);
  }
  return result;
}

function copyObject(value: Record<string, unknown>, depth: number): Json | typeof notPlain {
  const result: Record<string, Json> = {};
  for (const key in value) {
    if (key === TAG || key === "toJSON") return notPlain;
    const item = copyPlain(value[key], depth + 1);
    if (item === notPlain) return notPlain;
    setOwn(result, key, item);
  }
  return result;
}

function encodeAt(value: unknown, path: string, above: object[]): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      return { [TAG]: "number", value: Object.is(value, -0) ? "-0" : String(value) };
    case "undefined":
      return { [TAG]: "undefined" };
    case "bigint":
      return { [TAG]: "bigint", value: String(value) };
    case "object":
      break;
    default:
      throw notEncodable(path, describeValue(value));
  }
  if (value === null) return null;
  if (above.includes(value)) throw notEncodable(path, "a reference to one of its own parents");
  if (above.length >= MAX_DEPTH) throw notEncodable(shorten(path), `nested deeper than ${MAX_DEPTH}`);
  above.push(value);
  const json = encodeObject(value, path, above);
  above.pop();
  return json;
}

function encodeObject(value: object, path: string, above: object[]): Json {
  if (Array.isArray(value)) return Array.from(value, (item, index) => encodeAt(item, `${path}[${index}]`, above));
  if (value instanceof Date)
    return { [TAG]: "date", value: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof RegExp) return { [TAG]: "regexp", source: value.source, flags: value.flags };
  if (value instanceof URL) return { [TAG]: "url", value: value.href };
  if (value instanceof Map) return encodeMap(value, path, above);
  if (value instanceof Set) {
    return { [TAG]: "set", values: [...value].map((item, index) => encodeAt(item, `${path}<item ${index}>`, above)) };
  }
  if (value instanceof Error) return encodeError(value, path, above);
  if (ArrayBuffer.isView(value)) return encodeBytes(value);
  if (value instanceof ArrayBuffer) {
    return { [TAG]: "bytes", type: "ArrayBuffer", base64: Buffer.from(value).toString("base64") };
  }
  return encodeProperties(value, path, above);
}

function encodeMap(map: Map<unknown, unknown>, path: string, above: object[]): Json {
  const entries = [...map].map(([key, item], index): Json[] => [
    encodeAt(key, `${path}<key ${index}>`, above),
    encodeAt(item, `${path}<value ${index}>`, above),
  ]);
  return { [TAG]: "map", entries };
}

function encodeProperties(value: object, path: string, above: object[]): Json {
  const { toJSON, isThenable, entries } = readObject(value, path);
  if (isThenable) throw notEncodable(path, "a promise (was an await forgotten?)");
  if (toJSON) return encodeAt(toJSON.json, path, above);
  if (entries.length === 0 && holdsNothing(value)) throw notEncodable(path, describeValue(value));

  const result: Record<string, Json> = {};
  for (const [key, item] of entries) {
    if (item !== undefined) setOwn(result, key, encodeAt(item, `${path}.${key}`, above));
  }
  return TAG in value ? { [TAG]: "object", value: Object.entries(result) } : result;
}

/** Getters and toJSON are foreign code; what they throw is told with its path. */
function readObject(value: object, path: string) {
  try {
    const { toJSON, then } = value as { toJSON?: unknown; then?: unknown };
    const isThenable = typeof then === "function" && !isPlainObject(value);
    if (isThenable || typeof toJSON !== "function") return { isThenable, entries: Object.entries(value) };
    return { toJSON: { json: toJSON.call(value) as unknown }, entries: [] };
  } catch (cause) {
    throw notEncodable(path, "an object that fails when it is read", cause);
  }
}

/** A Response, a stream, a generator, a WeakMap: what it stands for is not in its properties, and `{}` would be a lie. */
function holdsNothing(value: object): boolean {
  return !isPlainObject(value) && Symbol.toStringTag in value;
}

function encodeError(error: Error, path: string, above: object[]): Json {
  const { code, data } = error as { code?: unknown; data?: unknown };
  return {
    [TAG]: "error",
    name: String(error.name),
    message: String(error.message),
    ...((typeof code === "string" || typeof code === "number") && { code }),
    ...(data !== undefined && { data: encodeAt(data, `${path}.data`, above) }),
    ...(error.cause !== undefined && { cause: encodeAt(error.cause, `${path}.cause`, above) }),
  };
}

function encodeBytes(view: ArrayBufferView): Json {
  const base64 = Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64");
  const type = Buffer.isBuffer(view) ? "Uint8Array" : view.constructor.name;
  return { [TAG]: "bytes", type, base64 };
}

function notEncodable(path: string, found: string, cause?: unknown): HaftError {
  return new HaftError("VALUE_NOT_ENCODABLE", `${path} is ${found}, which cannot be written as JSON`, {
    hint: "Return text or plain data. Date, Map, Set, BigInt, bytes and Error are fine.",
    cause,
  });
}

function shorten(path: string): string {
  return path.length > 60 ? `${path.slice(0, 60)}…` : path;
}
