/** The codec's long way: values that plain JSON does not have, written with tags, each object once. */
import { graphOf, placesOf, writtenOut } from "./codec-graph.ts";
import { HaftError } from "./errors.ts";
import { describeValue, isPlainObject, type Json, setOwn } from "./json.ts";

/** The key that marks a value which JSON does not have. */
const TAG = "$haft";

const MAX_DEPTH = 1_000;

/** One object may be in more places than there is time to write. */
const MOST_PLACES = 1_000_000;

type JsonObject = { [key: string]: Json };

/** @throws HaftError `VALUE_NOT_ENCODABLE` */
export function encodeTagged(value: unknown, label: string): Json {
  const writer = new ValueWriter();
  const json = writer.read(value, label);
  if (writer.repeated.size === 0) return json;
  const isGraph = writer.isCyclic || placesOf(json) > MOST_PLACES;
  return isGraph ? graphOf(json, writer.repeated) : writtenOut(json);
}

/** What is met again is the same object in what it gives: the value's graph, as JSON. */
class ValueWriter {
  readonly repeated = new Set<Json>();
  isCyclic = false;
  readonly #written = new Map<object, Json>();
  /** What is being written: the value's own parents. */
  readonly #open = new Set<Json>();

  /** Foreign code may do anything when it is looked at, a revoked proxy for one. */
  read(value: unknown, label: string): Json {
    try {
      return this.#write(value, label);
    } catch (cause) {
      throw HaftError.is(cause) ? cause : notEncodable(label, "an object that fails when it is read", cause);
    }
  }

  /** `sources`: the objects whose toJSON gave the value. */
  #write(value: unknown, path: string, sources: readonly object[] = []): Json {
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
    const known = this.#written.get(value);
    if (known !== undefined) return this.#again(known, sources);
    if (sources.includes(value)) throw notEncodable(path, "an object whose toJSON gives that object again");
    if (this.#open.size + sources.length >= MAX_DEPTH)
      throw notEncodable(shorten(path), `nested deeper than ${MAX_DEPTH}`);
    return this.#object(value, path, sources);
  }

  #again(known: Json, sources: readonly object[]): Json {
    if (this.#open.has(known)) this.isCyclic = true;
    this.repeated.add(known);
    for (const source of sources) this.#written.set(source, known);
    return known;
  }

  #object(value: object, path: string, sources: readonly object[]): Json {
    if (Array.isArray(value)) return this.#array(value, path, sources);
    const leaf = leafOf(value);
    if (leaf) return this.#end(this.#begin(leaf, value, sources));
    if (value instanceof Map) return this.#map(value, path, sources);
    if (value instanceof Set) return this.#set(value, path, sources);
    if (value instanceof Error) return this.#error(value, path, sources);

    const { toJSON, isThenable, entries } = readObject(value, path);
    if (isThenable) throw notEncodable(path, "a promise (was an await forgotten?)");
    if (toJSON) return this.#write(toJSON.json, path, [...sources, value]);
    if (entries.length === 0 && holdsNothing(value)) throw notEncodable(path, describeValue(value));
    return this.#properties(value, entries, path, sources);
  }

  /** From here on the value is known, though its parts are still to come. */
  #begin<T extends Json & object>(json: T, value: object, sources: readonly object[]): T {
    this.#written.set(value, json);
    for (const source of sources) this.#written.set(source, json);
    this.#open.add(json);
    return json;
  }

  #end(json: Json): Json {
    this.#open.delete(json);
    return json;
  }

  #array(value: readonly unknown[], path: string, sources: readonly object[]): Json {
    const json = this.#begin([] as Json[], value, sources);
    for (let index = 0; index < value.length; index++) json.push(this.#write(value[index], `${path}[${index}]`));
    return this.#end(json);
  }

  #map(map: Map<unknown, unknown>, path: string, sources: readonly object[]): Json {
    const entries: Json[] = [];
    const json = this.#begin({ [TAG]: "map", entries }, map, sources);
    for (const [key, item] of map) {
      const index = entries.length;
      entries.push([this.#write(key, `${path}<key ${index}>`), this.#write(item, `${path}<value ${index}>`)]);
    }
    return this.#end(json);
  }

  #set(set: Set<unknown>, path: string, sources: readonly object[]): Json {
    const values: Json[] = [];
    const json = this.#begin({ [TAG]: "set", values }, set, sources);
    for (const item of set) values.push(this.#write(item, `${path}<item ${values.length}>`));
    return this.#end(json);
  }

  #error(error: Error, path: string, sources: readonly object[]): Json {
    const { name, message, code, data, cause, errors } = readError(error, path);
    const json = this.#begin({ [TAG]: "error", name, message } as JsonObject, error, sources);
    if (typeof code === "string" || typeof code === "number") json.code = code;
    if (data !== undefined) json.data = this.#write(data, `${path}.data`);
    if (cause !== undefined) json.cause = this.#write(cause, `${path}.cause`);
    if (errors !== undefined) json.errors = this.#write(errors, `${path}.errors`);
    return this.#end(json);
  }

  /** A key that is the tag's makes a list of pairs of it. */
  #properties(value: object, entries: [string, unknown][], path: string, sources: readonly object[]): Json {
    const pairs: Json[] | undefined = TAG in value ? [] : undefined;
    const json = this.#begin(pairs ? { [TAG]: "object", value: pairs } : ({} as JsonObject), value, sources);
    for (const [key, item] of entries) {
      if (item === undefined) continue;
      const part = this.#write(item, `${path}.${key}`);
      if (pairs) pairs.push([key, part]);
      else setOwn(json, key, part);
    }
    return this.#end(json);
  }
}

/** Objects that hold no others. */
function leafOf(value: object): JsonObject | undefined {
  if (value instanceof Date)
    return { [TAG]: "date", value: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof RegExp) return { [TAG]: "regexp", source: value.source, flags: value.flags };
  if (value instanceof URL) return { [TAG]: "url", value: value.href };
  if (ArrayBuffer.isView(value)) {
    const base64 = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
    return { [TAG]: "bytes", type: Buffer.isBuffer(value) ? "Uint8Array" : value.constructor.name, base64 };
  }
  if (value instanceof ArrayBuffer) {
    return { [TAG]: "bytes", type: "ArrayBuffer", base64: Buffer.from(value).toString("base64") };
  }
  return undefined;
}

type ErrorParts = { name: string; message: string; code?: unknown; data?: unknown; cause?: unknown; errors?: unknown };

function readError(error: Error, path: string): ErrorParts {
  try {
    const { name, message, cause, code, data, errors } = error as Error & Partial<ErrorParts>;
    const isAggregate = error instanceof AggregateError;
    return {
      name: String(name),
      message: String(message),
      code,
      data,
      cause,
      errors: isAggregate ? errors : undefined,
    };
  } catch (thrown) {
    throw notEncodable(path, "an error that fails when it is read", thrown);
  }
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

function notEncodable(path: string, found: string, cause?: unknown): HaftError {
  return new HaftError("VALUE_NOT_ENCODABLE", `${path} is ${found}, which cannot be written as JSON`, {
    hint: "Return text or plain data. Date, Map, Set, BigInt, bytes and Error are fine.",
    cause,
  });
}

function shorten(path: string): string {
  return path.length > 60 ? `${path.slice(0, 60)}…` : path;
}
