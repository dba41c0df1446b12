/** A tool: written once, typed in and out, called by models, programs and people. */
import { hasBrand } from "../base/kinds.ts";
import type { ToolContext } from "./context.ts";
import type { JsonSchema } from "./json-schema.ts";
import { uniqueNames } from "./names.ts";
import { isStandard, readSchema, type SchemaInput, type SchemaOutput, type Validator } from "./schema.ts";
import { checkDescription, checkProperties, describe, inputSchemaOf, readIdentity } from "./tool-check.ts";
import type { ToolDefinition, ToolSurroundings } from "./tool-definition.ts";
import { inputForModel } from "./tool-input.ts";
import { runHandler } from "./tool-run.ts";
import { checkSecretInput, withSecretNames } from "./tool-secret-input.ts";
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
 * Tools are immutable: `with`, `withOptions`, `clone` and `rename` give new ones, also of a subclass, whose constructor is
 * not run again: its methods and fields are there, `#private` fields are not.
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
  /** What is wrong with the option values, when the tool cannot be used without others. */
  declare readonly missingOptions: string | undefined;
  /** As they were given, before their schema changed them: a token may still be in the open there. */
  declare readonly givenOptions: unknown;

  constructor(definition: ToolDefinition<I, O, P>) {
    setUp(this, definition, undefined);
  }

  get description(): string {
    return this.describe({});
  }

  /** The description where the run's surroundings are known. */
  describe(surroundings: ToolSurroundings): string {
    return describe(this, surroundings);
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
    return copy(this, { ...this.definition, ...changes } as ToolDefinition<I2, O2, P>, this.givenOptions);
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
    if (input !== undefined) replaced.input = isFunction(input) ? input(schemaOf(this) as I) : input;
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
    return hasBrand(value, brand);
  }

  /** Numbers repeated names (`add1`, `add2`, `add`), on copies. */
  static withUniqueNames(tools: readonly Tool[]): Tool[] {
    return uniqueNames(tools, (tool, name) => tool.rename(name));
  }
}

/** The input's schema as it was given. */
function schemaOf({ definition, optionValues }: Tool): unknown {
  return isFunction(definition.input) ? definition.input(optionValues) : definition.input;
}

function copy<I, O, P>(tool: Tool<any, any, P>, definition: ToolDefinition<I, O, P>, values: unknown): Tool<I, O, P> {
  const made = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool) as Tool<I, O, P>;
  setUp(made, definition, values);
  return made;
}

function setUp(tool: Tool<any, any, any>, definition: ToolDefinition<any, any, any>, givenOptions: unknown): void {
  const { name, owner, options } = readIdentity(definition, givenOptions);
  checkProperties(definition, owner);
  const schema = inputSchemaOf(definition, options, owner);
  const input = schema === undefined ? undefined : readSchema(schema, `${owner}: input`);
  const output = definition.output === undefined ? undefined : readSchema(definition.output, `${owner}: output`);
  if (definition.staticInputValues !== undefined) checkStaticValues(definition.staticInputValues, input, owner);
  const forModel = inputForModel(input, definition.staticInputValues);
  const { secretInput } = definition;
  checkSecretInput(secretInput, forModel.inputSchema, forModel.wrapsInput, owner);
  if (secretInput) forModel.inputSchema = withSecretNames(forModel.inputSchema, secretInput);

  Object.assign(tool, {
    [brand]: true,
    name,
    aliases: [...(definition.aliases ?? [])],
    metadata: { ...definition.metadata },
    input,
    output,
    ...forModel,
    optionValues: options.values,
    missingOptions: options.missing,
    definition,
  });
  Object.defineProperty(tool, "givenOptions", { value: givenOptions, enumerable: false }); // printing a tool leaves it out
  if (!options.missing) checkDescription(tool, owner);
}

/** A Standard Schema may be a function too (arktype); then it is no function of ours. */
function isFunction(value: unknown): value is (...values: any[]) => any {
  return typeof value === "function" && !isStandard(value);
}
