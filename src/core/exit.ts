/** A named, typed way for a run to end. */

import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import { hasBrand } from "../base/kinds.ts";
import type { JsonSchema } from "./json-schema.ts";
import { checkName, uniqueNames } from "./names.ts";
import { readSchema, type SchemaOutput, type Validator } from "./schema.ts";
import { objectSchema } from "./tool-input.ts";

export interface ExitDefinition<Name extends string = string, S = any> {
  /** A letter, then letters, digits and underscores, 50 at most. */
  name: Name;
  /** When to leave this way. */
  description?: string;
  /** The value to leave with. Left out: anything. */
  schema?: S;
  aliases?: string[];
  metadata?: Record<string, any>;
}

/** What a run that left by this exit gives as `output`. */
export type ExitValue<E> = E extends Exit<any, infer S> ? SchemaOutput<S> : never;

const brand = Symbol.for("haft.exit");

/**
 * ```ts
 * const found = new Exit({ name: "found", description: "The answer is known", schema: z.object({ answer: z.string() }) });
 * const result = await execute({ exits: [found], … });
 * if (result.is(found)) result.output.answer;
 * ```
 *
 * A bad definition throws HaftError (`EXIT_INVALID`, `SCHEMA_INVALID`, `SCHEMA_UNSUPPORTED`).
 */
export class Exit<const Name extends string = string, S = any> {
  readonly [brand] = true;
  readonly name: Name;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly metadata: Record<string, any>;
  readonly schema: Validator | undefined;
  /** The JSON Schema that the model is shown: always an object. */
  readonly inputSchema: JsonSchema;
  /** The value is not an object: models send it as `{ value }`. */
  readonly wrapsValue: boolean;
  readonly definition: Readonly<ExitDefinition<Name, S>>;

  constructor(definition: ExitDefinition<Name, S>) {
    if (!isPlainObject(definition))
      throw new HaftError("EXIT_INVALID", "new Exit() takes an object: { name, description, schema }");
    const { name, description = "", schema, aliases = [], metadata = {} } = definition;
    checkName(name, "An exit", "EXIT_INVALID", builtIn.has(name));
    const owner = `Exit "${name}"`;
    if (typeof description !== "string") throw new HaftError("EXIT_INVALID", `${owner}: description must be text`);
    if (!Array.isArray(aliases)) throw new HaftError("EXIT_INVALID", `${owner}: aliases must be an array of names`);
    if (!isPlainObject(metadata)) throw new HaftError("EXIT_INVALID", `${owner}: metadata must be an object`);
    for (const alias of aliases) checkName(alias, `${owner}: an alias`, "EXIT_INVALID");
    this.definition = definition;
    this.name = name;
    this.description = description;
    this.aliases = aliases;
    this.metadata = metadata;
    this.schema = schema === undefined ? undefined : readSchema(schema, `${owner}: schema`);
    const shown = objectSchema(this.schema?.json ?? {}, "value");
    this.inputSchema = shown.inputSchema;
    this.wrapsValue = shown.wrapsInput;
  }

  /** True for this exit and for one that was made again with the same name. */
  is(exit: unknown): boolean {
    return Exit.is(exit) && exit.name === this.name;
  }

  clone(changes: Partial<ExitDefinition<string, any>> = {}): Exit<string, any> {
    return new Exit({ ...this.definition, ...changes });
  }

  rename<const NewName extends string>(name: NewName): Exit<NewName, S> {
    return new Exit({ ...this.definition, name, aliases: this.aliases.filter((alias) => alias !== name) });
  }

  static is(value: unknown): value is Exit {
    return hasBrand(value, brand);
  }

  /** Numbers repeated names (`done1`, `done2`, `done`), on copies. */
  static withUniqueNames(exits: readonly Exit[]): Exit[] {
    return uniqueNames(exits, (exit, name) => exit.rename(name));
  }
}

const builtIn = new Set(["listen", "think", "done"]);

/** In a conversation: the turn is over, and the user is listened to. A text without a call is this exit. */
export const ListenExit = new Exit({ name: "listen", description: "Wait for the user's next message" });

/** Look again before going on: the run continues with the next iteration. */
export const ThinkExit = new Exit({ name: "think", description: "Think again before going on" });

const outcome = {
  oneOf: [
    {
      type: "object",
      properties: { success: { const: true }, result: { description: "What was found or done" } },
      required: ["success"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: { success: { const: false }, error: { type: "string", description: "Why it could not be done" } },
      required: ["success", "error"],
      additionalProperties: false,
    },
  ],
};

type Outcome = { success: true; result?: any } | { success: false; error: string };

/** The work is done, or cannot be done. */
export const DefaultExit = new Exit({
  name: "done",
  description: "The work is done, or cannot be done",
  schema: outcome,
}) as unknown as Exit<"done", import("@standard-schema/spec").StandardSchemaV1<Outcome, Outcome>>;
