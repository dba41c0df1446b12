/** The one JSON codec of the log: plain JSON stays plain; Date, Map, Set, BigInt, bytes, Error, cycles and friends survive. */
import { encodeTagged } from "./codec-encode.ts";
import { isPlainObject, type Json, setOwn } from "./json.ts";

export { decode } from "./codec-decode.ts";

/**
 * Turns a value into plain JSON that `decode` turns back. Always a copy: neither shares an object with the value.
 *
 * Kept exactly: JSON values, undefined in arrays, NaN, Infinity, -0, BigInt, Date, RegExp, URL, Map, Set, Error (name,
 * message, code, data, cause, errors of an AggregateError), typed arrays and ArrayBuffer, cycles. Where there is a cycle,
 * all that is met twice comes back as one; elsewhere it is written in each place, as JSON does it, unless that makes more
 * than a million. Objects of other classes become plain objects, through their `toJSON` when they have one. Undefined
 * properties are left out, holes of arrays become undefined.
 *
 * @throws HaftError `VALUE_NOT_ENCODABLE`, naming the path, for functions, symbols, promises, weak collections, nesting
 * deeper than 1,000, and objects that hold nothing of their own (a Response, a stream, a generator).
 */
export function encode(value: unknown, label = "value"): Json {
  const plain = tryCopy(value);
  return plain === notPlain ? encodeTagged(value, label) : plain;
}

const notPlain = Symbol("not plain");

/** One that holds the same object twice, and that another one twice, and so on, has more places than there is time. */
const MOST_OBJECTS = 1_000_000;

let objectsLeft = 0;

function tryCopy(value: unknown): Json | typeof notPlain {
  objectsLeft = MOST_OBJECTS;
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
  if (depth > 100 || --objectsLeft < 0) return notPlain; // perhaps a cycle
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
    if (key === "$haft" || key === "toJSON") return notPlain;
    const item = copyPlain(value[key], depth + 1);
    if (item === notPlain) return notPlain;
    setOwn(result, key, item);
  }
  return result;
}
