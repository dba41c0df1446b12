/** Static input values: checked when they are set, merged over what the model sends. */
import { HaftError } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import type { ToolContext } from "./context.ts";
import { followRef, type JsonSchema, objectBranches } from "./json-schema.ts";
import { jsonValidator } from "./json-schema-check.ts";
import { type Checked, issueText, type Validator } from "./schema.ts";

/** True when the statics are the input, and not a part of it. */
export function isWhole(statics: unknown, input: Validator | undefined): boolean {
  if (statics === undefined) return false;
  return !isPlainObject(statics) || (input !== undefined && !takesObject(input.json, input.json));
}

/** The input with the static values in it. Objects merge deeply; everything else is replaced. */
export function applyStatics(input: unknown, statics: unknown, ctx: ToolContext): unknown {
  if (statics === undefined) return input;
  if (typeof statics === "function") return statics(ctx);
  if (!isPlainObject(statics)) return statics;
  const result: Record<string, unknown> = isPlainObject(input) ? { ...input } : {};
  for (const [key, value] of Object.entries(statics)) {
    if (value !== undefined) result[key] = applyStatics(result[key], value, ctx);
  }
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
  if (!whole) checkPlaces(statics as Record<string, unknown>, input, owner);

  const checked = tryCheck(input, whole ? statics : literals(statics));
  if (!checked || checked.ok) return;
  const leaves = whole ? [] : leafPaths(statics as Record<string, unknown>, "");
  const issues = checked.issues.filter(({ path }) => whole || leaves.some((leaf) => isAt(path, leaf)));
  if (issues.length > 0) throw invalid(owner, `staticInputValues do not fit its input: ${issueText(issues)}`);
}

/** undefined when only a call can tell: the schema is asynchronous, or fails because values are missing. */
function tryCheck(input: Validator, value: unknown): Checked | undefined {
  try {
    const checked = input.check(value);
    if (!(checked instanceof Promise)) return checked;
    checked.catch(() => {});
  } catch {}
  return undefined;
}

/** Every static value has a place in the schema: its key is known, and where it is an object, an object is taken. */
function checkPlaces(statics: Record<string, unknown>, input: Validator, owner: string): void {
  const root = input.json;
  walk(statics, [root], "");

  function walk(values: Record<string, unknown>, schemas: JsonSchema[], path: string): void {
    const objects = schemas.flatMap((schema) => objectBranches(schema, root));
    for (const [key, value] of Object.entries(values)) {
      const place = `${path}${key}`;
      const owners = objects.filter(({ properties }) => isPlainObject(properties) && Object.hasOwn(properties, key));
      if (owners.length === 0 && objects.length > 0 && objects.every((object) => isClosed(object, input.raw))) {
        throw unknownKey(place, objects, owner);
      }
      const below = owners.map(({ properties }) => properties[key] as JsonSchema);
      if (below.length === 0) continue;
      if (!isPlainObject(value)) checkVariants(value, below, place);
      else if (below.some((schema) => takesObject(schema, root))) walk(value, below, `${place}.`);
      else throw invalid(owner, `staticInputValues has an object as "${place}", where its input takes none`);
    }
  }

  /** In a union, the schema itself cannot tell a wrong value from one whose variant is not complete. */
  function checkVariants(value: unknown, schemas: JsonSchema[], place: string): void {
    if (
      schemas.length < 2 ||
      typeof value === "function" ||
      value === undefined ||
      schemas.some((schema) => fits(value, schema, root))
    )
      return;
    throw invalid(
      owner,
      `staticInputValues has ${describeValue(value)} as "${place}" that no variant of its input takes`,
    );
  }
}

function unknownKey(place: string, objects: readonly JsonSchema[], owner: string): HaftError {
  const known = [...new Set(objects.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  return new HaftError(
    "TOOL_STATIC_INVALID",
    `${owner}: staticInputValues has "${place}", which its input does not have`,
    {
      hint: `Its input has: ${known.join(", ") || "nothing"}.`,
    },
  );
}

function invalid(owner: string, message: string): HaftError {
  return new HaftError("TOOL_STATIC_INVALID", `${owner}: ${message}`);
}

function isClosed({ additionalProperties: extra, patternProperties }: JsonSchema, raw: boolean): boolean {
  if (patternProperties) return false;
  return raw ? extra === false : extra === undefined || extra === false;
}

function takesObject(json: JsonSchema, root: JsonSchema): boolean {
  const { type, properties, ...schema } = followRef(json, root);
  if ([type].flat().includes("object") || isPlainObject(properties)) return true;
  const inner = ["anyOf", "oneOf", "allOf"].flatMap((word) =>
    Array.isArray(schema[word]) ? (schema[word] as JsonSchema[]) : [],
  );
  if (inner.length > 0) return inner.some((item) => takesObject(item, root));
  return type === undefined && !("const" in schema) && !("enum" in schema) && !("not" in schema);
}

function fits(value: unknown, schema: JsonSchema, { $defs, definitions }: JsonSchema): boolean {
  try {
    const alone = { ...schema, ...($defs && { $defs }), ...(definitions && { definitions }) };
    return (jsonValidator(alone, "").check(value) as Checked).ok;
  } catch {
    return true; // it refers to what is not here
  }
}

function literals(statics: unknown): unknown {
  if (!isPlainObject(statics)) return statics;
  const kept = Object.entries(statics).filter(([, value]) => typeof value !== "function" && value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key, literals(value)]));
}

function leafPaths(statics: Record<string, unknown>, path: string): string[] {
  return Object.entries(statics).flatMap(([key, value]) => {
    if (typeof value === "function" || value === undefined) return [];
    if (isPlainObject(value) && Object.keys(value).length > 0) return leafPaths(value, `${path}${key}.`);
    return [`${path}${key}`];
  });
}

/** The issue is about the value at `leaf`, or about something in it. */
function isAt(path: string, leaf: string): boolean {
  return path === leaf || path.startsWith(`${leaf}.`) || path.startsWith(`${leaf}[`);
}
