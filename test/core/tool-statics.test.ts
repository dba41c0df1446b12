/** Static input values: stronger than what the model sends, and checked where they are set. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { HaftError } from "../../src/base/errors.ts";
import { Tool } from "../../src/core/tool.ts";
import { echo, sent } from "./example-tools.ts";

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
