/** A raw JSON Schema as a validator: looked over where it is defined, loaded when it is used, with issues that one can act on. */
import { createRequire } from "node:module";
import type { OutputUnit, Validator as SchemaValidator } from "@cfworker/json-schema";
import { HaftError, messageOf } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import { type JsonSchema, keyPath, resolvePointer } from "./json-schema.ts";
import { plain } from "./plain.ts";
import type { Checked, Issue, Validator } from "./schema.ts";

const require = createRequire(import.meta.url);

/**
 * Undefined properties do not count, and dates, maps and the like are checked as the JSON that they become.
 *
 * @throws HaftError `SCHEMA_INVALID` for a schema that could never be used.
 */
export function jsonValidator(json: JsonSchema, owner: string): Validator {
  lookOver(json, json, "", owner);
  let validator: SchemaValidator | undefined;
  return {
    raw: true,
    json,
    check(value): Checked {
      try {
        validator ??= load(json);
        const { valid, errors } = validator.validate(plain(value) ?? null);
        return valid ? { ok: true, value } : { ok: false, issues: issuesOf(errors.map(withPlace), json) };
      } catch (error) {
        return { ok: false, issues: [{ path: "", message: messageOf(error).split("\n")[0]! }] };
      }
    },
  };
}

function load(json: JsonSchema): SchemaValidator {
  const { Validator } = require("@cfworker/json-schema") as typeof import("@cfworker/json-schema");
  return new Validator(json, String(json.$schema ?? "").includes("draft-07") ? "7" : "2020-12", false);
}

const types = ["string", "number", "integer", "boolean", "object", "array", "null"];
const holders = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const singles = ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];

/** Finds what would fail at every call: types that do not exist, references to nothing, patterns that do not compile. */
function lookOver(schema: unknown, root: JsonSchema, path: string, owner: string): void {
  const wrong = (message: string) =>
    new HaftError("SCHEMA_INVALID", `${owner} is no JSON Schema: ${path ? `${path} ` : ""}${message}`);
  if (typeof schema === "boolean") return;
  if (typeof schema === "object" && schema !== null && "~standard" in schema)
    throw wrong("is a schema of another kind");
  if (!isPlainObject(schema)) throw wrong(`is ${describeValue(schema)}`);

  const { type, $ref, pattern } = schema;
  const unknown = (type === undefined ? [] : [type].flat()).find((name) => !types.includes(name as string));
  if (unknown !== undefined) throw wrong(`has the type ${JSON.stringify(unknown)}; the types are ${types.join(", ")}`);
  if (typeof $ref === "string" && $ref.startsWith("#/") && resolvePointer($ref, root) === undefined) {
    throw wrong(`refers to ${$ref}, which is not there`);
  }
  if (typeof pattern === "string" && !compiles(pattern))
    throw wrong(`has the pattern ${pattern}, which is no regular expression`);

  const below = (key: string, item: unknown) => lookOver(item, root, path ? `${path}.${key}` : key, owner);
  for (const key of singles) if (schema[key] !== undefined && !Array.isArray(schema[key])) below(key, schema[key]);
  for (const key of lists) {
    if (schema[key] === undefined) continue;
    if (!Array.isArray(schema[key])) throw wrong(`has ${key}, which is not a list`);
    schema[key].forEach((item, index) => {
      below(`${key}[${index}]`, item);
    });
  }
  for (const key of holders) {
    if (schema[key] === undefined) continue;
    if (!isPlainObject(schema[key])) throw wrong(`has ${key}, which is ${describeValue(schema[key])}`);
    for (const [name, item] of Object.entries(schema[key])) below(`${key}.${name}`, item);
  }
}

function compiles(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, "u"));
  } catch {
    return false;
  }
}

/** Of a schema that is `false`, the validator tells the value's place as the schema's; the error before it knows better. */
function withPlace(error: OutputUnit, index: number, all: OutputUnit[]): OutputUnit {
  return error.keyword === "false" && index > 0
    ? { ...error, keywordLocation: `${all[index - 1]!.keywordLocation}/false` }
    : error;
}

/** The errors of these only say that something below them is wrong, which has an error of its own. */
const aboveOthers = new Set([
  ...["properties", "items", "allOf", "$ref", "patternProperties", "additionalProperties", "additionalItems", "if"],
  ...["prefixItems", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "dependentSchemas"],
]);

function issuesOf(errors: readonly OutputUnit[], root: JsonSchema): Issue[] {
  const issues: Issue[] = [];
  const choices: string[] = [];
  for (const error of errors) {
    if (aboveOthers.has(error.keyword)) continue;
    if (choices.some((place) => error.keywordLocation.startsWith(`${place}/`))) continue;
    if (error.keyword === "anyOf" || error.keyword === "oneOf") choices.push(error.keywordLocation);
    issues.push(issueOf(error, errors, root));
  }
  return issues.length > 0 ? issues : errors.map((error) => issueOf(error, errors, root));
}

function issueOf(error: OutputUnit, all: readonly OutputUnit[], root: JsonSchema): Issue {
  const keys = keysOf(error.instanceLocation);
  const wanted = keywordValue(error.keywordLocation, root);
  const at = (message: string): Issue => ({ path: keyPath(keys), message });
  switch (error.keyword) {
    case "required": {
      const missing = /"(.*)"\.$/.exec(error.error)?.[1] ?? "";
      return { path: keyPath([...keys, missing]), message: "is required" };
    }
    case "type":
      return at(`expected ${[wanted].flat().join(" or ")}, got ${/type "(\w+)"/.exec(error.error)?.[1]}`);
    case "enum":
      return at(`expected one of ${(wanted as unknown[]).map((item) => JSON.stringify(item)).join(", ")}`);
    case "const":
      return at(`expected ${JSON.stringify(wanted)}`);
    case "pattern":
      return at(`does not match the pattern ${wanted}`);
    case "false":
      return at("is not allowed");
    case "anyOf":
    case "oneOf":
      return at(choiceText(error, all, root));
    default:
      return at(error.error.replace(/^(Instance|String|Array) /, "").replace(/\.$/, ""));
  }
}

/** What each of the variants misses, so that the one that was meant can be put right. */
function choiceText(error: OutputUnit, all: readonly OutputUnit[], root: JsonSchema): string {
  if (/\([2-9]\d* matches\)/.test(error.error)) return "fits more than one of the variants";
  const variants = (keywordValue(error.keywordLocation, root) as unknown[]) ?? [];
  const texts = variants.map((_, index) => {
    const own = all.filter(({ keywordLocation }) => keywordLocation.startsWith(`${error.keywordLocation}/${index}/`));
    return issuesOf(own, root).map(({ path, message }) => (path ? `${path}: ${message}` : message));
  });
  return variantsText(texts.map((text) => text.join(", ")));
}

/** `fits none of 2 variants: (1) a: is required (2) b: expected string` */
export function variantsText(texts: readonly string[]): string {
  return `fits none of ${texts.length} variants: ${texts.map((text, index) => `(${index + 1}) ${text}`).join(" ")}`;
}

/** What the schema says at a keyword's place, references followed. */
function keywordValue(location: string, root: JsonSchema): unknown {
  let node: any = root;
  for (const key of keysOf(location)) {
    node = key === "$ref" && typeof node?.$ref === "string" ? resolvePointer(node.$ref, root) : node?.[key];
  }
  return node;
}

/** `#/a/0/b` → `a`, `0`, `b` */
function keysOf(pointer: string): (string | number)[] {
  const keys = pointer.split("/").slice(1);
  return keys.map((key) => {
    const name = decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
    return /^\d+$/.test(name) ? Number(name) : name;
  });
}
