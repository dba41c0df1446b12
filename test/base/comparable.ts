/** A value as plain data with everything written out, so that two of them can be compared without a rule being missed. */
export function comparable(value: unknown): unknown {
  if (typeof value === "number" && Object.is(value, -0)) return ["-0"];
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return ["array", ...Array.from(value, comparable)];
  if (value instanceof Date) return ["date", value.getTime()];
  if (value instanceof RegExp || value instanceof URL) return [value.constructor.name, String(value)];
  if (value instanceof Map) return ["map", ...[...value].map(([key, item]) => [comparable(key), comparable(item)])];
  if (value instanceof Set) return ["set", ...[...value].map(comparable)];
  if (value instanceof ArrayBuffer) return ["buffer", ...new Uint8Array(value)];
  if (ArrayBuffer.isView(value))
    return [value.constructor.name, ...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
  if (value instanceof Error) {
    const { name, message, cause, code, data } = value as any;
    return ["error", value.constructor.name, name, message, code, comparable(cause), comparable(data)];
  }
  const kept = Object.entries(value).filter(([, item]) => item !== undefined);
  return ["object", ...kept.map(([key, item]) => [key, comparable(item)]).sort()];
}
