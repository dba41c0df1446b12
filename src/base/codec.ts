/** The one JSON codec of the log: plain JSON stays plain; Date, Map, Set, BigInt, bytes, Error and friends survive. */
import { HaftError } from "./errors.ts";
import { isPlainObject, type Json } from "./json.ts";

const TAG = "$haft";

/**
 * Turns a value into plain JSON that `decode` turns back.
 *
 * Kept exactly: JSON values, undefined in arrays, NaN, Infinity, -0, BigInt, Date, RegExp, URL, Map, Set, Error (name,
 * message, code, data, cause), typed arrays and ArrayBuffer. Objects of other classes become plain objects, through
 * their `toJSON` when they have one. Undefined properties are left out.
 *
 * @throws HaftError `VALUE_NOT_ENCODABLE`, naming the path, for functions, symbols, promises, weak collections and cycles.
 */
export function encode(value: unknown, label = "value"): Json {
  return isPlain(value, 0) ? (value as Json) : encodeAt(value, label, []);
}

/** The value that `encode` was given. */
export function decode(json: Json): unknown {
  if (typeof json !== "object" || json === null || !mayHoldTag(json)) return json;
  return decodeAt(json);
}

/** True for values that are their own encoding. The common case, checked without allocating. */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth > 100) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], depth + 1)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key in value) if (key === TAG || key === "toJSON" || !isPlain(value[key], depth + 1)) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
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
      throw notEncodable(path, `a ${typeof value}`);
  }
  if (value === null) return null;
  if (above.includes(value)) throw notEncodable(path, "a reference to one of its own parents");
  return encodeObject(value, path, [...above, value]);
}

function encodeObject(value: object, path: string, above: object[]): Json {
  if (Array.isArray(value)) return Array.from(value, (item, index) => encodeAt(item, `${path}[${index}]`, above));
  if (value instanceof Date)
    return { [TAG]: "date", value: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof RegExp) return { [TAG]: "regexp", source: value.source, flags: value.flags };
  if (value instanceof URL) return { [TAG]: "url", value: value.href };
  if (value instanceof Map) {
    const entries = [...value].map(([key, item], index): Json[] => [
      encodeAt(key, `${path}<key ${index}>`, above),
      encodeAt(item, `${path}<value ${index}>`, above),
    ]);
    return { [TAG]: "map", entries };
  }
  if (value instanceof Set)
    return { [TAG]: "set", values: [...value].map((item, index) => encodeAt(item, `${path}<item ${index}>`, above)) };
  if (value instanceof Error) return encodeError(value, path, above);
  if (ArrayBuffer.isView(value)) return encodeBytes(value);
  if (value instanceof ArrayBuffer)
    return { [TAG]: "bytes", type: "ArrayBuffer", base64: Buffer.from(value).toString("base64") };
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
    throw notEncodable(
      path,
      `a ${value.constructor.name}${value instanceof Promise ? " (was an await forgotten?)" : ""}`,
    );
  }
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return encodeAt((value as { toJSON(): unknown }).toJSON(), path, above);
  }
  return encodeProperties(value, path, above);
}

function encodeProperties(value: object, path: string, above: object[]): Json {
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) setOwn(result, key, encodeAt(item, `${path}.${key}`, above));
  }
  return TAG in value ? { [TAG]: "object", value: Object.entries(result) } : result;
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

function notEncodable(path: string, found: string): HaftError {
  return new HaftError("VALUE_NOT_ENCODABLE", `${path} is ${found}, which cannot be written as JSON`, {
    hint: "Return text or plain data. Date, Map, Set, BigInt, bytes and Error are fine.",
  });
}

function mayHoldTag(json: Json[] | { [key: string]: Json }): boolean {
  if (Array.isArray(json)) return json.some((item) => typeof item === "object" && item !== null && mayHoldTag(item));
  for (const key in json) {
    if (key === TAG) return true;
    const item = json[key];
    if (typeof item === "object" && item !== null && mayHoldTag(item)) return true;
  }
  return false;
}

function decodeAt(json: Json): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(decodeAt);
  if (typeof json[TAG] === "string") return decodeTagged(json as Record<string, any>);
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(json)) setOwn(result, key, decodeAt(item));
  return result;
}

function decodeTagged(json: Record<string, any>): unknown {
  switch (json[TAG]) {
    case "undefined":
      return undefined;
    case "number":
      return Number(json.value);
    case "bigint":
      return BigInt(json.value);
    case "date":
      return new Date(json.value ?? Number.NaN);
    case "regexp":
      return new RegExp(json.source, json.flags);
    case "url":
      return new URL(json.value);
    case "map":
      return new Map(json.entries.map(([key, item]: [Json, Json]) => [decodeAt(key), decodeAt(item)]));
    case "set":
      return new Set(json.values.map(decodeAt));
    case "error":
      return decodeError(json);
    case "bytes":
      return decodeBytes(json.type, json.base64);
    default: {
      const result: Record<string, unknown> = {};
      for (const [key, item] of json.value as [string, Json][]) setOwn(result, key, decodeAt(item));
      return result;
    }
  }
}

const errorClasses: Record<string, ErrorConstructor> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

function decodeError(json: Record<string, any>): Error {
  const make = Object.hasOwn(errorClasses, json.name) ? errorClasses[json.name]! : Error;
  const error = new make(json.message, "cause" in json ? { cause: decodeAt(json.cause) } : undefined);
  if (error.name !== json.name) error.name = json.name;
  if ("code" in json) (error as { code?: unknown }).code = json.code;
  if ("data" in json) (error as { data?: unknown }).data = decodeAt(json.data);
  return error;
}

const byteClasses = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
};

function decodeBytes(type: string, base64: string): unknown {
  const buffer = new Uint8Array(Buffer.from(base64, "base64")).buffer;
  if (type === "ArrayBuffer") return buffer;
  const make = Object.hasOwn(byteClasses, type) ? byteClasses[type as keyof typeof byteClasses] : Uint8Array;
  return new (make as new (buffer: ArrayBuffer) => ArrayBufferView)(buffer);
}

/** Defines a property without ever reaching a setter, `__proto__` included. */
function setOwn(target: object, key: string, value: unknown): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else (target as Record<string, unknown>)[key] = value;
}
