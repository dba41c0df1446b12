/** Static input values: hidden from the model, stronger than it, and checked where they are set. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { HaftError } from "../../src/base/errors.ts";
import { Tool } from "../../src/core/tool.ts";

/** A tool that gives back the input it got. */
const echo = (input: unknown, staticInputValues?: unknown): Tool =>
  new Tool({
    name: "echo",
    input: input as any,
    staticInputValues: staticInputValues as any,
    handler: (got: unknown) => got,
  });

const sent = (tool: Tool, input?: unknown) => tool.execute(input as never);

const address = z.object({
  street: z.string(),
  city: z.string().default("Bern"),
  geo: z.object({ lat: z.number(), lon: z.number() }),
});

describe("what the handler gets", () => {
  test("the static value, whatever was sent", async () => {
    const tool = new Tool({
      name: "add",
      input: z.object({ a: z.number(), b: z.number() }),
      staticInputValues: { a: 10 },
      handler: ({ a, b }) => a + b,
    });
    expect(await sent(tool, { a: 1, b: 2 })).toBe(12);
    expect(await sent(tool, { b: 2 })).toBe(12);
  });

  test("deeply: text, lists, objects", async () => {
    const input = z.object({
      s: z.string(),
      list: z.array(z.string()),
      deep: z.object({ n: z.array(z.number()), own: z.string() }),
    });
    const tool = echo(input, { s: "fixed", list: ["x"], deep: { n: [1, 2] } });
    expect(await sent(tool, { s: "a", list: ["a", "b", "c"], deep: { n: [9], own: "mine" } })).toEqual({
      s: "fixed",
      list: ["x"],
      deep: { n: [1, 2], own: "mine" },
    });
    expect(await sent(tool, { deep: { own: "mine" } })).toMatchObject({ s: "fixed", deep: { n: [1, 2], own: "mine" } });
  });

  test("a function is asked for each call, with the context", async () => {
    let asked = 0;
    const statics = { user: (ctx: any) => `${ctx.assigns.user}:${++asked}`, deep: { n: () => 5 } };
    const tool = echo(z.object({ user: z.string(), deep: z.object({ n: z.number() }), q: z.string() }), statics);
    expect(await tool.execute({ q: "x" } as never, { assigns: { user: "ada" } })).toEqual({
      user: "ada:1",
      deep: { n: 5 },
      q: "x",
    });
    expect(await tool.execute({ q: "x", user: "eve" } as never, { assigns: { user: "ada" } })).toMatchObject({
      user: "ada:2",
    });
    expect(tool.inputSchema).toMatchObject({ properties: { q: {} }, required: ["q"] });
  });

  test("what a function gives is validated with the rest", async () => {
    const tool = echo(z.object({ n: z.number() }), { n: () => "no number" });
    await expect(sent(tool, {})).rejects.toThrow(/^Tool "echo" received invalid input: n: /);
  });

  test("a whole input: text, a list, null, a function", async () => {
    expect(await sent(echo(z.string(), "hello"), "other")).toBe("hello");
    expect(await sent(echo(z.array(z.string()), ["a", "b"]), ["c"])).toEqual(["a", "b"]);
    expect(await sent(echo(z.string().nullable(), null), "text")).toBe(null);
    expect(
      await sent(
        echo(z.object({ n: z.number() }), () => ({ n: 3 })),
        { n: 1 },
      ),
    ).toEqual({ n: 3 });
    expect(echo(z.string(), "hello").inputSchema).toEqual({
      type: "object",
      properties: {},
      additionalProperties: false,
    });
  });

  test("the schema still transforms and fills in", async () => {
    const tool = echo(z.object({ at: z.string().transform((text) => text.length), city: z.string().default("Bern") }), {
      at: "four",
    });
    expect(await sent(tool, {})).toEqual({ at: 4, city: "Bern" });
  });

  test("without an input schema they are merged into what was sent", async () => {
    expect(await sent(echo(undefined, { key: "k" }), { a: 1, key: "mine" })).toEqual({ a: 1, key: "k" });
  });

  test("undefined sets nothing", async () => {
    const tool = echo(z.object({ a: z.string(), b: z.string() }), { a: undefined, b: "x" });
    expect(Object.keys(tool.inputSchema.properties)).toEqual(["a"]);
    expect(await sent(tool, { a: "mine" })).toEqual({ a: "mine", b: "x" });
  });
});

describe("what the model sees", () => {
  test("a static property is gone, from required too", () => {
    const tool = echo(z.object({ a: z.string(), b: z.string() }), { b: "secret-value" });
    expect(tool.inputSchema).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    expect(JSON.stringify(tool)).not.toContain("secret-value");
    expect(echo(z.object({ a: z.string() }), { a: "x" }).inputSchema).toEqual({ type: "object", properties: {} });
  });

  test("of an object that is set in part, the rest stays", () => {
    const { inputSchema } = echo(z.object({ to: address, note: z.string() }), { to: { geo: { lat: 1 } } });
    expect(Object.keys(inputSchema.properties.to.properties)).toEqual(["street", "city", "geo"]);
    expect(inputSchema.properties.to.properties.geo).toEqual({
      type: "object",
      properties: { lon: { type: "number" } },
      required: ["lon"],
    });
    expect(inputSchema.required).toEqual(["to", "note"]);
  });

  test("an object that is set whole goes, and one of which only optional parts are left is optional", () => {
    const whole = echo(z.object({ to: address }), { to: { street: "a", city: "b", geo: { lat: 1, lon: 2 } } });
    expect(whole.inputSchema.properties).toEqual({});
    const part = echo(z.object({ to: address, n: z.number() }), { to: { street: "a", geo: { lat: 1, lon: 2 } } });
    expect(part.inputSchema.properties.to).toEqual({
      type: "object",
      properties: { city: { type: "string", default: "Bern" } },
    });
    expect(part.inputSchema.required).toEqual(["n"]);
  });

  test("through $ref, without touching what else refers there", async () => {
    const input = {
      type: "object",
      properties: { from: { $ref: "#/$defs/place" }, to: { $ref: "#/$defs/place" } },
      required: ["from", "to"],
      $defs: {
        place: {
          type: "object",
          properties: { city: { type: "string" }, zip: { type: "string" } },
          required: ["city", "zip"],
        },
      },
    };
    const { inputSchema } = echo(input, { from: { city: "Bern" } });
    expect(inputSchema.properties.from).toEqual({
      type: "object",
      properties: { zip: { type: "string" } },
      required: ["zip"],
    });
    expect(inputSchema.properties.to).toEqual({ $ref: "#/$defs/place" });
    expect(inputSchema.$defs.place.required).toEqual(["city", "zip"]);
  });

  test("in a schema that refers to itself, only at its root", async () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node).optional();
      },
    });
    const tool = echo(node, { name: "root" });
    expect(Object.keys(tool.inputSchema.properties)).toEqual(["children"]);
    const child = tool.inputSchema.properties.children.items;
    expect(child).toEqual({ $ref: "#/$defs/whole" });
    expect(Object.keys(tool.inputSchema.$defs.whole.properties)).toEqual(["name", "children"]);
    expect(await sent(tool, { children: [{ name: "leaf" }] })).toEqual({ name: "root", children: [{ name: "leaf" }] });
  });

  const target = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("mail"), to: z.string(), token: z.string() }),
    z.object({ kind: z.literal("chat"), room: z.string(), token: z.string() }),
  ]);

  test("in every variant of a union, and variants that are ruled out go", async () => {
    const both = echo(z.object({ target }), { target: { token: "t" } });
    expect(both.inputSchema.properties.target.anyOf.map((variant: any) => Object.keys(variant.properties))).toEqual([
      ["kind", "to"],
      ["kind", "room"],
    ]);
    const one = echo(z.object({ target }), { target: { kind: "chat", token: "t" } });
    expect(one.inputSchema.properties.target.anyOf).toEqual([
      { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
    ]);
    expect(await sent(one, { target: { room: "r" } })).toEqual({ target: { kind: "chat", room: "r", token: "t" } });
  });

  test("a union as the whole input stays wrapped", async () => {
    const tool = echo(target, { token: "t" });
    expect(tool.wrapsInput).toBe(true);
    expect(JSON.stringify(tool.inputSchema)).not.toContain("token");
    expect(await sent(tool, { kind: "mail", to: "a" })).toEqual({ kind: "mail", to: "a", token: "t" });
  });

  test("an object of free keys stays open", () => {
    const { inputSchema } = echo(z.object({ headers: z.record(z.string(), z.string()) }), { headers: { auth: "x" } });
    expect(inputSchema.properties.headers).toMatchObject({ type: "object", additionalProperties: { type: "string" } });
  });

  test("defaults and examples that may tell of it go with it", () => {
    const input = {
      type: "object",
      properties: { key: { type: "string" }, q: { type: "string" } },
      examples: [{ key: "k1", q: "x" }],
      default: { key: "k2" },
    };
    expect(JSON.stringify(echo(input, { key: "k" }).inputSchema)).not.toMatch(/k1|k2/);
  });
});

describe("checked where they are set", () => {
  const refusal = (input: unknown, statics: unknown): HaftError => {
    try {
      echo(input, statics);
    } catch (error) {
      if (HaftError.is(error)) return error;
      throw error;
    }
    throw new Error("it was accepted");
  };
  const object = z.object({
    n: z.number().min(10),
    who: z.object({ name: z.string(), age: z.number() }),
    role: z.enum(["a", "b"]),
  });
  const union = z.object({
    target: z.union([
      z.object({ kind: z.literal("a"), x: z.string() }),
      z.object({ kind: z.literal("b"), y: z.number() }),
    ]),
  });
  const raw = {
    type: "object",
    properties: {
      who: {
        type: "object",
        properties: { name: { type: "string" }, age: { type: "number" } },
        required: ["name", "age"],
      },
    },
  };

  test.each<[string, unknown, unknown, RegExp]>([
    ["a wrong type", object, { role: 5 }, /^Tool "echo": staticInputValues do not fit its input: role: /],
    ["a bound", object, { n: 1 }, /do not fit its input: n: .*10/],
    ["a wrong nested value", object, { who: { age: "x" } }, /do not fit its input: who\.age: .*number/],
    ["text where an object is taken", object, { who: "ada" }, /do not fit its input: who: /],
    [
      "an object where text is taken",
      object,
      { role: { a: 1 } },
      /^Tool "echo": staticInputValues has an object as "role", where its input takes none$/,
    ],
    [
      "an unknown key",
      object,
      { rol: "a" },
      /^Tool "echo": staticInputValues has "rol", which its input does not have$/,
    ],
    ["an unknown nested key", object, { who: { nam: "x" } }, /has "who\.nam", which its input does not have$/],
    ["an unknown key of a union", union, { target: { z: 1 } }, /has "target\.z", which/],
    [
      "a value that no variant takes",
      union,
      { target: { kind: "c" } },
      /^Tool "echo": staticInputValues has a string as "target\.kind" that no variant of its input takes$/,
    ],
    ["a wrong whole", z.string().max(3), "long", /^Tool "echo": staticInputValues do not fit its input: /],
    ["an object for a list", z.array(z.string()), { a: 1 }, /do not fit its input: /],
    [
      "a wrong value of a JSON Schema",
      raw,
      { who: { age: "x" } },
      /do not fit its input: who\.age: expected number, got string$/,
    ],
    [
      "an unknown key of a closed JSON Schema",
      { ...raw, additionalProperties: false },
      { whom: 1 },
      /has "whom", which/,
    ],
  ])("%s is refused", (_, input, statics, message) => {
    expect(refusal(input, statics)).toMatchObject({
      code: "TOOL_STATIC_INVALID",
      message: expect.stringMatching(message),
    });
  });

  test("the known keys are told", () => {
    expect(refusal(object, { rol: "a" }).hint).toBe("Its input has: n, who, role.");
  });

  test.each<[string, unknown, unknown]>([
    ["a part of an object whose rest is missing", object, { who: { name: "x" } }],
    ["the same of a JSON Schema", raw, { who: { name: "x" } }],
    ["a part of a variant", union, { target: { kind: "a" } }],
    ["what is the same in no two variants", union, { target: { y: 5 } }],
    ["a value that is coerced", z.object({ n: z.coerce.number(), q: z.string() }), { n: "5" }],
    ["a free key", z.object({ h: z.record(z.string(), z.number()) }), { h: { any: 1 } }],
    ["a key of an open JSON Schema", raw, { extra: 1 }],
    [
      "a schema that fails on missing values",
      z.preprocess((value: any) => ({ ...value, q: value.q.trim() }), z.object({ q: z.string(), n: z.number() })),
      { n: 1 },
    ],
    [
      "an asynchronous schema that fails",
      z.object({ n: z.number(), q: z.string() }).refine(async () => Promise.reject(new Error("later"))),
      { n: 1 },
    ],
    [
      "both sides of an intersection",
      z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
      { a: "x", b: "y" },
    ],
  ])("%s is accepted", async (_, input, statics) => {
    expect(() => echo(input, statics)).not.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 5)); // an unhandled rejection would fail the run
  });
});
