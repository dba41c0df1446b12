/** Which TypeScript is made of which JSON Schema, and that TypeScript accepts it. */
import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonSchema } from "../../../../src/core/json-schema.ts";
import { declare } from "../../../../src/modes/code/declarations/index.ts";
import { typeProblems } from "../type-problems.ts";

const text = { type: "string" };
const number = { type: "number" };

/** `string` of `declare function f(input: string): …` */
function inputOf(input: JsonSchema): string {
  const { text } = declare({ functions: [{ name: "f", input, output: number }], exits: [], objects: [] });
  return text.slice(0, -"): Promise<number>".length).replace("declare function f(", "");
}

const shapes: [string, JsonSchema, string][] = [
  ["an object", object({ a: number, b: number }, ["a", "b"]), "input: { a: number; b: number }"],
  ["a list", { type: "array", items: number }, "input: number[]"],
  ["a list of anything", { type: "array" }, "input: unknown[]"],
  [
    "variants",
    { anyOf: [object({ a: number }, ["a"]), object({ b: text }, ["b"])] },
    "input: { a: number } | { b: string }",
  ],
  ["anything", {}, "input?: unknown"],
  ["nothing", { not: {} }, "input: never"],
  ["null", { type: "null" }, "input: null"],
  ["one of some", { enum: ["a", "b", 3, null] }, 'input: "a" | "b" | 3 | null'],
  ["one of some, by type", { type: "string", enum: ["a", null] }, 'input: "a"'],
  ["one value", { const: true }, "input: true"],
  ["one value with parts", { const: { a: [1, "x"] } }, 'input: { a: [1, "x"] }'],
  ["no property", object({}, [], { additionalProperties: false }), "input?: {}"],
  ["properties that may be left out", object({ a: text }, []), "input?: { a?: string }"],
  [
    "a default beside null",
    { anyOf: [object({ a: text }, []), { type: "null" }], default: null },
    "input?: { a?: string } | null",
  ],
  [
    "a required property with a default",
    object({ a: { ...text, default: "x" } }, ["a"]),
    'input?: {\n  a?: string // default "x"\n}',
  ],
  ["several types", { type: ["null", "string", "integer"] }, "input: string | number | null"],
  ["nullable of OpenAPI", { ...text, nullable: true }, "input: string | null"],
  ["a tuple", { type: "array", prefixItems: [text, number] }, "input: [string, number]"],
  [
    "a tuple that may be short",
    { type: "array", prefixItems: [text, { type: ["number", "null"] }], minItems: 1 },
    "input: [string, (number | null)?]",
  ],
  [
    "a tuple with more",
    { type: "array", prefixItems: [text], items: { enum: [1, 2] } },
    "input: [string, ...(1 | 2)[]]",
  ],
  [
    "a tuple of draft 7",
    { type: "array", items: [text, number], additionalItems: number },
    "input: [string, number, ...number[]]",
  ],
  ["a record", { type: "object", additionalProperties: number }, "input?: Record<string, number>"],
  ["an open object", { type: "object" }, "input?: Record<string, unknown>"],
  [
    "a record of few keys",
    { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: number, required: ["a"] },
    "input: { a: number; b?: number }",
  ],
  [
    "properties and others",
    object({ a: text }, ["a"], { additionalProperties: text }),
    "input: { a: string; [key: string]: string }",
  ],
  [
    "properties unlike the others",
    object({ a: text }, ["a"], { additionalProperties: number }),
    "input: { a: string; [key: string]: unknown }",
  ],
  [
    "patterns of names",
    { type: "object", patternProperties: { "^x-": text } },
    "input?: {\n  [key: string]: string // /^x-/\n}",
  ],
  [
    "all of them",
    { allOf: [object({ a: text }, ["a"]), object({ b: text }, ["b"])] },
    "input: { a: string } & { b: string }",
  ],
  [
    "a rule on names beside",
    object({ a: text, b: text }, [], { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    "input?: { a?: string; b?: string }",
  ],
  ["values beside their type", { type: "string", anyOf: [{ const: "a" }, { const: "b" }] }, 'input: "a" | "b"'],
  [
    "no identifiers",
    object({ "a-b": text, "1": text, 'q"': text }, []),
    'input?: { "1"?: string; "a-b"?: string; "q\\""?: string }',
  ],
  ["no", false as unknown as JsonSchema, "input?: any"],
];

test.each(shapes)("%s", (_, input, expected) => expect(inputOf(input)).toBe(expected));

test("TypeScript accepts all of them", () => {
  const functions = shapes.map(([, input], index) => ({ name: `f${index}`, input, output: input }));
  expect(typeProblems(declare({ functions, exits: [], objects: [] }).text)).toEqual([]);
});

const notes: [string, JsonSchema, string][] = [
  ["descriptions", { ...text, description: "Its name.\nOf any length" }, "Its name. Of any length"],
  [
    "a range",
    { ...number, minimum: 1, maximum: 100, default: 20, description: "Page size." },
    "Page size; 1-100, default 20",
  ],
  ["bounds", { ...number, minimum: -5, exclusiveMaximum: 5 }, "min -5, < 5"],
  ["a format, and no pattern beside it", { ...text, format: "email", pattern: "^.+@.+$" }, "email"],
  ["a pattern", { ...text, pattern: "^[a-z]+$" }, "/^[a-z]+$/"],
  ["lengths", { ...text, minLength: 2, maxLength: 5 }, "2-5 chars"],
  ["items", { type: "array", minItems: 1, items: { ...text, format: "uuid" } }, "not empty, each uuid"],
  ["what may be null", { anyOf: [{ ...text, format: "date" }, { type: "null" }] }, "date"],
  [
    "what a value stands for",
    {
      oneOf: [
        { const: "a", description: "All" },
        { const: "n", description: "None" },
      ],
    },
    '"a": All, "n": None',
  ],
  [
    "no bounds of all integers",
    { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    "",
  ],
];

test.each(notes)("a comment tells %s", (_, property, expected) => {
  const found = inputOf(object({ p: property }, ["p"]));
  expect(/ \/\/ (.*)/.exec(found)?.[1] ?? "").toBe(expected);
});

test("descriptions of properties are cut, a function's own is not", () => {
  const long = "word ".repeat(100);
  const input = object({ a: { ...text, description: long } }, []);
  const { text: shown } = declare({ functions: [{ name: "f", description: long, input }], exits: [], objects: [] });
  const lines = shown.split("\n");
  expect(lines[0]).toBe(`/** ${long.trim()} */`);
  expect(lines.find((line) => line.includes("//"))!.length).toBeLessThan(230);
});

test("functions: alone, dotted, documented in lines, with nothing said of them", () => {
  const functions = [
    { name: "add", input: object({ a: number, b: number }, ["a", "b"]), output: number },
    { name: "orders.get", description: "Get one.\n\nFast.", output: text },
    { name: "orders.items.list", description: "List", output: { type: "null" } },
    { name: "orders", output: number },
  ];
  const { text: shown } = declare({ functions, exits: [], objects: [] });
  expect(shown).toBe(
    `
declare function add(input: { a: number; b: number }): Promise<number>
declare function orders(input?: any): Promise<number>
declare namespace orders {
  /**
   * Get one.
   *
   * Fast.
   */
  function get(input?: any): Promise<string>
  namespace items {
    /** List */
    function list(input?: any): Promise<null>
  }
}`.trim(),
  );
  const program = `
    const sum: number = await add({ a: 1, b: await orders() });
    const id: string = await orders.get({ anything: sum });
    const none: null = await orders.items.list();`;
  expect(typeProblems(shown, program)).toEqual([]);
  expect(typeProblems(shown, 'await add({ a: "1", b: 2 });')).toHaveLength(1);
});

test("a function without an output schema may give anything, and a program may use it", () => {
  const { text: shown } = declare({ functions: [{ name: "f" }], exits: [], objects: [] });
  expect(shown).toBe("declare function f(input?: any): Promise<any>");
  expect(typeProblems(shown, "for (const row of (await f()).rows) console; declare const console: 1;")).toEqual([]);
});

test("exits: each takes its own value", () => {
  const exits = [
    { name: "found", description: "The answer is known", value: object({ answer: text }, ["answer"]) },
    { name: "count", value: number },
    { name: "done" },
  ];
  const { text: shown } = declare({ functions: [], exits, objects: [] });
  expect(shown).toBe(
    `
type Exit = { exit: string }
/** The answer is known */
declare function exit(name: "found", value: { answer: string }): Exit
declare function exit(name: "count", value: number): Exit
declare function exit(name: "done", value?: any): Exit`.trim(),
  );
  const right = 'exit("found", { answer: "x" }); exit("count", 3); exit("done"); exit("done", [1]);';
  expect(typeProblems(shown, right)).toEqual([]);
  for (const wrong of ['exit("found", 3)', 'exit("count", { answer: "x" })', 'exit("found")', 'exit("foudn", 3)']) {
    expect(typeProblems(shown, wrong)).toHaveLength(1);
  }
});

test("objects: properties to read, properties to write, functions", () => {
  const objects = [
    {
      name: "Cart",
      description: "What will be ordered",
      properties: [
        { name: "id", type: text, writable: false },
        { name: "status", description: "Where it stands", type: { enum: ["open", "closed"] }, writable: true },
        { name: "extra", writable: true },
      ],
      functions: [{ name: "add", description: "Add one", input: object({ sku: text }, ["sku"]), output: number }],
    },
  ];
  const { text: shown } = declare({ functions: [], exits: [], objects });
  expect(shown).toBe(
    `
/** What will be ordered */
declare const Cart: {
  readonly id: string
  status: "open" | "closed" // Where it stands
  extra: any
  /** Add one */
  add(input: { sku: string }): Promise<number>
}`.trim(),
  );
  expect(typeProblems(shown, 'Cart.status = "closed"; await Cart.add({ sku: Cart.id });')).toEqual([]);
  for (const wrong of ['Cart.id = "x"', 'Cart.status = "gone"', "Cart.remove()", "Cart = 1"]) {
    expect(typeProblems(shown, wrong)).toHaveLength(1);
  }
});

test("what is said twice gets a name", () => {
  const order = object({ id: text, total: { ...number, description: "In cents" }, status: text }, ["id", "total"]);
  const functions = [
    { name: "orders.get", output: order },
    { name: "orders.list", output: object({ orders: { type: "array", items: order } }, ["orders"]) },
  ];
  expect(declare({ functions, exits: [], objects: [] }).text).toBe(
    `
type Order = {
  id: string
  total: number // In cents
  status?: string
}
declare namespace orders {
  function get(input?: any): Promise<Order>
  function list(input?: any): Promise<{ orders: Order[] }>
}`.trim(),
  );
});

test("zod's schemas of both sides", () => {
  const kind = z.discriminatedUnion("type", [
    z.object({ type: z.literal("user"), id: z.string() }),
    z.object({ type: z.literal("team"), name: z.string().default("x") }),
  ]);
  const schema = z.object({
    kind,
    when: z.iso.datetime(),
    tags: z.array(z.enum(["a", "b"])).default([]),
    size: z.int(),
  });
  const input = z.toJSONSchema(schema, { io: "input" });
  const output = z.toJSONSchema(schema, { io: "output" });
  const { text: shown } = declare({ functions: [{ name: "f", input, output }], exits: [], objects: [] });
  const program = `
    const made = await f({ kind: { type: "team" }, when: "now", size: 1 });
    const name: string = made.kind.type === "team" ? made.kind.name : made.kind.id;
    const tag: "a" | "b" | undefined = made.tags[0];`;
  expect(typeProblems(shown, program)).toEqual([]);
  expect(typeProblems(shown, 'f({ kind: { type: "team", id: "x" }, when: "now", size: 1 });')).toHaveLength(1);
});

function object(properties: JsonSchema, required: string[], more: JsonSchema = {}): JsonSchema {
  return { type: "object", properties, required, ...more };
}
