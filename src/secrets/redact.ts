/** Takes the values of secrets out of whatever is recorded. */
import { isPlainObject } from "../base/json.ts";
import type { Redact } from "../core/secrets.ts";

/** Shorter ones would turn ordinary text into marks. */
const SHORTEST = 4;

/** Raw values of four characters and more become `[REDACTED:NAME]`, longest first, in texts and in keys. */
export function redactor(values: ReadonlyMap<string, string>): Redact {
  const secrets = [...values]
    .filter(([, value]) => value.length >= SHORTEST)
    .sort(([, a], [, b]) => b.length - a.length);
  if (secrets.length === 0) return (value) => value;

  const clean = (text: string): string => {
    let result = text;
    for (const [name, value] of secrets)
      if (result.includes(value)) result = result.replaceAll(value, () => `[REDACTED:${name}]`);
    return result;
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return clean(value);
    if (Array.isArray(value)) return keep(value, value.map(walk));
    if (!isPlainObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => [clean(key), walk(item)] as const);
    const same = entries.every(([key, item], index) => key === Object.keys(value)[index] && item === value[key]);
    return same ? value : Object.fromEntries(entries);
  };
  return (value) => walk(value) as typeof value;
}

function keep(before: unknown[], after: unknown[]): unknown[] {
  return after.every((item, index) => item === before[index]) ? before : after;
}
