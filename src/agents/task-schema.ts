/** What a task is given with, checked in code: its words are for a model, and need no package that knows JSON Schema. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { isPlainObject } from "../base/json.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import type { SchemaPair } from "../core/schema.ts";

/** `keys`: of an object; `isTask`: whether a text is a task too. What goes with a task is looked at by its role. */
export function taskSchema<T>(
  jsonSchema: JsonSchema,
  { keys, isTask, roles }: { keys: readonly string[]; isTask: boolean; roles?: readonly string[] },
): SchemaPair<StandardSchemaV1<T, T>> {
  const validate = (value: unknown): StandardSchemaV1.Result<T> => {
    if (isTask && typeof value === "string") return { value: value as T };
    if (!isPlainObject(value))
      return problem(`expected ${isTask ? "a text or " : ""}an object with ${keys.join(", ")}`);
    const unknown = Object.keys(value).find((key) => !keys.includes(key));
    if (unknown !== undefined) return problem(`there is no such key; there are ${keys.join(", ")}`, unknown);
    if (roles && !roles.includes(value.role as string)) return problem(`expected one of ${roles.join(", ")}`, "role");
    if (typeof value.task !== "string" || value.task === "")
      return problem("expected a text that says what to do", "task");
    return { value: value as T };
  };
  return { schema: { "~standard": { version: 1, vendor: "haft", validate } }, jsonSchema };
}

function problem(message: string, ...path: string[]): StandardSchemaV1.FailureResult {
  return { issues: [{ message, path }] };
}
