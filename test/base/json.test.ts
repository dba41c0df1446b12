/** Canonical text and its hash: equal values, equal text; different values, different text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, describeValue, hashOf, isPlainObject } from "../../src/base/json.ts";

/** The same JSON with the keys of every object in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

describe("canonicalJson", () => {
  test("the order of keys does not count, and the text is JSON of the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("the order of items does, and types do", () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson({ a: 1 })).not.toBe(canonicalJson({ a: "1" }));
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  });

  test("an undefined property is no property; elsewhere undefined is null, as in JSON", () => {
    expect(canonicalJson({ a: 1, b: undefined })).toBe('{"a":1}');
    expect(canonicalJson(["name", undefined])).toBe('["name",null]');
  });

  test.each([
    ["a Date", { a: new Date(0) }],
    ["a Map", new Map()],
    ["NaN", [Number.NaN]],
    ["a bigint", { n: 1n }],
    ["a function", () => 1],
  ])("%s has no canonical text, so it can never share one with another value", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: "VALUE_NOT_ENCODABLE" }));
    expect(() => hashOf(value)).toThrow();
  });
});

test("hashOf: 43 characters, the same for the same value", () => {
  expect(hashOf({ a: 1, b: 2 })).toBe(hashOf({ b: 2, a: 1 }));
  expect(hashOf({ a: 1 })).not.toBe(hashOf({ a: 2 }));
  expect(hashOf("x")).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test("isPlainObject", () => {
  expect([{}, Object.create(null)].every(isPlainObject)).toBe(true);
  expect([[], null, new Date(), new (class A {})(), "x", () => 1].some(isPlainObject)).toBe(false);
});

test("describeValue says what a value is, and never what is in it", () => {
  class Query {}
  const cases: [unknown, string][] = [
    [undefined, "undefined"],
    [null, "null"],
    ["secret", "a string"],
    [5n, "a bigint"],
    [[1, 2], "an array of 2"],
    [function send() {}, "the function send"],
    [() => 1, "a function"],
    [Promise.resolve(), "a Promise (was an await forgotten?)"],
    [{ token: "secret", id: 1 }, "an object with the keys token, id"],
    [{}, "an empty object"],
    [new Query(), "an object of the class Query"],
  ];
  for (const [value, text] of cases) expect(describeValue(value)).toBe(text);
});
