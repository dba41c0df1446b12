/** The value that a model leaves with: read kindly, never by guessing between two readings. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DefaultExit, Exit } from "../../src/core/exit.ts";
import { findExit, parseExit, readExitValue } from "../../src/core/exit-value.ts";

const exit = (schema?: unknown) => new Exit({ name: "done", aliases: ["complete"], schema: schema as any });

async function read(schema: unknown, properties: Record<string, unknown>): Promise<unknown> {
  const reading = await parseExit({ action: "done", ...properties }, [exit(schema)]);
  return reading.ok ? { value: reading.value } : { refused: reading.message };
}

const success = z.object({ success: z.literal(true), result: z.string() });
const failure = z.object({ success: z.literal(false), error: z.string() });
const outcome = z.union([success, failure]);
const discriminated = z.discriminatedUnion("success", [success, failure]);

describe("which exit", () => {
  test.each<[string, unknown]>([
    ["nothing", null],
    ["text", "done"],
    ["no action", { value: 1 }],
    ["an empty action", { action: "" }],
    ["an action that is no text", { action: 5 }],
  ])("%s: none was named, and they are listed", async (_, sent) => {
    expect(await parseExit(sent, [exit(), new Exit({ name: "other" })])).toEqual({
      ok: false,
      message: "No exit was named. The exits are: done, other",
    });
  });

  test("an unknown one is told with those there are", async () => {
    expect(await parseExit({ action: "finish" }, [exit()])).toEqual({
      ok: false,
      message: 'There is no exit "finish". The exits are: done',
    });
    expect(await parseExit({ action: "finish" }, [])).toEqual({
      ok: false,
      message: 'There is no exit "finish". The exits are: none',
    });
  });

  test.each(["done", "DONE", "Done", "complete", "COMPLETE"])("%s is found", async (action) => {
    expect(await parseExit({ action, value: 1 }, [exit()])).toMatchObject({
      ok: true,
      exit: { name: "done" },
      value: 1,
    });
  });

  test("a name before another's alias, in the order given", () => {
    const [a, b] = [new Exit({ name: "a", aliases: ["x"] }), new Exit({ name: "b" })];
    expect([findExit("X", [a, b]), findExit("b", [a, b]), findExit("c", [a, b])]).toEqual([a, b, undefined]);
  });
});

describe("its value", () => {
  test.each<[string, unknown, Record<string, unknown>, unknown]>([
    ["no schema: value", undefined, { value: "hello" }, "hello"],
    ["no schema: another single property", undefined, { result: "hello" }, "hello"],
    ["no schema: several properties", undefined, { foo: "bar", baz: 123 }, { foo: "bar", baz: 123 }],
    ["no schema: nothing", undefined, {}, undefined],
    ["no schema: false, 0 and empty text are values", undefined, { value: 0 }, 0],
    ["as it stands", z.object({ result: z.string() }), { result: "hello" }, { result: "hello" }],
    [
      "as it stands, under value",
      z.object({ result: z.string() }),
      { value: { result: "hello" } },
      { result: "hello" },
    ],
    [
      "text for an object with one such field",
      z.object({ result: z.string() }),
      { value: "hello" },
      { result: "hello" },
    ],
    ["the same under another name", z.object({ value: z.string() }), { data: "hello" }, { value: "hello" }],
    ["a number", z.object({ data: z.number() }), { value: 42 }, { data: 42 }],
    ["a list", z.object({ items: z.array(z.number()) }), { value: [1, 2, 3] }, { items: [1, 2, 3] }],
    ["a plain value", z.string(), { value: "hello" }, "hello"],
    ["a plain value under its own name", z.number(), { count: 5 }, 5],
    ["a list as it is", z.array(z.number()), { value: [1, 2] }, [1, 2]],
    ["a falsy value", z.boolean(), { value: false }, false],
    ["null", z.string().nullable(), { value: null }, null],
    ["a union without its discriminator", outcome, { result: "hello" }, { success: true, result: "hello" }],
    ["the other variant", outcome, { error: "failed" }, { success: false, error: "failed" }],
    ["a discriminated union", discriminated, { value: { error: "failed" } }, { success: false, error: "failed" }],
    ["a union with its discriminator", outcome, { success: false, error: "x" }, { success: false, error: "x" }],
    ["an extra key that the schema keeps", z.looseObject({ a: z.string() }), { a: "x", b: 1 }, { a: "x", b: 1 }],
    ["an extra key that the schema drops", z.object({ a: z.string() }), { a: "x", b: 1 }, { a: "x" }],
    ["defaults", z.object({ a: z.string(), n: z.number().default(3) }), { a: "x" }, { a: "x", n: 3 }],
    ["transforms", z.object({ a: z.string().transform((text) => text.length) }), { a: "four" }, { a: 4 }],
    ["props around it", z.object({ result: z.string() }), { props: { result: "x" } }, { result: "x" }],
    ["a field that is called value", z.object({ value: z.string() }), { value: "hello" }, { value: "hello" }],
    [
      "a field that is called value, beside others",
      z.object({ value: z.number(), note: z.string().optional() }),
      { value: 5, note: "n" },
      { value: 5, note: "n" },
    ],
    [
      "an object in a field that is called value",
      z.object({ value: z.looseObject({}).optional(), note: z.string().optional() }),
      { value: { note: "inner" } },
      { value: { note: "inner" } },
    ],
    [
      "a field that is called data",
      z.object({ data: z.object({ n: z.number() }) }),
      { data: { n: 1 } },
      { data: { n: 1 } },
    ],
    [
      "a raw JSON Schema",
      { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      { n: 1 },
      { n: 1 },
    ],
  ])("%s", async (_, schema, properties, value) => {
    expect(await read(schema, properties)).toEqual({ value });
  });

  test("DefaultExit: success or failure, its mark may be left out", async () => {
    const left = async (sent: Record<string, unknown>) => {
      const reading = await readExitValue(DefaultExit, sent);
      return reading.ok ? reading.value : reading.message;
    };
    expect(await left({ result: { foo: "bar" } })).toEqual({ success: true, result: { foo: "bar" } });
    expect(await left({ error: "no key" })).toEqual({ success: false, error: "no key" });
    expect(await left({ value: { success: true, result: 5 } })).toEqual({ success: true, result: 5 });
    expect(await left({ success: true })).toEqual({ success: true });
    expect(await left({ success: false })).toMatch(/fits none of 2 variants: .*error: is required/);
    expect(await left({ value: false })).toMatch(/was not taken/);
    expect(await left({ result: "partly", error: "then it broke" })).toMatch(/was not taken/);
    expect(await left({ error: 5 })).toMatch(/was not taken/);
    expect(await left({ value: "text" })).toMatch(/fits in more than one way/);
  });
});

describe("refused", () => {
  test("a value that does not fit, with the reason and the shape", async () => {
    expect(await read(z.object({ email: z.email() }), { email: "not-an-email" })).toEqual({
      refused: expect.stringMatching(/^Exit "done" was not taken: email: .*email.*\. It takes \{.*"email".*\}$/),
    });
  });

  test("a number that would have to be coerced", async () => {
    expect(await read(z.number(), { value: "5" })).toEqual({ refused: expect.stringContaining("expected number") });
  });

  test("one that could be two variants", async () => {
    const either = z.union([
      z.object({ type: z.literal("a"), text: z.string() }),
      z.object({ type: z.literal("b"), text: z.string() }),
    ]);
    expect(await read(either, { text: "x" })).toEqual({
      refused: expect.stringMatching(/the value fits in more than one way; name what is meant/),
    });
    expect(await read(either, { type: "b", text: "x" })).toEqual({ value: { type: "b", text: "x" } });
  });

  test("one value that could be two fields", async () => {
    const two = z.object({ title: z.string().optional(), body: z.string().optional() });
    expect(await read(two, { value: "x" })).toEqual({ refused: expect.stringMatching(/more than one/) });
  });

  test("properties that the schema would silently drop", async () => {
    const optional = z.object({ note: z.string().optional() });
    expect(await read(optional, { note: "x" })).toEqual({ value: { note: "x" } });
    expect(await read(optional, { answer: "important" })).toEqual({ value: { note: "important" } });
  });

  test("a long shape is cut", async () => {
    const wide = z.object(Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`field${index}`, z.string()])));
    const { refused } = (await read(wide, {})) as { refused: string };
    expect(refused.length).toBeLessThan(1_500);
  });
});
