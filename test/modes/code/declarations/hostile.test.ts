/** Schemas and texts that nobody wrote with care, or somebody wrote with too much. */
import { expect, test } from "vitest";
import type { JsonSchema } from "../../../../src/core/json-schema.ts";
import { type Declared, declare } from "../../../../src/modes/code/declarations/index.ts";
import { libraryTypeNames, typeProblems } from "../type-problems.ts";

const text = { type: "string" };

function declareAll(functions: readonly Declared[]) {
  return declare({ functions, exits: [], objects: [] });
}

test("nothing breaks out of a comment or a string", () => {
  const breaks = [
    "*/ declare const broken: 1 /*",
    "a\ndeclare const broken: 1",
    "a\u2028declare const broken: 1",
    "\\",
    "`",
  ];
  const functions = breaks.map((description, index): Declared => {
    const property = { type: "string", description, format: description, default: description };
    const input = object({ p: property, [description]: { const: description }, q: { pattern: description } });
    return { name: `f${index}`, description, input, output: { enum: [description, `${description}"`] } };
  });
  const { text: shown } = declareAll(functions);
  expect(typeProblems(shown)).toEqual([]);
  expect(typeProblems(shown, "broken;")).toHaveLength(1);
  expect(shown).not.toMatch(/[\u2028\u2029\r]/);
});

test("no name hides a type of the language, a function or another type", () => {
  const titles = [...libraryTypeNames(), "exit", "Exit", "f1", "string", "any", "class", "Order", "Order", "9", "…"];
  const functions = titles.flatMap((title, index): Declared[] => {
    const shape = {
      ...object({
        [`a${index}`]: text,
        thisIsALongerName: text,
        andSoIsThisHere: text,
        andOneThatIsReallyLong: text,
        andAnother: text,
        andTheLastOfThem: text,
      }),
      title,
    };
    return [
      { name: `f${index}`, output: shape },
      { name: `g${index}`, input: structuredClone(shape) },
    ];
  });
  const { text: shown } = declareAll([...functions, { name: "Order", output: text }]);
  expect(typeProblems(shown)).toEqual([]);
  expect(shown.match(/^type /gm)).toHaveLength(titles.length);
});

test("names of the language as parts of dotted names", () => {
  const functions = ["db.delete", "db.items.default", "db.my-part.list", "db", "web.new"].map((name) => ({
    name,
    output: text,
  }));
  const { text: shown } = declareAll(functions);
  const program =
    'const a: string = await db.delete({}); db.items.default(); db["my-part"].list(); await db(); web.new();';
  expect(typeProblems(shown, program)).toEqual([]);
});

test("types that hold themselves", () => {
  const node = (value: JsonSchema) => object({ value, children: { type: "array", items: { $ref: "#" } } }, ["value"]);
  const filter = {
    $defs: {
      Filter: { anyOf: [{ $ref: "#/$defs/And" }, object({ field: text }, ["field"])] },
      And: object({ and: { type: "array", items: { $ref: "#/$defs/Filter" } } }, ["and"]),
      Json: { anyOf: [text, { type: "object", additionalProperties: { $ref: "#/$defs/Json" } }] },
    },
    ...object({ filter: { $ref: "#/$defs/Filter" }, json: { $ref: "#/$defs/Json" } }, ["filter"]),
  };
  const { text: shown } = declareAll([
    { name: "walk", input: node(text) },
    { name: "walkAgain", input: node(text) },
    { name: "walkNumbers", input: node({ type: "number" }) },
    { name: "find", input: filter },
  ]);
  const right = `
    walk({ value: "a", children: [{ value: "b", children: [] }] });
    walkNumbers({ value: 1, children: [{ value: 2 }] });
    find({ filter: { and: [{ field: "a" }, { and: [] }] }, json: { a: { b: "c" } } });`;
  expect(typeProblems(shown, right)).toEqual([]);
  for (const wrong of [
    'walk({ value: "a", children: [{ value: 1 }] });',
    'find({ filter: { and: [{ filed: "a" }] } });',
    "find({ filter: { and: [] }, json: { a: 1 } });",
  ]) {
    expect(typeProblems(shown, wrong)).toHaveLength(1);
  }
  expect(shown).toContain("walkAgain(input: WalkInput)");
});

test("references to nothing, to themselves and to elsewhere are unknown", () => {
  const refs = [
    "#/$defs/gone",
    "#/%",
    "https://example.com/schema.json",
    "#anchor",
    "#/$defs/Loop",
    "#/$defs/A",
    "#/__proto__",
  ];
  const $defs = {
    Loop: { $ref: "#/$defs/Loop" },
    A: { anyOf: [{ $ref: "#/$defs/B" }, text] },
    B: { allOf: [{ $ref: "#/$defs/A" }] },
  };
  const functions = refs.map(($ref, index) => ({
    name: `f${index}`,
    input: object({ a: { $ref } }, ["a"]),
    output: { $defs, $ref },
  }));
  const { text: shown } = declareAll(functions);
  expect(typeProblems(shown, refs.map((_, index) => `f${index}({ a: 1 });`).join("\n"))).toEqual([]);
});

test("the same schema object means something else under another root", () => {
  const item = { $ref: "#/$defs/Item" };
  const functions = [text, { type: "number" }].map((Item, index) => {
    return { name: `f${index}`, input: { ...object({ item }, ["item"]), $defs: { Item } } };
  });
  expect(typeProblems(declareAll(functions).text, 'f0({ item: "a" }); f1({ item: 1 });')).toEqual([]);
});

test("definitions that double each other cost no more than they say", () => {
  const $defs: JsonSchema = { D0: object({ leaf: text }, ["leaf"]) };
  for (let level = 1; level <= 60; level++) {
    const below = { $ref: `#/$defs/D${level - 1}` };
    $defs[`D${level}`] =
      level % 2
        ? object({ left: below, right: below }, ["left", "right"])
        : { type: "array", prefixItems: [below, below] };
  }
  const { text: shown } = declareAll([{ name: "f", input: { $defs, $ref: "#/$defs/D60" } }]);
  expect(shown.length).toBeLessThan(10_000);
  expect(typeProblems(shown)).toEqual([]);
});

test("nesting without end becomes unknown", () => {
  let deep: JsonSchema = text;
  for (let level = 0; level < 5_000; level++)
    deep = level % 2 ? { type: "array", items: deep } : object({ a: deep }, ["a"]);
  const { text: shown } = declareAll([{ name: "f", input: deep }]);
  expect(shown).toContain("unknown");
  expect(shown.length).toBeLessThan(20_000);
  expect(typeProblems(shown)).toEqual([]);
});

test("twice the functions, twice the text", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index): Declared => {
      const input = object({
        [`p${index}`]: { ...text, description: "Something" },
        tags: { type: "array", items: text },
      });
      return { name: `space${index % 20}.f${index}`, description: "Does a thing", input, output: input };
    });
  const lengths = [500, 1_000].map((count) => declareAll(many(count)).text.length);
  expect(lengths[1]! / lengths[0]!).toBeLessThan(2.2);
});

test("nonsense in the place of a schema is no reason to fail", () => {
  const odd = [
    { type: "strange" },
    { properties: 5, type: "object" },
    { enum: "x" },
    { anyOf: {} },
    { required: "a", type: "object" },
    { items: 3, type: "array" },
    { type: [] },
    { anyOf: [] },
    { minimum: "1", title: 5, description: {}, format: 1, pattern: 2 },
  ];
  const functions = odd.map((output, index) => ({ name: `f${index}`, input: object({ a: output }), output }));
  expect(typeProblems(declareAll(functions).text)).toEqual([]);
});

function object(properties: JsonSchema, required: string[] = []): JsonSchema {
  return { type: "object", properties, required };
}
