/** Tools: what they take and give, the ways to make one from another, and definitions that are refused. */
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { HaftError } from "../../src/base/errors.ts";
import type { ToolContext } from "../../src/core/context.ts";
import { Tool } from "../../src/core/tool.ts";
import { ok } from "../../src/core/tool-result.ts";
import { asyncNumberObject, plainSchema } from "./standard-schemas.ts";

const add = new Tool({
  name: "add",
  description: "Adds two numbers",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  handler: ({ a, b }) => a + b,
});

describe("input", () => {
  test("the handler gets it directly: an object, one value, or nothing", async () => {
    const upper = new Tool({ name: "upper", input: z.string().max(9), handler: (text) => text.toUpperCase() });
    const none = new Tool({ name: "none", handler: (input) => ({ got: input }) });
    expect(await add.execute({ a: 1, b: 2 })).toBe(3);
    expect(await upper.execute("abc")).toBe("ABC");
    expect(await none.execute()).toEqual({ got: undefined });
    expect(await none.execute({ anything: [1] })).toEqual({ got: { anything: [1] } });
  });

  test("method syntax, with the context", async () => {
    const tool = new Tool({
      name: "anotherTool",
      input: z.object({ param: z.string() }),
      async handler(input, ctx) {
        return `${ctx.callId} ${input.param}`;
      },
    });
    expect(await tool.execute({ param: "x" }, { callId: "r/1/1" })).toBe("r/1/1 x");
  });

  test("without await, the handler's synchronous part has run", async () => {
    const seen: number[] = [];
    const tool = new Tool({
      name: "note",
      input: z.object({ n: z.number().default(4) }),
      handler: async ({ n }) => {
        seen.push(n);
        await null;
        seen.push(n + 1);
      },
    });
    const running = tool.execute({});
    expect(seen).toEqual([4]);
    await running;
    expect(seen).toEqual([4, 5]);
  });

  test("invalid input is refused with the paths, and the handler is not called", async () => {
    const handler = vi.fn();
    const tool = new Tool({
      name: "add",
      input: z.object({ a: z.number().min(2), b: z.object({ c: z.string() }) }),
      handler,
    });
    const refusal = tool.execute({ a: 1, b: { c: 5 } } as never);
    await expect(refusal).rejects.toMatchObject({
      code: "TOOL_INPUT_INVALID",
      message: expect.stringMatching(/^Tool "add" received invalid input: a: .*; b\.c: .*expected string/),
      data: { issues: [{ path: "a" }, { path: "b.c" }] },
    });
    expect(handler).not.toHaveBeenCalled();
  });

  test("the schema itself validates: refinements and transforms are live, and nothing is coerced unasked", async () => {
    const above5 = new Tool({ name: "above5", input: z.number().refine((x) => x > 5), handler: (x) => x });
    const shout = new Tool({
      name: "shout",
      input: z.string().transform((text) => text.toUpperCase()),
      handler: (text) => text,
    });
    const plain = new Tool({ name: "plain", input: z.number(), handler: (x) => x });
    const coerced = new Tool({ name: "coerced", input: z.coerce.number(), handler: (x) => x });
    await expect(above5.execute(1)).rejects.toMatchObject({ code: "TOOL_INPUT_INVALID" });
    expect(await shout.execute("abc")).toBe("ABC");
    await expect(plain.execute("5" as never)).rejects.toMatchObject({ code: "TOOL_INPUT_INVALID" });
    expect(await coerced.execute("5")).toBe(5);
  });

  test("an object's schema takes undefined and null as {}, unless it has a default for them", async () => {
    const tool = new Tool({ name: "t", input: z.object({ n: z.number().default(7) }), handler: ({ n }) => n });
    const withDefault = new Tool({
      name: "t",
      input: z.object({ n: z.number() }).default({ n: 9 }),
      handler: ({ n }) => n,
    });
    expect([await tool.execute(undefined as never), await tool.execute(null as never)]).toEqual([7, 7]);
    expect(await withDefault.execute(undefined)).toBe(9);
  });

  test("asynchronous schemas", async () => {
    const tool = new Tool({ name: "t", input: asyncNumberObject(), handler: ({ n }) => n + 1 });
    expect(await tool.execute({ n: 1 })).toBe(2);
    await expect(tool.execute({ n: "1" } as never)).rejects.toThrow(
      'Tool "t" received invalid input: n: Invalid type: Expected number',
    );
  });

  test("a raw JSON Schema validates too", async () => {
    const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const tool = new Tool({ name: "weather", input, handler: ({ city }) => `sun in ${city}` });
    expect(await tool.execute({ city: "Bern" })).toBe("sun in Bern");
    await expect(tool.execute({})).rejects.toThrow('Tool "weather" received invalid input: city: is required');
    expect(tool.inputSchema).toEqual(input);
  });
});

describe("output", () => {
  const loud = (outputValidation?: "off" | "warn" | "strict") =>
    new Tool({ name: "five", output: z.number().min(5), outputValidation, handler: () => 3 });
  const logger = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });

  test("one that does not fit is given with a warning", async () => {
    const log = logger();
    expect(await loud().execute(undefined, { logger: log })).toBe(3);
    expect(log.warn).toHaveBeenCalledWith(
      expect.stringMatching(/^Tool "five" gave an output that does not fit its schema: /),
    );
  });

  test("strict refuses it, off does not look", async () => {
    await expect(loud("strict").execute()).rejects.toMatchObject({ code: "TOOL_OUTPUT_INVALID" });
    const log = logger();
    expect(await loud("off").execute(undefined, { logger: log })).toBe(3);
    expect(log.warn).not.toHaveBeenCalled();
  });

  test("one that fits is given as the schema gives it", async () => {
    const tool = new Tool({
      name: "t",
      output: z.object({ n: z.number(), unit: z.string().default("m") }),
      handler: () => ok({ n: 1 }),
    });
    expect(await tool.execute()).toEqual({ n: 1, unit: "m" });
  });

  test("a schema that JSON Schema cannot tell is fine for an output", async () => {
    const tool = new Tool({ name: "now", output: z.date(), outputValidation: "strict", handler: () => new Date(5) });
    expect(await tool.execute()).toEqual(new Date(5));
  });
});

describe("one from another", () => {
  const base = new Tool({
    name: "search",
    aliases: ["find", "lookup"],
    metadata: { tier: 1 },
    input: z.object({ query: z.string(), category: z.string() }),
    handler: ({ query, category }) => `${category}: ${query}`,
  });

  test("with: a new tool, the old one untouched", async () => {
    const products = base.with({ staticInputValues: { category: "products" } });
    expect(products).not.toBe(base);
    expect(products.name).toBe("search");
    expect(await products.execute({ query: "tea" } as never)).toBe("products: tea");
    expect(Object.keys(products.inputSchema.properties)).toEqual(["query"]);
    expect(Object.keys(base.inputSchema.properties)).toEqual(["query", "category"]);
    await expect(base.execute({ query: "tea" } as never)).rejects.toMatchObject({ code: "TOOL_INPUT_INVALID" });
    products.metadata.tier = 2;
    expect(base.metadata.tier).toBe(1);
  });

  test("with: static values replace those before; undefined takes them away", async () => {
    const one = base.with({ staticInputValues: { category: "a" } });
    const two = one.with({ staticInputValues: { query: "b" } });
    expect(Object.keys(two.inputSchema.properties)).toEqual(["category"]);
    expect(Object.keys(one.with({ staticInputValues: undefined }).inputSchema.properties)).toEqual([
      "query",
      "category",
    ]);
  });

  test("rename: an alias of that name goes, the others stay", () => {
    const renamed = base.rename("find");
    expect([renamed.name, renamed.aliases]).toEqual(["find", ["lookup"]]);
    expect([base.name, base.aliases]).toEqual(["search", ["find", "lookup"]]);
  });

  test("clone: input and output may be functions of the present schema", async () => {
    const extended = add.clone({
      name: "add3",
      input: (schema) => schema.extend({ c: z.number().default(10) }),
      handler: ({ a, b, c }) => a + b + c,
    });
    expect(await extended.execute({ a: 1, b: 2 })).toBe(13);
    expect(extended.inputSchema.required).toEqual(["a", "b"]);
    const again = extended.clone({ name: "again" });
    expect(await again.execute({ a: 1, b: 2, c: 3 })).toBe(6);
    const nothing = add.clone({ input: z.null(), handler: () => 0 });
    expect(await nothing.execute(null)).toBe(0);
    const text = add.clone({ output: (schema) => schema.transform(String) });
    expect(await text.execute({ a: 1, b: 2 })).toBe("3");
    expect(add.name).toBe("add");
  });

  test("clone: empty static values change nothing", async () => {
    const same = add.clone({ staticInputValues: {} });
    expect(same.inputSchema).toEqual(add.inputSchema);
    expect(await same.execute({ a: 1, b: 2 })).toBe(3);
  });

  test("withUniqueNames: on copies", () => {
    const [sub, unique] = [add.rename("sub"), add.rename("unique")];
    const tools = [add, add, sub, add, sub, unique];
    expect(Tool.withUniqueNames(tools).map(({ name }) => name)).toEqual([
      "add1",
      "add2",
      "sub1",
      "add",
      "sub",
      "unique",
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["add", "add", "sub", "add", "sub", "unique"]);
  });

  test("a subclass's execute is always the one called, with its fields", async () => {
    class Counted extends Tool<any, any, any> {
      calls: string[] = [];
      override async execute(input?: unknown, ctx: Partial<ToolContext> = {}) {
        this.calls.push(this.name);
        return `[${await super.execute(input, ctx)}]`;
      }
    }
    const tool = new Counted({
      name: "count",
      input: z.object({ n: z.number() }),
      options: z.object({ by: z.number().default(1) }),
      handler: ({ n }: { n: number }, { options }: any) => n * options.by,
    });
    const made = [
      tool,
      tool.with({ description: "x" }),
      tool.withOptions({ by: 2 }),
      tool.clone({ name: "c" }),
      tool.rename("r"),
    ];
    expect(made.every((one) => one instanceof Counted)).toBe(true);
    expect(await Promise.all(made.map((one) => one.execute({ n: 2 })))).toEqual(["[2]", "[2]", "[4]", "[2]", "[2]"]);
    expect(tool.calls).toEqual(["count", "count", "count", "c", "r"]);
  });
});

describe("options", () => {
  const query = new Tool({
    name: ({ table }) => `query_${table.toLowerCase()}`,
    description: ({ table }) => `Query the ${table} table`,
    input: ({ columns }) => z.object({ column: z.enum(columns as [string, ...string[]]) }),
    options: z.object({
      table: z.string(),
      columns: z.array(z.string()).default(["id"]),
      limit: z.string().transform(Number).optional(),
    }),
    handler: ({ column }, { options }) => `${options.table}.${column} ${options.limit}`,
  });

  test("name, description and input are functions of them", async () => {
    const users = query.withOptions({ table: "Users", columns: ["id", "mail"], limit: "5" });
    expect([users.name, users.description]).toEqual(["query_users", "Query the Users table"]);
    expect(users.inputSchema.properties.column.enum).toEqual(["id", "mail"]);
    expect(await users.execute({ column: "mail" })).toBe("Users.mail 5");
    expect(query.withOptions({ table: "Orders" }).name).toBe("query_orders");
  });

  test("they are validated, and a tool that needs them says so when it is used without", async () => {
    expect(() => query.withOptions({ table: 5 } as never)).toThrow(
      expect.objectContaining({
        code: "TOOL_OPTIONS_INVALID",
        message: expect.stringMatching(/its options are invalid: table: .*expected string/),
      }),
    );
    await expect(query.execute({ column: "id" })).rejects.toMatchObject({
      code: "TOOL_OPTIONS_INVALID",
      hint: expect.stringContaining("withOptions"),
    });
    expect(JSON.stringify(query)).toContain("unnamed");
  });

  test("with and rename work before and after, and do not validate what was validated", async () => {
    const early = query.with({ timeoutMs: 5_000 }).withOptions({ table: "A", limit: "7" });
    const late = query.withOptions({ table: "A", limit: "7" }).with({ timeoutMs: 5_000 }).rename("other");
    expect([await early.execute({ column: "id" }), await late.execute({ column: "id" })]).toEqual(["A.id 7", "A.id 7"]);
    expect(late.name).toBe("other");
  });

  test("without a schema, values are taken as they are", async () => {
    const tool = new Tool({ name: "t", handler: (_, { options }) => options });
    expect(await tool.withOptions({ a: 1 }).execute()).toEqual({ a: 1 });
    expect(await tool.execute()).toEqual({});
  });
});

describe("a bad definition fails where it is defined, in a sentence with the tool's name", () => {
  const handler = () => 1;
  const schemaless = plainSchema("tiny", (value) => ({ value }));

  test.each<[string, unknown, string, RegExp]>([
    ["no object", "add", "TOOL_INVALID", /^new Tool\(\) takes an object .*, not a string$/],
    ["no name", { handler }, "TOOL_NAME_INVALID", /^A tool has the invalid name undefined$/],
    ["a bad name", { name: "a-b", handler }, "TOOL_NAME_INVALID", /^A tool has the invalid name "a-b"$/],
    [
      "a reserved name",
      { name: "think", handler },
      "TOOL_NAME_INVALID",
      /^A tool has the name "think", which is a reserved word$/,
    ],
    ["no handler", { name: "t" }, "TOOL_INVALID", /^Tool "t": handler must be a function, not undefined$/],
    [
      "a description that is none",
      { name: "t", handler, description: 5 },
      "TOOL_INVALID",
      /^Tool "t": description must be text, not a number$/,
    ],
    [
      "a description function that gives none",
      { name: "t", handler, description: () => 5 },
      "TOOL_INVALID",
      /^Tool "t": its description function gave a number, not text$/,
    ],
    [
      "a description function that fails",
      { name: "t", handler, description: (o: any) => o.a.b },
      "TOOL_INVALID",
      /^Tool "t": its description function failed: /,
    ],
    [
      "a name function that fails",
      { name: (o: any) => o.a.b, handler },
      "TOOL_INVALID",
      /^A tool: its name function failed: /,
    ],
    [
      "metadata",
      { name: "t", handler, metadata: [] },
      "TOOL_INVALID",
      /^Tool "t": metadata must be an object, not an array of 0$/,
    ],
    [
      "aliases",
      { name: "t", handler, aliases: "x" },
      "TOOL_INVALID",
      /^Tool "t": aliases must be an array of names, not a string$/,
    ],
    [
      "an alias",
      { name: "t", handler, aliases: ["ok", "not ok"] },
      "TOOL_NAME_INVALID",
      /^Tool "t": an alias has the invalid name "not ok"$/,
    ],
    ["retry", { name: "t", handler, retry: 3 }, "TOOL_INVALID", /^Tool "t": retry must be a function, not a number$/],
    [
      "timeoutMs",
      { name: "t", handler, timeoutMs: 0 },
      "TOOL_INVALID",
      /^Tool "t": timeoutMs must be a number of milliseconds above 0, not 0$/,
    ],
    ["timeoutMs NaN", { name: "t", handler, timeoutMs: Number.NaN }, "TOOL_INVALID", /not NaN$/],
    [
      "approval",
      { name: "t", handler, approval: "sometimes" },
      "TOOL_INVALID",
      /^Tool "t": approval must be true, false,/,
    ],
    [
      "outputValidation",
      { name: "t", handler, outputValidation: "hard" },
      "TOOL_INVALID",
      /^Tool "t": outputValidation must be "off",/,
    ],
    [
      "readOnly",
      { name: "t", handler, readOnly: "yes" },
      "TOOL_INVALID",
      /^Tool "t": readOnly must be true or false, not a string$/,
    ],
    [
      "an input that is no schema",
      { name: "t", handler, input: { a: z.string() } },
      "SCHEMA_INVALID",
      /^Tool "t": input is an object with the keys a, which is not a schema$/,
    ],
    [
      "an output that is no schema",
      { name: "t", handler, output: 5 },
      "SCHEMA_INVALID",
      /^Tool "t": output is a number,/,
    ],
    [
      "a schema without JSON Schema",
      { name: "t", handler, input: schemaless },
      "SCHEMA_UNSUPPORTED",
      /^Tool "t": input is a tiny schema that cannot describe itself/,
    ],
    [
      "a date",
      { name: "t", handler, input: z.object({ at: z.date() }) },
      "SCHEMA_UNSUPPORTED",
      /^Tool "t": input has no JSON Schema/,
    ],
    [
      "options that are no schema",
      { name: "t", handler, options: { by: 1 } },
      "SCHEMA_INVALID",
      /^Tool "t": options is an object/,
    ],
    [
      "options that answer later",
      { name: "t", handler, options: asyncNumberObject() },
      "TOOL_INVALID",
      /^Tool "t": options must have a schema that validates at once/,
    ],
  ])("%s", (_, definition, code, message) => {
    let error: HaftError | undefined;
    try {
      new Tool(definition as never);
    } catch (thrown) {
      error = thrown as HaftError;
    }
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("with and clone refuse the same", () => {
    expect(() => add.with({ name: "1x" })).toThrow(expect.objectContaining({ code: "TOOL_NAME_INVALID" }));
    expect(() => add.clone({ input: 5 as never })).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
  });
});
