/** A tool: written once, typed in and out, called by models, programs and people. */
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { ToolContext } from "./context.ts";
import type { JsonSchema } from "./json-schema.ts";
import { checkName, uniqueNames } from "./names.ts";
import { readSchema, type SchemaInput, type SchemaOutput, type Validator } from "./schema.ts";
import type { ToolDefinition, ToolSurroundings } from "./tool-definition.ts";
import { inputForModel } from "./tool-input.ts";
import { runHandler } from "./tool-run.ts";
import { checkStaticValues } from "./tool-statics.ts";

/** One entry of a tools list: a tool, or a tool and its option values. */
export type ToolEntry = Tool<any, any, any> | readonly [Tool<any, any, any>, any];

type Changes<I, O, P> = Partial<ToolDefinition<I, O, P>>;

const brand = Symbol.for("haft.tool");

/**
 * Something that a model can do.
 *
 * ```ts
 * const add = new Tool({
 *   name: "add",
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   output: z.number(),
 *   handler: ({ a, b }) => a + b,
 * });
 * await add.execute({ a: 1, b: 2 }); // 3
 * ```
 *
 * A bad definition throws HaftError (`TOOL_INVALID`, `TOOL_NAME_INVALID`, `SCHEMA_INVALID`, `SCHEMA_UNSUPPORTED`) here.
 * Tools are immutable: `with`, `withOptions`, `clone` and `rename` give new ones, also of a subclass.
 */
export class Tool<I = any, O = any, P = any> {
  declare readonly [brand]: true;
  declare readonly name: string;
  declare readonly aliases: readonly string[];
  declare readonly metadata: Record<string, any>;
  declare readonly input: Validator | undefined;
  declare readonly output: Validator | undefined;
  /** The JSON Schema that the model is shown: always an object, without the static values. */
  declare readonly inputSchema: JsonSchema;
  /** The input is not an object: models send it as `{ input }`. */
  declare readonly wrapsInput: boolean;
  declare readonly optionValues: SchemaOutput<P>;
  declare readonly definition: Readonly<ToolDefinition<I, O, P>>;
  declare readonly missingOptions: string | undefined;

  constructor(definition: ToolDefinition<I, O, P>) {
    setUp(this, definition, undefined);
  }

  get description(): string {
    return this.describe({});
  }

  /** The description where the run's surroundings are known. */
  describe(surroundings: ToolSurroundings): string {
    const { description } = this.definition;
    return (typeof description === "function" ? description(this.optionValues, surroundings) : description) ?? "";
  }

  /**
   * Runs the tool: statics, validation, the handler with its time limit and retries, validation of the output.
   * Works alone; `ctx` may be left out or given in part.
   *
   * @throws HaftError `TOOL_INPUT_INVALID`, `TOOL_OUTPUT_INVALID` (strict), `TOOL_TIMEOUT`, `TOOL_FAILED`, `ABORTED`, and
   * whatever the handler throws.
   */
  execute(input?: SchemaInput<I>, ctx: Partial<ToolContext> = {}): Promise<SchemaOutput<O>> {
    return runHandler(this, input, ctx) as Promise<SchemaOutput<O>>;
  }

  /** A new tool with these properties replaced; this one stays as it is. */
  with<I2 = I, O2 = O>(changes: Changes<I2, O2, P>): Tool<I2, O2, P> {
    return copy(this, { ...this.definition, ...changes } as ToolDefinition<I2, O2, P>, this.optionValues);
  }

  /** A new tool with these option values; `[tool, values]` in a tools list means the same. */
  withOptions(values: SchemaInput<P>): Tool<I, O, P> {
    return copy(this, this.definition, values ?? {});
  }

  /** Like `with`, but `input` and `output` may be functions of the present schema: `clone({ input: (s) => s.extend({…}) })`. */
  clone<I2 = I, O2 = O>(
    changes: Omit<Changes<I2, O2, P>, "input" | "output"> & {
      input?: I2 | ((schema: I) => I2);
      output?: O2 | ((schema: O) => O2);
    } = {},
  ): Tool<I2, O2, P> {
    const { input, output, ...rest } = changes;
    const replaced: Record<string, unknown> = { ...rest };
    if (input !== undefined)
      replaced.input = isFunction(input) ? input(schemaOf(this.definition.input, this.optionValues) as I) : input;
    if (output !== undefined) replaced.output = isFunction(output) ? output(this.definition.output as O) : output;
    return this.with(replaced as Changes<I2, O2, P>);
  }

  /** A new tool of another name. An alias equal to the new name goes. */
  rename(name: string): Tool<I, O, P> {
    return this.with({ name, aliases: this.aliases.filter((alias) => alias !== name) });
  }

  toJSON(): {
    name: string;
    description: string;
    inputSchema: JsonSchema;
    aliases: readonly string[];
    metadata: Record<string, any>;
  } {
    const { name, description, inputSchema, aliases, metadata } = this;
    return { name, description, inputSchema, aliases, metadata };
  }

  static is(value: unknown): value is Tool {
    return typeof value === "object" && value !== null && (value as any)[brand] === true;
  }

  /** Numbers repeated names (`add1`, `add2`, `add`), on copies. */
  static withUniqueNames(tools: readonly Tool[]): Tool[] {
    return uniqueNames(tools, (tool, name) => tool.rename(name));
  }
}

function copy<I, O, P>(tool: Tool<any, any, P>, definition: ToolDefinition<I, O, P>, values: unknown): Tool<I, O, P> {
  const made = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool) as Tool<I, O, P>;
  setUp(made, definition, values);
  return made;
}

function setUp(tool: Tool<any, any, any>, definition: ToolDefinition<any, any, any>, values: unknown): void {
  if (!isPlainObject(definition))
    throw new HaftError("TOOL_INVALID", "new Tool() takes an object: { name, description, input, handler }");
  const options = readOptions(definition, values);
  const name = typeof definition.name === "function" ? definition.name(options.values) : definition.name;
  checkName(name, "A tool", "TOOL_NAME_INVALID");
  const owner = `Tool "${name}"`;
  if (values !== undefined && options.missing)
    throw new HaftError("TOOL_OPTIONS_INVALID", `${owner}: ${options.missing}`);
  checkProperties(definition, owner);

  const schema = schemaOf(definition.input, options.values);
  const input = schema === undefined ? undefined : readSchema(schema, `${owner}: input`);
  const output = definition.output === undefined ? undefined : readSchema(definition.output, `${owner}: output`);
  if (definition.staticInputValues !== undefined) checkStaticValues(definition.staticInputValues, input, owner);

  Object.assign(tool, {
    [brand]: true,
    name,
    aliases: definition.aliases ?? [],
    metadata: definition.metadata ?? {},
    input,
    output,
    ...inputForModel(input, definition.staticInputValues),
    optionValues: options.values,
    missingOptions: options.missing,
    definition,
  });
}

/** Validates option values; without values the defaults of the schema count. */
function readOptions(definition: ToolDefinition, values: unknown): { values: any; missing?: string } {
  if (definition.options === undefined) return { values: values ?? {} };
  const checked = readSchema(definition.options, "A tool's options").check(values ?? {});
  if (checked instanceof Promise)
    throw new HaftError(
      "TOOL_INVALID",
      "A tool's options must have a schema that validates at once, not asynchronously",
    );
  if (checked.ok) return { values: checked.value };
  const list = checked.issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join("; ");
  return { values: values ?? {}, missing: `its options are invalid: ${list}` };
}

function checkProperties(definition: ToolDefinition, owner: string): void {
  const { handler, description, metadata, aliases, retry, timeoutMs } = definition;
  const bad = (what: string, got: unknown) =>
    new HaftError("TOOL_INVALID", `${owner}: ${what}, got ${got === null ? "null" : typeof got}`);
  if (typeof handler !== "function") throw bad("handler must be a function", handler);
  if (description !== undefined && typeof description !== "string" && typeof description !== "function")
    throw bad("description must be text", description);
  if (metadata !== undefined && !isPlainObject(metadata)) throw bad("metadata must be an object", metadata);
  if (aliases !== undefined && !Array.isArray(aliases)) throw bad("aliases must be an array of names", aliases);
  for (const alias of aliases ?? []) checkName(alias, `${owner}: an alias`, "TOOL_NAME_INVALID");
  if (retry !== undefined && typeof retry !== "function") throw bad("retry must be a function", retry);
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0))
    throw bad("timeoutMs must be a number of milliseconds above 0", timeoutMs);
}

function schemaOf(input: unknown, values: unknown): unknown {
  return isFunction(input) && !("~standard" in input) ? input(values) : input;
}

function isFunction(value: unknown): value is (...values: any[]) => any {
  return typeof value === "function" && !("~standard" in value);
}
