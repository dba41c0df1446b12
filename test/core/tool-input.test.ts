/** The model's side of an input: always an object, whatever the tool takes, and back. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readSchema } from "../../src/core/schema.ts";
import { Tool } from "../../src/core/tool.ts";
import { inputFromModel, objectSchema } from "../../src/core/tool-input.ts";

const takes = (input?: unknown): Tool => new Tool({ name: "t", input: input as any, handler: (got: unknown) => got });

describe("what the model is shown", () => {
  test("an object as it is", () => {
    const tool = takes(z.object({ q: z.string().describe("What to look for"), n: z.number().default(5) }));
    expect(tool.wrapsInput).toBe(false);
    expect(tool.inputSchema).toEqual({
      type: "object",
      properties: { q: { type: "string", description: "What to look for" }, n: { type: "number", default: 5 } },
      required: ["q"],
    });
  });

  test("no schema, and a schema of anything: an open object", () => {
    const open = { type: "object", properties: {}, additionalProperties: true };
    expect(takes().inputSchema).toEqual(open);
    expect(takes(z.any().describe("whatever")).inputSchema).toEqual({ ...open, description: "whatever" });
    expect(takes({}).inputSchema).toEqual(open);
    expect(takes({}).wrapsInput).toBe(false);
  });

  test.each<[string, unknown]>([
    ["text", z.string()],
    ["a list", z.array(z.number())],
    ["a union", z.union([z.object({ a: z.number() }), z.object({ b: z.string() })])],
    [
      "a variant by kind",
      z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })]),
    ],
    ["an object or null", z.object({ a: z.number() }).nullable()],
    ["null", z.null()],
    ["a choice", z.enum(["a", "b"])],
    [
      "an object with rules at its root",
      { type: "object", properties: { a: {}, b: {} }, oneOf: [{ required: ["a"] }, { required: ["b"] }] },
    ],
    ["never", z.never()],
  ])("%s goes under `input`, without anything at the root that providers refuse", (_, input) => {
    const tool = takes(input);
    expect(tool.wrapsInput).toBe(true);
    expect(tool.inputSchema).toMatchObject({ type: "object", required: ["input"], additionalProperties: false });
    expect(Object.keys(tool.inputSchema.properties)).toEqual(["input"]);
    for (const word of ["anyOf", "oneOf", "allOf", "not", "enum"]) expect(tool.inputSchema).not.toHaveProperty(word);
  });

  test("references still point at what they meant", async () => {
    const tree: z.ZodType = z.lazy(() => z.union([z.string(), z.object({ kids: z.array(tree) })]));
    const { inputSchema } = takes(tree);
    expect(inputSchema.properties.input.anyOf[1].properties.kids.items).toEqual({ $ref: "#/properties/input" });
    const wrapped = readSchema(inputSchema, "It");
    expect(await wrapped.check({ input: { kids: ["a", { kids: [] }] } })).toMatchObject({ ok: true });
    expect(await wrapped.check({ input: { kids: [{ kids: 5 }] } })).toMatchObject({ ok: false });

    const raw = {
      type: "array",
      items: { anyOf: [{ $ref: "#/$defs/one" }, { $ref: "#/items" }] },
      $defs: { one: { type: "string" } },
    };
    expect(takes(raw).inputSchema).toMatchObject({
      properties: { input: { items: { anyOf: [{ $ref: "#/$defs/one" }, { $ref: "#/properties/input/items" }] } } },
      $defs: { one: { type: "string" } },
    });
  });

  test("exit values use the key `value`", () => {
    expect(objectSchema({ type: "number" }, "value").inputSchema.properties).toEqual({ value: { type: "number" } });
  });

  test("$schema is not shown", () => {
    const raw = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: {} };
    expect(takes(raw).inputSchema).toEqual({ type: "object", properties: {} });
  });
});

describe("what the model sent", () => {
  test("is taken out of its wrapping, and only then", () => {
    const text = takes(z.string());
    const object = takes(z.object({ input: z.string() }));
    expect(inputFromModel(text, { input: "x" })).toBe("x");
    expect(inputFromModel(text, "x")).toBe("x");
    expect(inputFromModel(text, {})).toBe(undefined);
    expect(inputFromModel(text, { input: "x", more: 1 })).toEqual({ input: "x", more: 1 });
    expect(inputFromModel(object, { input: "x" })).toEqual({ input: "x" });
  });
});
