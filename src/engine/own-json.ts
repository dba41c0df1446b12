/** Plain JSON that is shared with nobody who might change it later. */
import { isPlainObject, setOwn } from "../base/json.ts";

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
