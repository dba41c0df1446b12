/** Schemas of libraries that are not zod, made by hand after the Standard Schema specification. */
import type { StandardSchemaV1 } from "@standard-schema/spec";

type Check<T> = (value: unknown) => StandardSchemaV1.Result<T> | Promise<StandardSchemaV1.Result<T>>;

/** Validates, and cannot describe itself as JSON Schema. */
export function plainSchema<T>(vendor: string, validate: Check<T>): StandardSchemaV1<T, T> {
  return { "~standard": { version: 1, vendor, validate } };
}

/** Validates, and describes itself. */
export function describedSchema<T>(
  vendor: string,
  json: Record<string, unknown>,
  validate: Check<T>,
): StandardSchemaV1<T, T> {
  const describe = { input: () => json, output: () => json };
  return { "~standard": { version: 1, vendor, validate, jsonSchema: describe } } as StandardSchemaV1<T, T>;
}

/** Validates asynchronously, with paths of segments, as valibot's async schemas do. */
export function asyncNumberObject(): StandardSchemaV1<{ n: number }, { n: number }> {
  const json = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  return describedSchema<{ n: number }>("valibot-like", json, async (value) => {
    await null;
    const n = (value as { n?: unknown } | undefined)?.n;
    if (typeof n === "number") return { value: { n } };
    return { issues: [{ message: "Invalid type: Expected number", path: [{ key: "n" }] }] };
  });
}
