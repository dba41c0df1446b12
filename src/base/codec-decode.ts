/** The way back of the codec: from the log's plain JSON to the values that were written. */
import { HaftError, messageOf } from "./errors.ts";
import { type Json, setOwn } from "./json.ts";

const TAG = "$haft";

/**
 * The value that `encode` was given. Always a copy: whoever gets it may change it.
 *
 * @throws HaftError `VALUE_NOT_DECODABLE` for JSON that `encode` did not write.
 */
export function decode(json: Json): unknown {
  try {
    return decodeAt(json);
  } catch (cause) {
    throw new HaftError("VALUE_NOT_DECODABLE", `A stored value cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function decodeAt(json: Json): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(decodeAt);
  if (typeof json[TAG] === "string") return decodeTagged(json as Record<string, any>);
  const result: Record<string, unknown> = {};
  for (const key in json) setOwn(result, key, decodeAt(json[key]!));
  return result;
}

function decodeProperties(entries: [string, Json][]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, item] of entries) setOwn(result, key, decodeAt(item));
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
    case "object":
      return decodeProperties(json.value);
    default:
      throw new Error(`"${json[TAG]}" is no kind of value of this version`);
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
