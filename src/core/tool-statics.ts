/** Static input values: checked when they are set, merged over what the model sends. */
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { ToolContext } from "./context.ts";
import { followRef, type JsonSchema } from "./json-schema.ts";
import { issueText, type Validator } from "./schema.ts";

/** True when the statics are the input, and not a part of it. */
export function isWhole(statics: unknown, input: Validator | undefined): boolean {
  if (statics === undefined) return false;
  return !isPlainObject(statics) || (input !== undefined && !takesObject(input.json));
}

/** The input with the static values in it. Objects merge deeply; everything else is replaced. */
export function applyStatics(input: unknown, statics: unknown, ctx: ToolContext): unknown {
  if (statics === undefined) return input;
  if (typeof statics === "function") return statics(ctx);
  if (!isPlainObject(statics)) return statics;
  const result: Record<string, unknown> = isPlainObject(input) ? { ...input } : {};
  for (const [key, value] of Object.entries(statics)) result[key] = applyStatics(result[key], value, ctx);
  return result;
}

/**
 * The user's own schema says whether the literal values fit; what it says of values that are not set does not count.
 *
 * @throws HaftError `TOOL_STATIC_INVALID`
 */
export function checkStaticValues(statics: unknown, input: Validator | undefined, owner: string): void {
  if (!input || typeof statics === "function") return;
  const whole = isWhole(statics, input);
  if (!whole) checkKeys(statics as Record<string, unknown>, input, owner);

  const checked = input.check(whole ? statics : literals(statics));
  if (checked instanceof Promise || checked.ok) return;
  const paths = whole ? [] : leafPaths(statics as Record<string, unknown>, "");
  const issues = checked.issues.filter(
    ({ path }) => whole || (path !== "" && paths.some((leaf) => touches(path, leaf))),
  );
  if (issues.length > 0)
    throw new HaftError(
      "TOOL_STATIC_INVALID",
      `${owner}: staticInputValues do not fit its input: ${issueText(issues)}`,
    );
}

function checkKeys(statics: Record<string, unknown>, input: Validator, owner: string): void {
  const walk = (values: Record<string, unknown>, json: JsonSchema, path: string): void => {
    const objects = branches(followRef(json, input.json), input.json);
    for (const [key, value] of Object.entries(values)) {
      const owners = objects.filter((object) => isPlainObject(object.properties) && key in object.properties);
      if (owners.length === 0 && objects.length > 0 && objects.every((object) => isClosed(object, input.raw))) {
        const known = [...new Set(objects.flatMap((object) => Object.keys(object.properties ?? {})))];
        throw new HaftError(
          "TOOL_STATIC_INVALID",
          `${owner}: staticInputValues has "${path}${key}", which its input does not have`,
          {
            hint: `Its input has: ${known.join(", ") || "nothing"}.`,
          },
        );
      }
      if (isPlainObject(value)) for (const object of owners) walk(value, object.properties[key], `${path}${key}.`);
    }
  };
  walk(statics, input.json, "");
}

/** The object schemas that a schema may be. */
function branches(json: JsonSchema, root: JsonSchema): JsonSchema[] {
  const inner = ["anyOf", "oneOf", "allOf"].flatMap((key) =>
    Array.isArray(json[key]) ? (json[key] as JsonSchema[]) : [],
  );
  if (isPlainObject(json.properties) || inner.length === 0)
    return json.type === "object" || json.properties ? [json] : [];
  return inner.flatMap((item) => branches(followRef(item, root), root));
}

function isClosed(object: JsonSchema, raw: boolean): boolean {
  const extra = object.additionalProperties;
  return raw ? extra === false : extra === undefined || extra === false;
}

function takesObject(json: JsonSchema): boolean {
  if (json.type === "object" || Object.keys(json).length === 0 || isPlainObject(json.properties)) return true;
  return ["anyOf", "oneOf", "allOf"].some((key) => Array.isArray(json[key]) && json[key].some(takesObject));
}

function literals(statics: unknown): unknown {
  if (!isPlainObject(statics)) return statics;
  return Object.fromEntries(
    Object.entries(statics).flatMap(([key, value]) => (typeof value === "function" ? [] : [[key, literals(value)]])),
  );
}

function leafPaths(statics: Record<string, unknown>, path: string): string[] {
  return Object.entries(statics).flatMap(([key, value]) => {
    if (typeof value === "function") return [];
    return isPlainObject(value) && Object.keys(value).length > 0
      ? leafPaths(value, `${path}${key}.`)
      : [`${path}${key}`];
  });
}

/** The issue is about the value at `leaf`, about something in it, or about an object that was set above it. */
function touches(path: string, leaf: string): boolean {
  return path === leaf || path.startsWith(`${leaf}.`) || path.startsWith(`${leaf}[`) || leaf.startsWith(`${path}.`);
}
