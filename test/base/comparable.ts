/** A value as plain data with everything written out, so that two of them can be compared without a rule being missed. */
export function comparable(value: unknown): unknown {
  return describe(value, undefined);
}

/** The same of a value with cycles: what is met again is told by its number. */
export function comparableGraph(value: unknown): unknown {
  return describe(value, new Map());
}

function describe(value: unknown, met: Map<object, number> | undefined): unknown {
  if (typeof value === "number" && Object.is(value, -0)) return ["-0"];
  if (typeof value !== "object" || value === null) return value;
  if (met?.has(value)) return ["again", met.get(value)];
  met?.set(value, met.size);
  const part = (item: unknown) => describe(item, met);
  if (Array.isArray(value)) return ["array", ...Array.from(value, part)];
  if (value instanceof Date) return ["date", value.getTime()];
  if (value instanceof RegExp || value instanceof URL) return [value.constructor.name, String(value)];
  if (value instanceof Map) return ["map", ...[...value].map(([key, item]) => [part(key), part(item)])];
  if (value instanceof Set) return ["set", ...[...value].map(part)];
  if (value instanceof ArrayBuffer) return ["buffer", ...new Uint8Array(value)];
  if (ArrayBuffer.isView(value))
    return [value.constructor.name, ...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
  if (value instanceof Error) {
    const { name, message, cause, code, data, errors } = value as any;
    return ["error", value.constructor.name, name, message, code, part(data), part(cause), part(errors)];
  }
  const kept = Object.entries(value).filter(([, item]) => item !== undefined);
  return ["object", ...kept.map(([key, item]) => [key, part(item)]).sort()];
}
