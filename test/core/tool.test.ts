/** Tools: what they take and what they give. */
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { Tool } from "../../src/core/tool.ts";
import { ok } from "../../src/core/tool-result.ts";
import { asyncNumberObject } from "./standard-schemas.ts";

describe("input", () => {
  test("the handler gets it directly: an object, one value, or nothing", async () => {
    const add = new Tool({
      name: "add",
      input: z.object({ a: z.number(), b: z.number() }),
      handler: ({ a, b }) => a + b,
    });
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
