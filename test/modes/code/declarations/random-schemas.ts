/** Random JSON Schemas, each with values that fit it. */
import fc from "fast-check";
import type { Json } from "../../../../src/base/json.ts";
import type { JsonSchema } from "../../../../src/core/json-schema.ts";

/** A schema, and what makes values that fit it. References are to `$defs` of the root. */
interface Sample {
  schema: JsonSchema;
  values: fc.Arbitrary<Json>;
}

export interface Case {
  schema: JsonSchema;
  values: Json[];
}

const names = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("id", "name", "status", "items", "total", "a-b", "default", "constructor") },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 8, unit: "binary" }) },
);

const words = fc.oneof(
  fc.constantFrom("The */ end", "two\nlines", "// x", "```", "\u2028", "A sentence. And more."),
  fc.string({ maxLength: 300, unit: "binary" }),
);

const notes = fc.record(
  {
    description: words,
    title: fc.oneof(words, fc.constantFrom("Order", "Date", "Promise")),
    format: words,
    default: fc.jsonValue() as fc.Arbitrary<Json>,
  },
  { requiredKeys: [] },
);

const scalars: fc.Arbitrary<Sample> = fc.oneof(
  fc.constant({ schema: { type: "string" }, values: fc.string({ unit: "binary" }) }),
  fc.constant({ schema: { type: "string", pattern: "^[a-z]+$", minLength: 1 }, values: fc.constantFrom("a", "abc") }),
  fc.constant({
    schema: { type: "number", minimum: 0 },
    values: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  }),
  fc.constant({ schema: { type: "integer" }, values: fc.integer() }),
  fc.constant({ schema: { type: "boolean" }, values: fc.boolean() }),
  fc.constant({ schema: { type: "null" }, values: fc.constant(null) }),
  fc.constant({ schema: { type: ["string", "null"] }, values: fc.option(fc.string()) }),
  fc.constant({ schema: { type: "string", nullable: true }, values: fc.string() }),
  fc.constant({ schema: {}, values: fc.jsonValue() as fc.Arbitrary<Json> }),
  fc.constant({ schema: { not: { type: "string" } }, values: fc.integer() }),
  (fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>).map((value) => ({
    schema: { const: value },
    values: fc.constant(value),
  })),
  fc
    .uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1, maxLength: 4 })
    .map((values) => {
      return { schema: { enum: values }, values: fc.constantFrom(...values) };
    }),
);

/** A node of itself, beside a value. */
const tree: Sample = {
  schema: { $ref: "#/$defs/Tree" },
  values: fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.record({ value: fc.integer() }),
      fc.record({ value: fc.integer(), children: fc.array(tie("tree"), { maxLength: 2 }) }),
    ),
  })).tree,
};

const definitions: JsonSchema = {
  Tree: {
    type: "object",
    properties: { value: { type: "integer" }, children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
    required: ["value"],
  },
};

const samples = fc.letrec<{ sample: Sample }>((tie) => {
  const inner = tie("sample");
  return {
    sample: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 6, arbitrary: scalars },
      { weight: 1, arbitrary: fc.constant(tree) },
      { weight: 2, arbitrary: inner.map(listOf) },
      {
        weight: 4,
        arbitrary: fc.tuple(fields(inner), fc.boolean()).map(([list, isClosed]) => objectOf(list, isClosed)),
      },
      { weight: 1, arbitrary: fc.tuple(fields(inner), inner).map(([list, others]) => openObject(list, others)) },
      { weight: 1, arbitrary: inner.map(recordOf) },
      { weight: 1, arbitrary: fc.array(inner, { minLength: 1, maxLength: 3 }).map(tupleOf) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom("anyOf", "oneOf"), fc.array(inner, { minLength: 1, maxLength: 3 }))
          .map(variantsOf),
      },
      { weight: 1, arbitrary: fc.tuple(fields(inner), fields(inner)).map(bothOf) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(inner, notes)
          .map(([{ schema, values }, said]) => ({ schema: { ...said, ...schema }, values })),
      },
    ),
  };
}).sample;

interface RandomField {
  name: string;
  isRequired: boolean;
  sample: Sample;
}

function fields(inner: fc.Arbitrary<Sample>): fc.Arbitrary<RandomField[]> {
  const field = fc.record({ name: names, isRequired: fc.boolean(), sample: inner });
  return fc.uniqueArray(field, { maxLength: 4, selector: ({ name }) => name });
}

function listOf({ schema, values }: Sample): Sample {
  return { schema: { type: "array", items: schema }, values: fc.array(values, { maxLength: 3 }) };
}

function objectOf(list: RandomField[], isClosed: boolean): Sample {
  const schema = {
    type: "object",
    properties: fromFields(list, ({ sample }) => sample.schema),
    required: list.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ...(isClosed && { additionalProperties: false }),
  };
  const model = fromFields(list, ({ sample }) => sample.values);
  return { schema, values: fc.record(model, { requiredKeys: schema.required }) as fc.Arbitrary<Json> };
}

function openObject(list: RandomField[], others: Sample): Sample {
  const own = objectOf(list, false);
  const more = fc.dictionary(fc.constantFrom("other1", "other2"), others.values);
  return {
    schema: { ...own.schema, additionalProperties: others.schema },
    values: fc.tuple(own.values, more).map(([object, added]) => ({ ...added, ...(object as object) }) as Json),
  };
}

function recordOf({ schema, values }: Sample): Sample {
  const keys = fc.constantFrom("x", "y-z", "1");
  return { schema: { type: "object", additionalProperties: schema }, values: fc.dictionary(keys, values) };
}

function tupleOf(items: Sample[]): Sample {
  return {
    schema: { type: "array", prefixItems: items.map(({ schema }) => schema) },
    values: fc.tuple(...items.map(({ values }) => values)),
  };
}

function variantsOf([word, items]: [string, Sample[]]): Sample {
  return {
    schema: { [word]: items.map(({ schema }) => schema) },
    values: fc.oneof(...items.map(({ values }) => values)),
  };
}

/** Two objects in one, with names apart. */
function bothOf([first, second]: [RandomField[], RandomField[]]): Sample {
  const one = objectOf(first, false);
  const other = objectOf(
    second.map((field) => ({ ...field, name: `${field.name} 2` })),
    false,
  );
  return {
    schema: { allOf: [one.schema, other.schema] },
    values: fc.tuple(one.values, other.values).map(([a, b]) => ({ ...(a as object), ...(b as object) }) as Json),
  };
}

function fromFields<T>(list: RandomField[], value: (field: RandomField) => T): Record<string, T> {
  return Object.fromEntries(list.map((field) => [field.name, value(field)]));
}

export const cases: fc.Arbitrary<Case> = samples.chain(({ schema, values }) =>
  fc.record({
    schema: fc.constant({ $defs: definitions, ...schema }),
    values: fc.array(values, { minLength: 1, maxLength: 3 }),
  }),
);
