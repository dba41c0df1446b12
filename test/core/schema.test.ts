/** Schemas of every kind: what validates, what the model is shown, and what a refusal says. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { issueText, readSchema } from "../../src/core/schema.ts";
import { asyncNumberObject, describedSchema, plainSchema } from "./standard-schemas.ts";

async function issues(schema: unknown, value: unknown): Promise<string> {
  const checked = await readSchema(schema, "It").check(value);
  return checked.ok ? "ok" : issueText(checked.issues);
}

async function readValue(schema: unknown, value: unknown): Promise<unknown> {
  const checked = await readSchema(schema, "It").check(value);
  if (!checked.ok) throw new Error(issueText(checked.issues));
  return checked.value;
}

describe("zod 4", () => {
  const user = z.object({
    name: z.string().min(2),
    tags: z.array(z.string()).default([]),
    age: z.coerce.number().optional(),
  });

  test("the schema itself validates: defaults, coercion, transforms, refinements", async () => {
    expect(await readValue(user, { name: "Ada", age: "36" })).toEqual({ name: "Ada", tags: [], age: 36 });
    expect(
      await readValue(
        z.string().transform((text) => text.toUpperCase()),
        "x",
      ),
    ).toBe("X");
    expect(
      await issues(
        z.number().refine((n) => n > 5, "must be above 5"),
        1,
      ),
    ).toBe("must be above 5");
    expect(
      await issues(
        z.string().refine(async (text) => text === "yes", "must be yes"),
        "no",
      ),
    ).toBe("must be yes");
  });

  test("issues carry the path of what is wrong", async () => {
    const text = await issues(user, { name: "A", tags: ["x", 5] });
    expect(text).toMatch(/^name: .*2 characters; tags\[1\]: .*expected string/);
  });

  test("the JSON Schema is that of the input, without $schema", () => {
    const { json } = readSchema(user, "It");
    expect(json.required).toEqual(["name"]);
    expect(json.properties.tags).toMatchObject({ type: "array", default: [] });
    expect(json.$schema).toBeUndefined();
  });

  test("a union tells what each variant misses", async () => {
    const shape = z.object({
      shape: z.union([z.object({ r: z.number() }), z.object({ w: z.number(), h: z.number() })]),
    });
    const text = await issues(shape, { shape: { w: 1 } });
    expect(text).toMatch(/^shape: fits none of 2 variants: \(1\) r: .*number.* \(2\) h: .*number/);
  });

  test("what has no JSON Schema is refused with the way out", () => {
    const validator = readSchema(z.object({ at: z.date() }), 'Tool "log": input');
    expect(() => validator.json).toThrow(
      expect.objectContaining({
        code: "SCHEMA_UNSUPPORTED",
        message: expect.stringMatching(/^Tool "log": input has no JSON Schema: Date/),
        hint: expect.stringContaining("{ schema, jsonSchema }"),
      }),
    );
  });
});

describe("other libraries", () => {
  test("an older zod validates; its JSON Schema must be given", async () => {
    const schema = z3.object({ a: z3.string() });
    expect(await issues(schema, { a: 1 })).toMatch(/^a: Expected string/);
    expect(() => readSchema(schema, "It").json).toThrow(expect.objectContaining({ code: "SCHEMA_UNSUPPORTED" }));
    const jsonSchema = { type: "object", properties: { a: { type: "string" } } };
    expect(readSchema({ schema, jsonSchema }, "It").json).toBe(jsonSchema);
    expect(await readValue({ schema, jsonSchema }, { a: "x" })).toEqual({ a: "x" });
  });

  test("one that describes itself is taken as it is", async () => {
    const even = describedSchema("evens", { type: "integer", multipleOf: 2 }, (value) =>
      typeof value === "number" && value % 2 === 0 ? { value } : { issues: [{ message: "must be even" }] },
    );
    expect(readSchema(even, "It").json).toEqual({ type: "integer", multipleOf: 2 });
    expect([await issues(even, 3), await issues(even, 4)]).toEqual(["must be even", "ok"]);
  });

  test("one that cannot is named, with its vendor", () => {
    const schema = plainSchema("tiny", (value) => ({ value }));
    expect(() => readSchema(schema, 'Tool "t": input').json).toThrow(
      /^Tool "t": input is a tiny schema that cannot describe itself as JSON Schema$/,
    );
  });

  test("asynchronous validation, and paths of segments", async () => {
    expect(await issues(asyncNumberObject(), { n: "1" })).toBe("n: Invalid type: Expected number");
    expect(await readValue(asyncNumberObject(), { n: 1 })).toEqual({ n: 1 });
  });

  test("a promise that is not the platform's own is waited for, and not taken for agreement", async () => {
    const refusal = { issues: [{ message: "no" }] };
    const thenable = { then: (resolve: (result: unknown) => void) => resolve(refusal) };
    const schema = describedSchema("thenables", {}, () => thenable as never);
    expect(await issues(schema, 1)).toBe("no");
  });

  test("a schema may be a function, as arktype's are", async () => {
    const schema = Object.assign(
      () => {},
      describedSchema("callable", { type: "string" }, (value) => ({ value })),
    );
    expect(readSchema(schema, "It").json).toEqual({ type: "string" });
    expect(await readValue(schema, "x")).toBe("x");
  });
});

describe("JSON Schema", () => {
  const order = {
    type: "object",
    properties: {
      id: { type: "string", pattern: "^A\\d+$" },
      size: { enum: ["s", "m"] },
      lines: { type: "array", items: { $ref: "#/$defs/line" }, minItems: 1 },
      note: { type: ["string", "null"] },
      kind: { const: "order" },
    },
    required: ["id", "lines"],
    additionalProperties: false,
    $defs: { line: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] } },
  };

  test.each<[string, unknown, string]>([
    ["nothing wrong", { id: "A1", lines: [{ n: 1 }], note: null, kind: "order" }, "ok"],
    ["a missing property", { id: "A1" }, "lines: is required"],
    ["a missing property of an item", { id: "A1", lines: [{}] }, "lines[0].n: is required"],
    ["a wrong type", { id: 5, lines: [{ n: 1 }] }, "id: expected string, got number"],
    ["one of several types", { id: "A1", lines: [{ n: 1 }], note: 5 }, "note: expected string or null, got number"],
    ["a pattern", { id: "B", lines: [{ n: 1 }] }, "id: does not match the pattern ^A\\d+$"],
    ["a choice", { id: "A1", lines: [{ n: 1 }], size: "xl" }, 'size: expected one of "s", "m"'],
    ["a constant", { id: "A1", lines: [{ n: 1 }], kind: "offer" }, 'kind: expected "order"'],
    ["an unknown key", { id: "A1", lines: [{ n: 1 }], extra: 1 }, "extra: is not allowed"],
    ["a bound, through a reference", { id: "A1", lines: [{ n: 0 }] }, "lines[0].n: 0 is less than 1"],
    ["too few items", { id: "A1", lines: [] }, "lines: has too few items (0 < 1)"],
    [
      "several at once",
      { id: 5, extra: 1 },
      "lines: is required; id: expected string, got number; extra: is not allowed",
    ],
    ["no object at all", "text", "expected object, got string"],
  ])("%s", async (_, value, text) => {
    expect(await issues(order, value)).toBe(text);
  });

  test("a union tells what each variant misses, once", async () => {
    const schema = {
      oneOf: [
        { type: "object", properties: { r: { type: "number" } }, required: ["r"], additionalProperties: false },
        { type: "object", properties: { w: { type: "number" } }, required: ["w"], additionalProperties: false },
      ],
    };
    expect(await issues(schema, { r: "1" })).toBe(
      "fits none of 2 variants: (1) r: expected number, got string (2) w: is required, r: is not allowed",
    );
    expect(await issues({ oneOf: [{ type: "number" }, { type: "integer" }] }, 1)).toBe(
      "fits more than one of the variants",
    );
  });

  test("undefined properties do not count, and values are checked as the JSON that they become", async () => {
    const schema = {
      type: "object",
      properties: { at: { type: "string" }, ids: { type: "array" } },
      additionalProperties: false,
    };
    const value = { at: new Date(0), ids: new Set([1]), gone: undefined };
    expect(await readValue(schema, value)).toBe(value);
    expect(await issues({ type: "array", items: { type: "null" } }, [undefined])).toBe("ok");
    expect(await issues({ type: "string" }, undefined)).toBe("expected string, got null");
    expect(await issues({ type: "object" }, () => 1)).not.toBe("ok");
  });

  test("draft 7 is read as draft 7", async () => {
    const tuple = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "array",
      items: [{ type: "string" }],
      additionalItems: false,
    };
    expect(await issues(tuple, ["a", 1])).toBe("[1]: is not allowed");
    expect(await issues(tuple, ["a"])).toBe("ok");
  });

  test("more than ten issues are counted, not shown", async () => {
    const schema = { type: "array", items: { type: "string" } };
    const text = await issues(
      { type: "object", required: Array.from({ length: 14 }, (_, index) => `k${index}`), properties: { schema } },
      {},
    );
    expect(text).toMatch(/k9: is required; and 4 more$/);
  });
});

describe("what is no schema", () => {
  test.each<[string, unknown, RegExp]>([
    [
      "a zod shape without z.object",
      { a: z.string(), type: z.string() },
      /^It is an object with the keys a, type, which is not a schema$/,
    ],
    ["text", "string", /^It is a string, which is not a schema$/],
    ["null", null, /^It is null,/],
    ["a function", () => z.string(), /^It is a function,/],
    ["something that only looks standard", { "~standard": {} }, /which is not a schema$/],
    [
      "a type that does not exist",
      { type: "object", properties: { a: { type: "text" } } },
      /^It is no JSON Schema: properties\.a has the type "text"; the types are string,/,
    ],
    [
      "a reference to nothing",
      { anyOf: [{ $ref: "#/$defs/nope" }] },
      /anyOf\[0\] refers to #\/\$defs\/nope, which is not there$/,
    ],
    [
      "a pattern that does not compile",
      { type: "string", pattern: "(" },
      /has the pattern \(, which is no regular expression$/,
    ],
    ["properties that are none", { type: "object", properties: ["a"] }, /has properties, which is an array of 1$/],
    [
      "zod inside JSON Schema",
      { type: "object", properties: { a: z.string() } },
      /properties\.a is a schema of another kind$/,
    ],
  ])("%s is refused with its place", (_, schema, message) => {
    expect(() => readSchema(schema, "It")).toThrow(
      expect.objectContaining({ code: "SCHEMA_INVALID", message: expect.stringMatching(message) }),
    );
  });
});
