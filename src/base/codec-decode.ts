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
    return read(json, undefined);
  } catch (cause) {
    throw new HaftError("VALUE_NOT_DECODABLE", `A stored value cannot be read: ${messageOf(cause)}`, { cause });
  }
}

/** A value with cycles, while it is read. */
interface Graph {
  readonly nodes: readonly Json[];
  /** What was made of each object, also while its parts are still to come. */
  readonly made: Map<Json, unknown>;
}

type Tagged = { [key: string]: Json };

function read(json: Json, graph: Graph | undefined): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return readItems(json, made(json, [], graph), graph);
  if (typeof json[TAG] === "string") return readTagged(json, graph);
  const result = made<Record<string, unknown>>(json, {}, graph);
  for (const key in json) setOwn(result, key, read(json[key]!, graph));
  return result;
}

/** Parts may refer to what they are parts of. */
function made<T>(json: Json, value: T, graph: Graph | undefined): T {
  graph?.made.set(json, value);
  return value;
}

function readItems(json: readonly Json[], result: unknown[], graph: Graph | undefined): unknown[] {
  for (let index = 0; index < json.length; index++) result.push(read(json[index]!, graph));
  return result;
}

function readTagged(json: Tagged, graph: Graph | undefined): unknown {
  switch (json[TAG]) {
    case "undefined":
      return undefined;
    case "number":
      return Number(json.value);
    case "bigint":
      return BigInt(text(json.value));
    case "date":
      return new Date(json.value === null ? Number.NaN : text(json.value));
    case "regexp":
      return new RegExp(text(json.source), text(json.flags));
    case "url":
      return new URL(text(json.value));
    case "map":
      return readMap(json, graph);
    case "set":
      return readSet(json, graph);
    case "error":
      return readError(json, graph);
    case "bytes":
      return readBytes(text(json.type), text(json.base64));
    case "object":
      return readProperties(json, graph);
    case "graph":
      return readNode(0, { nodes: list(json.nodes), made: new Map() });
    case "ref":
      return readNode(json.node, graph);
    default:
      throw new Error(`"${json[TAG]}" is no kind of value of this version`);
  }
}

function readNode(number: Json | undefined, graph: Graph | undefined): unknown {
  const node = typeof number === "number" ? graph?.nodes[number] : undefined;
  if (!graph || node === undefined) throw new Error("it refers to something that is not there");
  if (typeof node === "object" && node !== null && !Array.isArray(node) && node[TAG] === "ref")
    throw new Error("it refers to a reference");
  if (graph.made.has(node)) return graph.made.get(node);
  return made(node, read(node, graph), graph);
}

function readMap(json: Tagged, graph: Graph | undefined): Map<unknown, unknown> {
  const map = made(json, new Map<unknown, unknown>(), graph);
  for (const entry of list(json.entries)) {
    const [key, item] = list(entry);
    map.set(read(key!, graph), read(item!, graph));
  }
  return map;
}

function readSet(json: Tagged, graph: Graph | undefined): Set<unknown> {
  const set = made(json, new Set<unknown>(), graph);
  for (const item of list(json.values)) set.add(read(item, graph));
  return set;
}

function readProperties(json: Tagged, graph: Graph | undefined): Record<string, unknown> {
  const result = made<Record<string, unknown>>(json, {}, graph);
  for (const pair of list(json.value)) {
    const [key, item] = list(pair);
    setOwn(result, text(key), read(item!, graph));
  }
  return result;
}

const errorClasses: Record<string, new (message: string) => Error> = {
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

function readError(json: Tagged, graph: Graph | undefined): Error {
  const name = text(json.name);
  const make = Object.hasOwn(errorClasses, name) ? errorClasses[name]! : Error;
  const isAggregate = name === "AggregateError";
  const message = text(json.message);
  const error = made(json, isAggregate ? new AggregateError([], message) : new make(message), graph);
  if (error.name !== name) error.name = name;
  const { code } = json;
  if (typeof code === "string" || typeof code === "number") (error as { code?: unknown }).code = code;
  if (json.data !== undefined) (error as { data?: unknown }).data = read(json.data, graph);
  if (json.cause !== undefined) hide(error, "cause", read(json.cause, graph));
  if (isAggregate && json.errors !== undefined) hide(error, "errors", read(json.errors, graph));
  return error;
}

/** As the constructor does it. */
function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true, enumerable: false });
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

function readBytes(type: string, base64: string): unknown {
  const buffer = new Uint8Array(Buffer.from(base64, "base64")).buffer;
  if (type === "ArrayBuffer") return buffer;
  const make = Object.hasOwn(byteClasses, type) ? byteClasses[type as keyof typeof byteClasses] : Uint8Array;
  return new (make as new (buffer: ArrayBuffer) => ArrayBufferView)(buffer);
}

function text(json: Json | undefined): string {
  if (typeof json !== "string") throw new Error("a text is missing in it");
  return json;
}

function list(json: Json | undefined): readonly Json[] {
  if (!Array.isArray(json)) throw new Error("a list is missing in it");
  return json;
}
