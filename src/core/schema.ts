/** Schemas come in through Standard Schema or as raw JSON Schema, and are read once, where they are given. */
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { HaftError, messageOf } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import { type JsonSchema, keyPath } from "./json-schema.ts";
import { jsonValidator, variantsText } from "./json-schema-check.ts";

/** A validator whose library cannot write JSON Schema, with the JSON Schema beside it. */
export interface SchemaPair<S extends StandardSchemaV1 = StandardSchemaV1<any, any>> {
  schema: S;
  jsonSchema: JsonSchema;
}

/** What is accepted wherever a schema is: any Standard Schema (zod, valibot, arktype, …), a JSON Schema, or a pair. */
export type SchemaLike = StandardSchemaV1<any, any> | SchemaPair | JsonSchema;

type IsAny<T> = 0 extends 1 & T ? true : false;

/** What a schema takes. `any` for a JSON Schema and for no schema. */
export type SchemaInput<S> =
  IsAny<S> extends true
    ? any
    : S extends StandardSchemaV1
      ? StandardSchemaV1.InferInput<S>
      : S extends SchemaPair<infer Inner>
        ? StandardSchemaV1.InferInput<Inner>
        : any;

/** What a schema gives: defaults filled in, transforms applied. `any` for a JSON Schema and for no schema. */
export type SchemaOutput<S> =
  IsAny<S> extends true
    ? any
    : S extends StandardSchemaV1
      ? StandardSchemaV1.InferOutput<S>
      : S extends SchemaPair<infer Inner>
        ? StandardSchemaV1.InferOutput<Inner>
        : any;

export interface Issue {
  path: string;
  message: string;
}

export type Checked = { ok: true; value: unknown } | { ok: false; issues: Issue[] };

/** A schema as the house uses it. */
export interface Validator {
  /** True for a raw JSON Schema: unknown keys are allowed unless it says otherwise. */
  readonly raw: boolean;
  /** The JSON Schema of what it takes. Throws HaftError SCHEMA_UNSUPPORTED where the library cannot say. */
  readonly json: JsonSchema;
  /** The JSON Schema of what it gives: after defaults and transforms; undefined where nobody can say. */
  readonly outputJson: JsonSchema | undefined;
  check(value: unknown): Checked | Promise<Checked>;
}

/**
 * Reads a schema of any form. `owner` starts the error's sentence, e.g. `Tool "add": input`.
 *
 * @throws HaftError `SCHEMA_INVALID` when it is no schema.
 */
export function readSchema(schema: unknown, owner: string): Validator {
  if (isStandard(schema))
    return standardValidator(
      schema,
      () => jsonSchemaOf(schema, owner),
      () => outputOf(schema),
    );
  if (isPlainObject(schema)) {
    if (isStandard(schema.schema) && isPlainObject(schema.jsonSchema)) {
      const json = schema.jsonSchema;
      return standardValidator(
        schema.schema,
        () => json,
        () => json,
      );
    }
    if (looksLikeJsonSchema(schema)) return jsonValidator(schema, owner);
  }
  throw new HaftError("SCHEMA_INVALID", `${owner} is ${describeValue(schema)}, which is not a schema`, {
    hint: "Give a Standard Schema (zod 4, valibot, arktype, …), a JSON Schema, or { schema, jsonSchema }.",
  });
}

export function isStandard(value: unknown): value is StandardSchemaV1 & Partial<StandardJSONSchemaV1> {
  const mayBe = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayBe && typeof (value as Partial<StandardSchemaV1>)["~standard"]?.validate === "function";
}

/** `a.b: expected number`, one sentence part an issue, at most 10. */
export function issueText(issues: readonly Issue[]): string {
  const shown = issues.slice(0, 10).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`);
  return shown.join("; ");
}

function standardValidator(
  schema: StandardSchemaV1,
  json: () => JsonSchema,
  outputJson: () => JsonSchema | undefined,
): Validator {
  const standard = schema["~standard"];
  let known: JsonSchema | undefined;
  let output: { json: JsonSchema | undefined } | undefined;
  return {
    raw: false,
    get json() {
      known ??= json();
      return known;
    },
    get outputJson() {
      output ??= { json: outputJson() };
      return output.json;
    },
    check(value) {
      const result = standard.validate(value);
      return "then" in result ? Promise.resolve(result).then(checked) : checked(result);
    },
  };
}

function checked(result: StandardSchemaV1.Result<unknown>): Checked {
  return result.issues ? { ok: false, issues: result.issues.map(toIssue) } : { ok: true, value: result.value };
}

function toIssue(issue: StandardSchemaV1.Issue): Issue {
  const path = keyPath((issue.path ?? []).map((segment) => (typeof segment === "object" ? segment.key : segment)));
  const variants = (issue as { errors?: unknown }).errors;
  if (!isVariants(variants)) return { path, message: issue.message };
  return { path, message: variantsText(variants.map((issues) => issueText(issues.map(toIssue)))) };
}

/** A union's issue says only "Invalid input"; zod tells beside it what each variant missed. */
function isVariants(errors: unknown): errors is StandardSchemaV1.Issue[][] {
  return Array.isArray(errors) && errors.length > 0 && errors.every(Array.isArray);
}

function jsonSchemaOf(schema: StandardSchemaV1 & Partial<StandardJSONSchemaV1>, owner: string): JsonSchema {
  const { vendor } = schema["~standard"];
  const convert = (schema["~standard"] as Partial<StandardJSONSchemaV1.Props>).jsonSchema?.input;
  const hint = "Give { schema, jsonSchema }: the schema validates, the JSON Schema is what the model sees.";
  if (!convert) {
    throw new HaftError(
      "SCHEMA_UNSUPPORTED",
      `${owner} is a ${vendor} schema that cannot describe itself as JSON Schema`,
      { hint },
    );
  }
  try {
    const { $schema: _, ...json } = convert({ target: "draft-07" });
    return json;
  } catch (cause) {
    throw new HaftError("SCHEMA_UNSUPPORTED", `${owner} has no JSON Schema: ${messageOf(cause)}`, { hint, cause });
  }
}

function outputOf(schema: StandardSchemaV1 & Partial<StandardJSONSchemaV1>): JsonSchema | undefined {
  const convert = (schema["~standard"] as Partial<StandardJSONSchemaV1.Props>).jsonSchema?.output;
  try {
    const { $schema: _, ...json } = convert?.({ target: "draft-07" }) ?? {};
    return convert && json;
  } catch {
    return undefined;
  }
}

const jsonSchemaWords = [
  "$schema",
  "$ref",
  "type",
  "properties",
  "anyOf",
  "oneOf",
  "allOf",
  "enum",
  "const",
  "items",
  "not",
  "if",
];

function looksLikeJsonSchema(value: Record<string, unknown>): boolean {
  if (Object.values(value).some(isStandard)) return false; // a zod shape whose keys happen to be such words
  return Object.keys(value).length === 0 || jsonSchemaWords.some((word) => word in value);
}
