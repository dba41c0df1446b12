/** Schemas come in through Standard Schema or as raw JSON Schema, and are read once, where they are given. */
import { createRequire } from "node:module";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { HaftError, messageOf } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import type { JsonSchema } from "./json-schema.ts";

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
  check(value: unknown): Checked | Promise<Checked>;
}

/**
 * Reads a schema of any form. `owner` starts the error's sentence, e.g. `Tool "add": input`.
 *
 * @throws HaftError `SCHEMA_INVALID` when it is no schema.
 */
export function readSchema(schema: unknown, owner: string): Validator {
  if (isStandard(schema)) return standardValidator(schema, () => jsonSchemaOf(schema, owner));
  if (isPlainObject(schema)) {
    if (isStandard(schema.schema) && isPlainObject(schema.jsonSchema)) {
      const json = schema.jsonSchema;
      return standardValidator(schema.schema, () => json);
    }
    if (looksLikeJsonSchema(schema)) return jsonValidator(schema);
  }
  throw new HaftError("SCHEMA_INVALID", `${owner} is ${describeValue(schema)}, which is not a schema`, {
    hint: "Give a Standard Schema (zod 4, valibot, arktype, …), a JSON Schema, or { schema, jsonSchema }.",
  });
}

export function isStandard(value: unknown): value is StandardSchemaV1 & Partial<StandardJSONSchemaV1> {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/** `a.b: expected number`, one sentence part an issue, at most 10. */
export function issueText(issues: readonly Issue[]): string {
  const shown = issues.slice(0, 10).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`);
  return shown.join("; ");
}

function standardValidator(schema: StandardSchemaV1, json: () => JsonSchema): Validator {
  const standard = schema["~standard"];
  let known: JsonSchema | undefined;
  return {
    raw: false,
    get json() {
      known ??= json();
      return known;
    },
    check(value) {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(checked) : checked(result);
    },
  };
}

function checked(result: StandardSchemaV1.Result<unknown>): Checked {
  if (!result.issues) return { ok: true, value: result.value };
  const issues = result.issues.map(({ path, message }) => ({ path: pathText(path ?? []), message }));
  return { ok: false, issues };
}

function pathText(path: readonly (PropertyKey | StandardSchemaV1.PathSegment)[]): string {
  let text = "";
  for (const segment of path) {
    const key = typeof segment === "object" ? segment.key : segment;
    text += typeof key === "number" ? `[${key}]` : text ? `.${String(key)}` : String(key);
  }
  return text;
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
  return Object.keys(value).length === 0 || jsonSchemaWords.some((word) => word in value);
}

const require = createRequire(import.meta.url);

function jsonValidator(json: JsonSchema): Validator {
  let validator: import("@cfworker/json-schema").Validator | undefined;
  return {
    raw: true,
    json,
    check(value) {
      if (!validator) {
        const { Validator } = require("@cfworker/json-schema") as typeof import("@cfworker/json-schema");
        validator = new Validator(json, String(json.$schema ?? "").includes("draft-07") ? "7" : "2020-12", false);
      }
      const { valid, errors } = validator.validate(value);
      if (valid) return { ok: true, value };
      // The deepest errors say what is wrong; the ones above them only say that something below is.
      const deepest = errors.filter(({ keyword }) => !["properties", "items", "allOf", "$ref"].includes(keyword));
      return {
        ok: false,
        issues: deepest.map((error) => ({ path: pointerText(error.instanceLocation), message: error.error })),
      };
    },
  };
}

/** `#/a/0/b` → `a[0].b` */
function pointerText(pointer: string): string {
  const keys = pointer
    .split("/")
    .slice(1)
    .map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
  return pathText(keys.map((key) => (/^\d+$/.test(key) ? Number(key) : key)));
}
