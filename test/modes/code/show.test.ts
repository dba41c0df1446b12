/** Values and console lines as a model reads them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encode } from "../../../src/base/codec.ts";
import type { Print } from "../../../src/core/program.ts";
import { showPrints, showValue } from "../../../src/modes/code/show.ts";

describe("values", () => {
  const shown: [string, unknown, string][] = [
    ["a string as it is", 'two\nlines "quoted"', 'two\nlines "quoted"'],
    ["an object", { id: "o1", total: 5, "a-b": null, ok: true }, '{ id: "o1", total: 5, "a-b": null, ok: true }'],
    ["nothing", undefined, "undefined"],
    ["empty ones", [{}, [], new Map(), new Set()], "[{}, [], Map(0) {}, Set(0) {}]"],
    ["numbers", [1, -0, Number.NaN, Infinity, 12n], "[1, -0, NaN, Infinity, 12n]"],
    [
      "a Map",
      new Map<unknown, unknown>([
        ["a", { b: 1 }],
        [2, "c"],
      ]),
      'Map(2) { "a" => { b: 1 }, 2 => "c" }',
    ],
    ["a Set", new Set(["a"]), 'Set(1) { "a" }'],
    ["dates", [new Date(0), new Date(Number.NaN)], '[new Date("1970-01-01T00:00:00.000Z"), new Date(NaN)]'],
    ["bytes", new Uint8Array([1, 2, 255]), "Uint8Array(3) [1, 2, 255]"],
    ["a buffer", new Uint8Array([7]).buffer, "ArrayBuffer(1) [7]"],
    ["an error", Object.assign(new TypeError("no"), { code: "E1" }), '[TypeError: no { code: "E1" }]'],
    ["an error's cause", new Error("a", { cause: new RangeError("b") }), "[Error: a { cause: [RangeError: b] }]"],
    [
      "others",
      [/a+/g, new URL("https://a.b/"), () => 1],
      '[/a+/g, new URL("https://a.b/"), [function without a name]]',
    ],
    ["undefined inside", { a: undefined, b: [undefined] }, "{ a: undefined, b: [undefined] }"],
  ];

  test.each(shown)("%s", (_, value, text) => expect(showValue(value)).toBe(text));

  test("rows on a line each, long ones on several", () => {
    const rows = [
      { id: "o1", status: "open", total: 100, customer: { id: "c1", name: "Ann" } },
      { id: "o2", status: "paid", total: 250, customer: { id: "c2", name: "Bob" } },
    ];
    expect(showValue(rows)).toBe(
      `
[
  { id: "o1", status: "open", total: 100, customer: { id: "c1", name: "Ann" } },
  { id: "o2", status: "paid", total: 250, customer: { id: "c2", name: "Bob" } }
]`.trim(),
    );
  });

  test("cycles, depth and getters", () => {
    const cycle: Record<string, unknown> = { name: "a" };
    cycle.self = [cycle];
    expect(showValue(cycle)).toBe('{ name: "a", self: [[circular]] }');
    expect(showValue({ a: { b: [1, 2] } }, { maxDepth: 2 })).toBe("{ a: { b: [… 2 items] } }");
    let ran = false;
    const run = () => {
      ran = true;
      return 1;
    };
    const lazy = {
      get value() {
        return run();
      },
    };
    const error = Object.defineProperty(new Error("x"), "message", { get: run });
    expect(showValue([lazy, error])).toBe("[{ value: [getter] }, [Error]]");
    expect(ran).toBe(false);
  });

  test("the same object twice is no cycle", () => {
    const one = { a: 1 };
    expect(showValue([one, one])).toBe("[{ a: 1 }, { a: 1 }]");
  });

  test("long lists and strings are cut with counts", () => {
    const list = Array.from({ length: 10_000 }, (_, index) => index);
    expect(showValue(list, { maxItems: 20 })).toMatch(/^\[0, 1, .*, 19, … 9,980 more\]$/);
    expect(showValue({ list: new Set(list) }, { maxItems: 2 })).toBe("{ list: Set(10000) { 0, 1, … 9,998 more } }");
    expect(showValue(["x".repeat(5_000)])).toMatch(/^\[\n {2}"x{900,1000}"… 4,0\d\d more chars\n\]$/);
    const text = showValue(`start${"x".repeat(100_000)}end`, { maxChars: 1_000 });
    expect(text).toMatch(/^startx+ … 99,\d{3} more chars … x+end$/);
  });

  test("what comes after something long is still there", () => {
    const value = {
      rows: Array.from({ length: 5_000 }, (_, id) => ({ id, text: "x".repeat(300) })),
      total: 5_000,
      next: "c2",
    };
    const text = showValue(value, { maxChars: 2_000 });
    expect(text).toContain('total: 5000,\n  next: "c2"');
    expect(text).toMatch(/… 4,9\d\d more/);
  });

  test("no more is read than is shown", () => {
    let reads = 0;
    const watched = new Proxy(new Array(1_000_000).fill({ a: 1 }), {
      get: (target, key, receiver) => {
        reads++;
        return Reflect.get(target, key, receiver);
      },
      getOwnPropertyDescriptor: (target, key) => {
        reads++;
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
    expect(showValue([watched])).toMatch(/… 999,950 more/);
    expect(reads).toBeLessThan(200);
  });

  test("never longer than asked for, whatever it is", () => {
    const values = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
      withNullPrototype: true,
      key: fc.string({ maxLength: 300, unit: "binary" }),
      values: [fc.string({ maxLength: 3_000, unit: "binary" }), fc.double(), fc.constant(undefined), fc.bigInt()],
    });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 3_000 }), (value, maxChars) => {
        const text = showValue(value, { maxChars });
        expect(text.length).toBeLessThanOrEqual(maxChars);
        expect(text.length).toBeGreaterThan(typeof value === "string" ? -1 : 0);
        expect(showValue(value, { maxChars })).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe("console lines", () => {
  const print = (level: Print["level"], ...values: unknown[]): Print => ({
    level,
    values: values.map((value) => encode(value)),
  });

  test("strings as they are, other values shown, levels that matter marked", () => {
    const prints = [
      print("log", "found", 3, { id: "o1" }),
      print("warn", "slow"),
      print("error", new Error("bad")),
      print("debug", new Map([["a", 1]])),
      print("log"),
    ];
    expect(showPrints(prints, 1_000)).toBe(
      'found 3 { id: "o1" }\n[warn] slow\n[error] [Error: bad]\nMap(1) { "a" => 1 }\n',
    );
    expect(showPrints([], 1_000)).toBe("");
  });

  test("too many are cut in the middle, with a count", () => {
    const lines = showPrints(
      Array.from({ length: 10_000 }, (_, index) => print("log", `line ${index}`)),
      300,
    ).split("\n");
    expect(lines[0]).toBe("line 0");
    expect(lines.at(-1)).toBe("line 9999");
    const mark = lines.findIndex((line) => line.startsWith("…"));
    expect(lines[mark]).toBe(`… ${(10_000 - lines.length + 1).toLocaleString("en-US")} more lines …`);
    expect(mark).toBeGreaterThan(5);
  });

  test("a line that is too long is cut in its middle", () => {
    const text = showPrints(
      [print("log", "first"), print("log", `a${"x".repeat(10_000)}z`), print("log", "last")],
      500,
    );
    expect(text).toMatch(/^first\nax+ … 9,\d{3} more chars … x+z\nlast$/);
  });

  test("never longer than asked for", () => {
    const prints = fc.array(
      fc.record({
        level: fc.constantFrom<Print["level"]>("log", "warn", "error"),
        values: fc.array(fc.jsonValue() as fc.Arbitrary<Print["values"][number]>, { maxLength: 4 }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(prints, fc.integer({ min: 0, max: 500 }), (list, maxChars) => {
        expect(showPrints(list, maxChars).length).toBeLessThanOrEqual(maxChars);
      }),
      { numRuns: 200 },
    );
  });
});
