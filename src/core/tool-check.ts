/** Reads a definition with its option values, and says in a sentence with the tool's name what is wrong with it. */
import { HaftError, messageOf } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import { checkName } from "./names.ts";
import { isStandard, issueText, readSchema } from "./schema.ts";
import type { Tool } from "./tool.ts";
import type { ToolDefinition, ToolSurroundings } from "./tool-definition.ts";

export interface ReadOptions {
  values: any;
  /** Why the values cannot be used. */
  missing?: string;
}

/** @throws HaftError `TOOL_INVALID`, `TOOL_NAME_INVALID`, `TOOL_OPTIONS_INVALID` */
export function readIdentity(
  definition: ToolDefinition,
  givenOptions: unknown,
): { name: string; owner: string; options: ReadOptions } {
  if (!isPlainObject(definition)) {
    const found = describeValue(definition);
    throw new HaftError(
      "TOOL_INVALID",
      `new Tool() takes an object { name, description, input, handler }, not ${found}`,
    );
  }
  const options = readOptions(definition, givenOptions);
  const name = nameOf(definition, options);
  checkName(name, "A tool", "TOOL_NAME_INVALID");
  const owner = `Tool "${name}"`;
  if (givenOptions !== undefined && options.missing)
    throw new HaftError("TOOL_OPTIONS_INVALID", `${owner}: ${options.missing}`);
  return { name, owner, options };
}

/** @throws HaftError `TOOL_INVALID`, `TOOL_NAME_INVALID` */
export function checkProperties(definition: ToolDefinition, owner: string): void {
  const { handler, description, metadata, aliases, modes, timeoutMs, approval, outputValidation } = definition;
  const wrong = (what: string, got: unknown) =>
    new HaftError("TOOL_INVALID", `${owner}: ${what}, not ${describeValue(got)}`);
  if (typeof handler !== "function") throw wrong("handler must be a function", handler);
  if (!isTextOrFunction(description)) throw wrong("description must be text", description);
  if (metadata !== undefined && !isPlainObject(metadata)) throw wrong("metadata must be an object", metadata);
  if (aliases !== undefined && !Array.isArray(aliases)) throw wrong("aliases must be an array of names", aliases);
  for (const alias of aliases ?? []) checkName(alias, `${owner}: an alias`, "TOOL_NAME_INVALID");
  if (modes !== undefined && !(Array.isArray(modes) && modes.every((mode) => mode === "tools" || mode === "code")))
    throw wrong('modes must be a list of "tools" and "code"', modes);
  for (const key of ["retry", "subject", "preview"] as const) {
    const given = definition[key];
    if (given !== undefined && typeof given !== "function") throw wrong(`${key} must be a function`, given);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    throw new HaftError(
      "TOOL_INVALID",
      `${owner}: timeoutMs must be a number of milliseconds above 0, not ${String(timeoutMs)}`,
    );
  }
  if (
    !["boolean", "function", "undefined"].includes(typeof approval) &&
    approval !== "always" &&
    approval !== "never"
  ) {
    throw wrong('approval must be true, false, "always", "never" or a function', approval);
  }
  if (![undefined, "off", "warn", "strict"].includes(outputValidation)) {
    throw wrong('outputValidation must be "off", "warn" or "strict"', outputValidation);
  }
  const { secrets, resultLimit } = definition;
  if (resultLimit !== undefined && resultLimit !== false && !(Number.isInteger(resultLimit) && resultLimit >= 500))
    throw wrong("resultLimit must be an integer from 500, or false", resultLimit);
  if (secrets !== undefined && !(Array.isArray(secrets) && secrets.every((one) => typeof one === "string")))
    throw wrong("secrets must be a list of names", secrets);
  for (const key of ["readOnly", "idempotent", "sandbox"] as const) {
    if (!["boolean", "undefined"].includes(typeof definition[key]))
      throw wrong(`${key} must be true or false`, definition[key]);
  }
}

/** The schema of the input, where that may be a function of the option values. */
export function inputSchemaOf({ input }: ToolDefinition, options: ReadOptions, owner: string): unknown {
  if (typeof input !== "function" || isStandard(input)) return input;
  return computed(input as (values: unknown) => unknown, options, `${owner}: its input function`);
}

export function checkDescription(tool: Tool, owner: string): void {
  const { description } = tool.definition;
  if (typeof description !== "function") return;
  const text = computed(() => describe(tool, {}), { values: undefined }, `${owner}: its description function`);
  if (typeof text !== "string") {
    throw new HaftError("TOOL_INVALID", `${owner}: its description function gave ${describeValue(text)}, not text`);
  }
}

export function describe(
  { definition: { description }, optionValues, missingOptions }: Tool,
  surroundings: ToolSurroundings,
): string {
  if (typeof description !== "function") return description ?? "";
  try {
    return description(optionValues, surroundings);
  } catch (error) {
    if (missingOptions) return "";
    throw error;
  }
}

/** Validates option values; without values the defaults of the schema count. */
function readOptions({ name, options }: ToolDefinition, given: unknown): ReadOptions {
  const values = given ?? {};
  if (options === undefined) return { values };
  const owner = typeof name === "string" ? `Tool "${name}"` : "A tool";
  const checked = readSchema(options, `${owner}: options`).check(values);
  if (checked instanceof Promise) {
    checked.catch(() => {});
    throw new HaftError(
      "TOOL_INVALID",
      `${owner}: options must have a schema that validates at once, not asynchronously`,
    );
  }
  if (checked.ok) return { values: checked.value };
  return { values, missing: `its options are invalid: ${issueText(checked.issues)}` };
}

function nameOf({ name }: ToolDefinition, options: ReadOptions): unknown {
  if (typeof name !== "function") return name;
  return computed(name, options, "A tool: its name function") ?? "unnamed";
}

/** Without the option values that it needs, a function may fail; the tool says so when it is used. */
function computed<T>(make: (values: any) => T, options: ReadOptions, owner: string): T | undefined {
  try {
    return make(options.values);
  } catch (cause) {
    if (options.missing) return undefined;
    throw new HaftError("TOOL_INVALID", `${owner} failed: ${messageOf(cause)}`, { cause });
  }
}

function isTextOrFunction(value: unknown): boolean {
  return ["string", "function", "undefined"].includes(typeof value);
}
