/** Whatever the schema, TypeScript accepts what is made of it, and takes the values that fit it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { declare } from "../../../../src/modes/code/declarations/index.ts";
import { literal } from "../../../../src/modes/code/declarations/literal.ts";
import { typeProblems } from "../type-problems.ts";
import { type Case, cases } from "./random-schemas.ts";

/** In one program, because TypeScript takes its time to begin. */
const COUNT = 250;

test("random schemas, and values that fit them", () => {
  const seed = Date.now() % 2 ** 31;
  const all = fc.sample(cases, { seed, numRuns: COUNT });
  const { text } = declareAll(all);
  const calls = all.flatMap(({ values }, index) => values.map((value) => `void f${index}(${literal(value)});`));
  const results = all.flatMap(({ values }, index) =>
    values.map((value, n) => `const r${index}_${n}: Awaited<ReturnType<typeof f${index}>> = ${literal(value)};`),
  );
  expect(typeProblems(text, [...calls, ...results].join("\n")), `seed ${seed}`).toEqual([]);
});

test("the same schemas give the same text", () => {
  fc.assert(
    fc.property(fc.array(cases, { maxLength: 5 }), (list) => {
      const copy: Case[] = structuredClone(list);
      expect(declareAll(copy).text).toBe(declareAll(list).text);
    }),
    { numRuns: 50 },
  );
});

test("types that say something refuse what does not fit", () => {
  const input = {
    $defs: {
      Tree: {
        type: "object",
        properties: { next: { $ref: "#/$defs/Tree" }, value: { type: "number" } },
        required: ["value"],
      },
    },
    allOf: [
      { $ref: "#/$defs/Tree" },
      { type: "object", properties: { kind: { enum: ["a", "b"] } }, required: ["kind"] },
    ],
  };
  const { text } = declare({ functions: [{ name: "f", input }], exits: [], objects: [] });
  expect(typeProblems(text, 'f({ kind: "a", value: 1, next: { value: 2, next: { value: 3 } } });')).toEqual([]);
  for (const wrong of [
    'f({ kind: "c", value: 1 })',
    'f({ kind: "a", value: 1, next: { value: "2" } })',
    "f({ value: 1 })",
  ]) {
    expect(typeProblems(text, wrong)).toHaveLength(1);
  }
});

function declareAll(list: readonly Case[]) {
  const functions = list.map(({ schema }, index) => ({ name: `f${index}`, input: schema, output: schema }));
  return declare({ functions, exits: [], objects: [] });
}
