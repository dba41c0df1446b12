/** One tool from another: with, rename, clone, option values, and subclasses. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ToolContext } from "../../src/core/context.ts";
import { Tool } from "../../src/core/tool.ts";

const add = new Tool({
  name: "add",
  description: "Adds two numbers",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  handler: ({ a, b }) => a + b,
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
