/** Values as plain JSON to read, for models and people: what the codec keeps exactly is told in the shortest way. */
import { messageOf } from "../base/errors.ts";
import { setOwn } from "../base/json.ts";

/**
 * A Date as its ISO text, a Map as an object or pairs, a Set as an array, bytes as base64; where the value has a cycle (or is
 * deeper or larger than almost any tree), an object that was told already as its path: `[circular: value.parent]`, or `[same as: value.items[0]]`.
 */
export function plain(value: unknown): unknown {
  objectsLeft = MOST_OBJECTS;
  try {
    return plainPart(value, MAX_DEPTH);
  } catch (error) {
    if (error !== tooMuch) throw error;
    return new OnceOnly().part(value, "value");
  }
}

/** More of either is perhaps a cycle, or one object in more places than there is time. */
const MAX_DEPTH = 100;
const MOST_OBJECTS = 1_000_000;

const tooMuch = Symbol("deeper or larger than almost any value that is a tree");

let objectsLeft = 0;

function plainPart(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return plainPrimitive(value);
  const leaf = plainLeaf(value);
  if (leaf !== undefined) return leaf;
  if (depth === 0 || --objectsLeft < 0) throw tooMuch;
  return mapParts(value, (part) => plainPart(part, depth - 1));
}

function plainPrimitive(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}

function plainLeaf(value: object): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp || value instanceof URL) return String(value);
  if (value instanceof Error) return messageOf(value);
  if (value instanceof ArrayBuffer) return base64(new Uint8Array(value));
  if (ArrayBuffer.isView(value)) return base64(value);
  return undefined;
}

function base64({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** Undefined is left out of objects, and null in lists. */
function mapParts(value: object, tell: (part: unknown, place: string) => unknown): unknown {
  const item = (part: unknown, place: string) => (part === undefined ? null : tell(part, place));
  if (Array.isArray(value)) return Array.from(value, (part, index) => item(part, `[${index}]`));
  if (value instanceof Set) return Array.from(value, (part, index) => item(part, `<item ${index}>`));
  if (value instanceof Map && ![...value.keys()].every((key) => typeof key === "string")) {
    return Array.from(value, ([key, part], index) => [item(key, `<key ${index}>`), item(part, `<value ${index}>`)]);
  }
  const result: Record<string, unknown> = {};
  for (const [key, part] of value instanceof Map ? (value as Map<string, unknown>) : Object.entries(value)) {
    if (part !== undefined) setOwn(result, key, tell(part, `.${key}`));
  }
  return result;
}

/** Each object once: its text is never longer than the value, however its parts are tied together. */
class OnceOnly {
  readonly #told = new Map<object, string>();
  readonly #open = new Set<object>();

  part(value: unknown, path: string): unknown {
    if (typeof value !== "object" || value === null) return plainPrimitive(value);
    const leaf = plainLeaf(value);
    if (leaf !== undefined) return leaf;
    const told = this.#told.get(value);
    if (told !== undefined) return `[${this.#open.has(value) ? "circular" : "same as"}: ${told}]`;
    this.#told.set(value, path);
    this.#open.add(value);
    const result = mapParts(value, (part, place) => this.part(part, path + place));
    this.#open.delete(value);
    return result;
  }
}
