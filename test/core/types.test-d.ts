/** What the types promise. Nothing here runs: tsc checks it. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { z } from "zod";
import type { HaftError } from "../../src/base/errors.ts";
import type { ToolContext } from "../../src/core/context.ts";
import type { PendingCall } from "../../src/core/decision.ts";
import type { ExecuteOptions, Run } from "../../src/core/execute.ts";
import { DefaultExit, Exit, type ExitValue, ListenExit } from "../../src/core/exit.ts";
import { ObjectInstance, type PropertyDefinition } from "../../src/core/object.ts";
import type { ExecuteResult } from "../../src/core/result.ts";
import type { Snapshot } from "../../src/core/snapshot.ts";
import { Tool, type ToolEntry } from "../../src/core/tool.ts";
import { fail, ok } from "../../src/core/tool-result.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `is<string>()(value)` compiles only where the value is exactly a string. */
declare function is<Expected>(): <Actual>(
  value: Actual,
  ...same: Same<Actual, Expected> extends true ? [] : [never]
) => void;

const never = undefined as never;

// ── a tool's input ──

new Tool({
  name: "object",
  input: z.object({ query: z.string(), max: z.number().default(5), tag: z.string().optional() }),
  handler: ({ query, max, tag }, ctx) => {
    is<string>()(query);
    is<number>()(max);
    is<string | undefined>()(tag);
    is<string>()(ctx.callId);
    is<AbortSignal>()(ctx.abortSignal);
  },
});
new Tool({ name: "text", input: z.string().min(1).max(9), handler: (query) => is<string>()(query) });
new Tool({ name: "list", input: z.array(z.number()), handler: (numbers) => is<number[]>()(numbers) });
new Tool({
  name: "union",
  input: z.union([z.object({ a: z.number() }), z.object({ b: z.string() })]),
  handler: (input) => is<{ a: number } | { b: string }>()(input),
});
new Tool({
  name: "transformed",
  input: z.string().transform((text) => text.length),
  handler: (length) => is<number>()(length),
});
new Tool({ name: "none", handler: (input) => is<any>()(input) });
new Tool({
  name: "raw",
  input: { type: "object", properties: { a: { type: "string" } } },
  handler: (input) => is<any>()(input),
});
new Tool({
  name: "pair",
  input: { schema: z.object({ at: z.date() }), jsonSchema: { type: "object" } },
  handler: ({ at }) => is<Date>()(at),
});
declare const handMade: StandardSchemaV1<{ n: string }, { n: number }>;
new Tool({ name: "standard", input: handMade, handler: ({ n }) => is<number>()(n) });
new Tool({
  name: "method",
  input: z.object({ param: z.string() }),
  async handler(input, ctx) {
    is<{ param: string }>()(input);
    is<ToolContext<any>["secrets"]>()(ctx.secrets);
    return input.param;
  },
});
// @ts-expect-error: there is no such field
new Tool({ name: "wrong", input: z.object({ a: z.string() }), handler: ({ b }) => b });
// @ts-expect-error: a name is needed
new Tool({ handler: () => 1 });
// @ts-expect-error: a handler is needed
new Tool({ name: "empty" });

// ── its output, and calling it ──

const add = new Tool({
  name: "add",
  input: z.object({ a: z.number(), b: z.coerce.number<string>().default(1) }),
  output: z.object({ sum: z.number(), unit: z.string().default("m") }),
  handler: ({ a, b }) => ({ sum: a + b }),
});
is<Promise<{ sum: number; unit: string }>>()(add.execute({ a: 1 }));
add.execute({ a: 1, b: "2" });
// @ts-expect-error: what a schema takes is what execute takes
add.execute({ a: "1" });
is<Promise<any>>()(new Tool({ name: "t", handler: () => 1 }).execute());
is<Promise<string>>()(
  new Tool({ name: "t", output: z.string(), handler: async () => ok("x", { assigns: { seen: true } }) }).execute(),
);
new Tool({ name: "t", output: z.string(), handler: () => fail("no") });
new Tool({ name: "t", output: z.string(), handler: async () => (Math.random() > 0.5 ? "x" : ok("y")) });
// @ts-expect-error: an output that the schema does not take
new Tool({ name: "t", output: z.string(), handler: () => 5 });
class Page {
  #html = "";
  get html() {
    return this.#html;
  }
}
new Tool({ name: "t", output: z.array(z.string()), handler: () => ok(["a"]) });
new Tool({ name: "t", output: z.object({ list: z.array(z.number()) }), handler: async () => ok({ list: [1, 2] }) });
new Tool({ name: "t", output: z.tuple([z.string(), z.number()]), handler: () => ok(["a", 1]) });
new Tool({ name: "t", output: z.object({ kind: z.literal("a") }), handler: () => ok({ kind: "a" }) });
new Tool({ name: "t", output: z.instanceof(Page), handler: () => ok(new Page()) });
new Tool({ name: "t", output: z.map(z.string(), z.date()), handler: () => ok(new Map([["a", new Date()]])) });
// @ts-expect-error: a list of another kind
new Tool({ name: "t", output: z.array(z.string()), handler: () => ok([1]) });
// @ts-expect-error: nor in ok()
new Tool({ name: "t", output: z.string(), handler: () => ok(5) });

// ── retry, statics, approval, options ──

new Tool({
  name: "t",
  input: z.object({ endpoint: z.string() }),
  output: z.any(),
  retry: async ({ input, attempt, error }) => {
    is<{ endpoint: string }>()(input);
    is<number>()(attempt);
    is<any>()(error);
    return attempt < 3 && error?.code === "RATE_LIMIT";
  },
  staticInputValues: { endpoint: (ctx) => ctx.callId },
  approval: ({ endpoint }) => endpoint.startsWith("http"),
  handler: async ({ endpoint }) => endpoint,
});
new Tool({
  name: "t",
  input: z.object({ a: z.object({ b: z.number(), c: z.string() }), d: z.string() }),
  staticInputValues: { a: { b: 1 } },
  handler: () => 1,
});
new Tool({
  name: "t",
  input: z.object({ a: z.number() }),
  // @ts-expect-error: not a number
  staticInputValues: { a: "1" },
  handler: () => 1,
});
const query = new Tool({
  name: ({ table }) => `query_${table}`,
  description: ({ limit }) => {
    is<number>()(limit);
    return "";
  },
  options: z.object({ table: z.string(), limit: z.number().default(5) }),
  handler: (_, { options }) => is<{ table: string; limit: number }>()(options),
});
query.withOptions({ table: "users" });
// @ts-expect-error: table is text
query.withOptions({ table: 5 });

new Tool({ name: "t", input: z.string(), staticInputValues: "x", handler: () => 1 });
new Tool({ name: "t", input: z.array(z.string()), staticInputValues: ["x"], handler: () => 1 });
new Tool({ name: "t", input: z.object({ a: z.string() }), staticInputValues: () => ({ a: "x" }), handler: () => 1 });

// ── one from another ──

is<typeof add>()(add.with({ description: "x" }));
is<typeof add>()(add.rename("sum"));
is<typeof query>()(query.withOptions({ table: "users" }));
add.with({ staticInputValues: { a: 1 } });
const other = add.with({ input: z.string(), handler: (text) => ({ sum: is<string>()(text) === undefined ? 1 : 2 }) });
other.execute("x");
const extended = add.clone({
  input: (schema) => schema.extend({ c: z.number() }),
  handler: ({ c }) => ({ sum: is<number>()(c) === undefined ? 1 : 2 }),
});
extended.execute({ a: 1, c: 2 });
const renamed = add.clone({ name: "other" });
renamed.execute({ a: 1 });

const entries: ToolEntry[] = [
  add,
  query,
  extended,
  [query, { table: "users" }],
  new Tool({ name: "t", handler: () => 1 }),
];
class Approved extends Tool<any, any, any> {
  override async execute(input?: any, ctx?: Partial<ToolContext>) {
    return super.execute(input, ctx);
  }
}
entries.push(new Approved({ name: "t", input: z.object({ a: z.string() }), handler: ({ a }) => a }));

// ── objects ──

const Orders = new ObjectInstance({
  name: "Orders",
  properties: [
    { name: "status", type: z.enum(["open", "cancelled"]), value: "open", writable: true },
    { name: "since", type: z.string().transform((text) => new Date(text)), value: "2020-01-01" },
    { name: "raw", type: { type: "number" }, value: 5 },
    { name: "pair", type: { schema: z.date(), jsonSchema: { type: "string" } }, value: new Date() },
    { name: "limit", type: z.number().default(5) },
    { name: "free", value: { a: 1 } },
  ],
  tools: [add, [query, { table: "users" }]],
});
new ObjectInstance({ name: "Bare" });
// @ts-expect-error: a value that the type does not take
new ObjectInstance({ name: "Bad", properties: [{ name: "status", type: z.enum(["open"]), value: "closed" }] });
// @ts-expect-error: there is no such field
new ObjectInstance({ name: "Bad", properties: [{ name: "status", value: 1, writeable: true }] });
// @ts-expect-error: a name is needed
new ObjectInstance({ properties: [] });
const many: ObjectInstance[] = [Orders, new ObjectInstance({ name: "Bare" })];
const written: PropertyDefinition[] = [{ name: "a", value: 1 }];
new ObjectInstance({ name: "Listed", properties: written });
const objects: ExecuteOptions["objects"][] = [
  many,
  [Orders],
  () => [Orders],
  async ({ iteration }) => (iteration ? many : []),
];
objects.push(undefined);
is<Record<string, unknown>>()(Orders.values);

// ── exits ──

const found = new Exit({ name: "found", schema: z.object({ answer: z.string().default("?") }) });
const lost = new Exit({ name: "lost", schema: z.object({ reason: z.string() }) });
const twin = new Exit({ name: "twin", schema: z.object({ answer: z.string().default("?") }) });
is<"found">()(found.name);
is<{ answer: string }>()(never as ExitValue<typeof found>);
is<any>()(never as ExitValue<Exit<"free">>);
is<"other">()(found.rename("other").name);
// @ts-expect-error: the helper itself is strict
is<string>()(1 as number);
// @ts-expect-error: also about any
is<string>()(undefined as any);
is<"listen">()(ListenExit.name);

// ── results ──

type ResultOf<E extends Exit<any, any>> = ExecuteResult<E>;

function narrowsByExit(result: ResultOf<typeof found | typeof lost>): void {
  if (result.is(found)) {
    is<{ answer: string }>()(result.output);
    is<"success">()(result.status);
    is<"found">()(result.exit.name);
  } else if (result.is(lost)) {
    is<{ reason: string }>()(result.output);
  } else if (result.isInterrupted()) {
    is<readonly PendingCall[]>()(result.pending);
    is<Snapshot>()(result.snapshot);
    is<undefined>()(result.output);
  } else if (result.isError()) {
    is<HaftError>()(result.error);
    is<undefined>()(result.output);
  } else {
    is<never>()(result);
  }
}

function tellsTwinsApart(result: ResultOf<typeof found | typeof twin>): void {
  if (result.is(found)) {
    is<"found">()(result.exit.name);
    return;
  }
  if (result.is(twin)) {
    is<"twin">()(result.exit.name);
    is<{ answer: string }>()(result.output);
  }
}

function narrowsByStatus(result: ResultOf<typeof found | typeof lost>): void {
  switch (result.status) {
    case "success":
      is<{ answer: string } | { reason: string }>()(result.output);
      if (result.exit.name === "found") is<"found">()(result.exit.name);
      break;
    case "interrupted":
      is<Snapshot>()(result.snapshot);
      break;
    case "error":
      is<string>()(result.error.code);
      break;
    default:
      is<never>()(result);
  }
}

function narrowsByGuard(result: ResultOf<typeof found | typeof lost>): void {
  if (result.isSuccess()) {
    is<{ answer: string } | { reason: string }>()(result.output);
    is<"found" | "lost">()(result.exit.name);
    if (result.is(lost)) is<{ reason: string }>()(result.output);
    return;
  }
  is<undefined>()(result.output);
  // @ts-expect-error: only when it is an error
  result.error;
  if (!result.isError()) is<Snapshot>()(result.snapshot);
}

function withoutExits(result: ExecuteResult<never>): void {
  if (result.isSuccess()) {
    is<string>()(result.output);
    is<undefined>()(result.exit);
  } else if (result.isError()) is<HaftError>()(result.error);
  else is<Snapshot>()(result.snapshot);
}

function ofBuiltIns(result: ResultOf<typeof DefaultExit | typeof ListenExit>): void {
  if (result.is(DefaultExit)) {
    if (result.output.success) is<any>()(result.output.result);
    else is<string>()(result.output.error);
  }
  if (result.is(ListenExit)) is<any>()(result.output);
}

function ofAnything(result: ExecuteResult): void {
  if (result.is(found)) is<{ answer: string }>()(result.output);
  if (result.isError()) is<HaftError>()(result.error);
  if (result.isSuccess()) is<any>()(result.output);
}

declare function execute<const Exits extends readonly Exit<any, any>[] = readonly []>(
  options: ExecuteOptions<Exits>,
): Run<Exits[number]>;

async function throughExecute(): Promise<void> {
  const plain = await execute({ prompt: "Hello" });
  if (plain.isSuccess()) is<string>()(plain.output);

  const result = await execute({ exits: [found, lost], tools: entries });
  if (result.is(found)) is<{ answer: string }>()(result.output);
  else if (result.is(lost)) is<{ reason: string }>()(result.output);

  const dynamic = await execute({ exits: async () => [found, twin] });
  if (dynamic.is(twin)) is<"twin">()(dynamic.exit.name);

  const run: Run = execute({ exits: [found] });
  for await (const event of run) if (event.type === "tool-end") is<string>()(event.name);
}

void [
  narrowsByExit,
  tellsTwinsApart,
  narrowsByStatus,
  narrowsByGuard,
  withoutExits,
  ofBuiltIns,
  ofAnything,
  throughExecute,
];
