/** Values as the log keeps them: encoded, and shared with nobody who might change them later. */
import { encode } from "../base/codec.ts";
import { isPlainObject, type Json, setOwn } from "../base/json.ts";

/**
 * Plain JSON is its own encoding, so it is copied: a handler may go on filling the list that it returned.
 *
 * @throws HaftError `VALUE_NOT_ENCODABLE`
 */
export function ownJson(value: unknown, label: string): Json {
  const json = encode(value, label);
  return json === value ? copyPlain(json) : json;
}

/** Lists and plain objects anew, however deep; anything else as it is. */
export function copyPlain<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyPlain) as T;
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyPlain(value[key]));
  return copy as T;
}
