/** An object: a namespace of typed properties and tools, which programs see as `Orders.status` and `Orders.cancel(…)`. */

import type { Json } from "../base/json.ts";
import { hasBrand } from "../base/kinds.ts";
import type { JsonSchema } from "./json-schema.ts";
import { checkCalls, checkMembers, readIdentity, readProperty, readTools } from "./object-check.ts";
import { callName } from "./object-names.ts";
import { decodeValue } from "./object-value.ts";
import type { SchemaInput, Validator } from "./schema.ts";
import type { Tool, ToolEntry } from "./tool.ts";

export interface PropertyDefinition<T = any> {
  /** A letter, then letters, digits and underscores, 50 at most. */
  name: string;
  /** What it starts with. Checked by the type, whose defaults and transforms count. */
  value?: SchemaInput<T>;
  /** Any schema. Left out: anything. */
  type?: T;
  description?: string;
  /** Whether a model may set it. Default: no. */
  writable?: boolean;
}

export interface ObjectDefinition<Types extends readonly unknown[] = readonly any[]> {
  /** A letter, then letters, digits and underscores, 50 at most. */
  name: string;
  description?: string;
  /** At most 100. */
  properties?: { [K in keyof Types]: PropertyDefinition<Types[K]> };
  /** Called `<object>_<tool>`, their aliases likewise. */
  tools?: readonly ToolEntry[];
  /** Free facts for your own code. */
  metadata?: Record<string, any>;
}

export interface ObjectProperty {
  readonly name: string;
  readonly description: string;
  readonly type: Validator | undefined;
  /** Of what it may be set to; undefined for a read-only one. */
  readonly inputSchema: JsonSchema | undefined;
  readonly writable: boolean;
  /** What a run starts with, encoded. Of a type that validates asynchronously: once the object is `ready`. */
  readonly initial: Json | undefined;
}

const brand = Symbol.for("haft.object");

/**
 * ```ts
 * const Orders = new Autonomous.Object({
 *   name: "Orders",
 *   properties: [{ name: "status", type: z.enum(["open", "cancelled"]), value: "open", writable: true }],
 *   tools: [cancel],
 * });
 * await execute({ objects: [Orders], … });
 * ```
 *
 * A bad definition throws HaftError (`OBJECT_INVALID`, `OBJECT_VALUE_INVALID`, `SCHEMA_INVALID`, `SCHEMA_UNSUPPORTED`,
 * `TOOL_INVALID`, `TOOL_OPTIONS_INVALID`). Objects are immutable: values that a run sets are the run's.
 */
export class ObjectInstance<const Types extends readonly unknown[] = readonly any[]> {
  readonly [brand] = true;
  readonly name: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, any>>;
  readonly properties: readonly ObjectProperty[];
  readonly tools: readonly Tool[];
  /** The same tools under the names by which they are called: `Orders_cancel`. */
  readonly calls: readonly Tool[];
  /**
   * Where a type validates asynchronously: settled once the initial values were found right. Rejects with HaftError
   * `OBJECT_VALUE_INVALID`, as a run with this object does.
   */
  readonly ready: Promise<void> | undefined;

  constructor(definition: ObjectDefinition<Types>) {
    const { name, owner, description, metadata, properties, tools } = readIdentity(definition);
    const read = properties.map((property, index) => readProperty(name, owner, property, index));
    this.name = name;
    this.description = description;
    this.metadata = Object.freeze({ ...metadata });
    this.properties = Object.freeze(read.map(({ property }) => property));
    this.tools = Object.freeze(readTools(tools));
    checkMembers(this, owner);
    checkCalls(this, owner);
    this.calls = Object.freeze(this.tools.map((tool) => called(this, tool)));
    const checks = read.flatMap(({ checking }) => checking ?? []);
    this.ready = checks.length > 0 ? Promise.all(checks).then(() => {}) : undefined;
    this.ready?.catch(() => {}); // whoever runs with it is told
  }

  /** The values that a run starts with. */
  get values(): Record<string, unknown> {
    return Object.fromEntries(this.properties.map(({ name, initial }) => [name, decodeValue(initial)]));
  }

  static is(value: unknown): value is ObjectInstance {
    return hasBrand(value, brand);
  }
}

function called(object: { name: string }, tool: Tool): Tool {
  return tool.with({
    name: callName(object, tool.name),
    aliases: tool.aliases.map((alias) => callName(object, alias)),
  });
}
