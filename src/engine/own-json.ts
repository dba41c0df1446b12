/** Plain JSON that is shared with nobody who might change it later. */
import { isPlainObject, setOwn } from "../base/json.ts";

/** Lists and plain objects anew, however deep; anything else as it is. */
export function copyPlain<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyPlain) as T;
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyPlain(value[key]));
  return copy as T;
}
