/** The codec: what comes back is what was written, and what cannot be written says where it is. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode } from "../../src/base/codec.ts";
import { HaftError } from "../../src/base/errors.ts";
import { comparable } from "./comparable.ts";

/** Through the text that a store would keep. */
function roundTrip(value: unknown): unknown {
  return decode(JSON.parse(JSON.stringify(encode(value))));
}

function refusal(value: unknown): HaftError {
  try {
    encode(value, "output");
  } catch (error) {
    if (HaftError.is(error)) return error;
    throw error;
  }
  throw new Error("it was encoded");
}

const values = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, null, true, false, undefined),
    fc.bigInt(),
    fc.date({ noInvalidDate: false }),
    fc.uint8Array({ maxLength: 9 }),
    fc.int32Array({ maxLength: 3 }),
    fc.float64Array({ maxLength: 3 }),
    fc.bigInt64Array({ maxLength: 3 }),
    fc.uint8Array({ maxLength: 9 }).map((bytes) => bytes.buffer),
    fc.webUrl().map((url) => new URL(url)),
    fc.constantFrom(/a\/b+/giu, /^$/),
  ),
  key: fc.oneof(
    fc.string(),
    fc.constantFrom("__proto__", "$haft", "toJSON", "constructor", "value", "then", "length", "0"),
  ),
  object: fc
    .array(fc.tuple(tie("key"), tie("node")), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries as any)),
  error: fc
    .tuple(fc.constantFrom(Error, TypeError, RangeError), fc.string(), tie("node"), tie("node"))
    .map(([make, message, cause, data]) => Object.assign(new make(message, { cause }), { code: "E_TEST", data })),
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.array(tie("node"), { maxLength: 4 }),
    tie("object"),
    fc.array(fc.tuple(tie("node"), tie("node")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("node"), { maxLength: 3 }).map((items) => new Set(items)),
    tie("error"),
  ),
})).node;

describe("round trips", () => {
  test("any nesting of what the log can keep comes back as it was", () => {
    const run = () =>
      fc.assert(
        fc.property(values, (value) => {
          expect(comparable(roundTrip(value))).toStrictEqual(comparable(value));
        }),
        { numRuns: 1_500 },
      );
    run();
  });

  test("JSON values are their own encoding", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(encode(JSON.parse(text)))).toBe(text);
      }),
    );
    const plain = { a: [1, "x", null, { b: true }] };
    expect(encode(plain)).toEqual(plain);
  });

  test("what encode wrote is encoded and decoded again without being taken for a value", () => {
    fc.assert(
      fc.property(values, (value) => {
        const json = encode(value);
        expect(comparable(roundTrip(json))).toStrictEqual(comparable(json));
      }),
      { numRuns: 300 },
    );
  });

  test("undefined: kept in arrays, left out as a property", () => {
    expect(roundTrip([undefined, 1])).toStrictEqual([undefined, 1]);
    expect(roundTrip({ a: undefined, b: 1 })).toStrictEqual({ b: 1 });
    // biome-ignore lint/suspicious/noSparseArray: a hole is what this is about
    expect(roundTrip([1, , 2])).toStrictEqual([1, undefined, 2]);
  });

  test("keys that mean something elsewhere are only keys", () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":true},"$haft":"date","toJSON":1,"constructor":{"prototype":1}}',
    );
    const back = roundTrip(hostile) as Record<string, unknown>;
    expect(Object.keys(back)).toEqual(["__proto__", "$haft", "toJSON", "constructor"]);
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("an Error keeps name, message, code, data and cause, and no stack", () => {
    const cause = Object.assign(new RangeError("too far"), { code: 7 });
    const error = Object.assign(new TypeError("no", { cause }), { code: "E_NO", data: { at: new Date(5) } });
    const back = roundTrip(error) as TypeError & { code: string; data: unknown; cause: any };
    expect(back).toBeInstanceOf(TypeError);
    expect([back.message, back.code, back.data]).toEqual(["no", "E_NO", { at: new Date(5) }]);
    expect(back.cause).toBeInstanceOf(RangeError);
    expect([back.cause.message, back.cause.code]).toEqual(["too far", 7]);
    expect(JSON.stringify(encode(error))).not.toContain("codec.test");
  });

  test("an error of one's own class is an Error of that name", () => {
    const back = roundTrip(new HaftError("SOME_CODE", "wrong", { data: { n: 1 } })) as any;
    expect(back).toBeInstanceOf(Error);
    expect([back.name, back.code, back.data]).toEqual(["HaftError", "SOME_CODE", { n: 1 }]);
  });

  test("a part of a larger buffer is kept as that part", () => {
    const whole = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(roundTrip(whole.subarray(2, 4))).toStrictEqual(new Uint8Array([3, 4]));
    expect(roundTrip(Buffer.from("hi"))).toStrictEqual(new Uint8Array([104, 105]));
    const view = roundTrip(new DataView(whole.buffer, 4, 2)) as DataView;
    expect([view.byteLength, view.getUint8(0)]).toEqual([2, 5]);
  });

  test("objects of other classes become plain ones, through toJSON when they have it", () => {
    class Point {
      x = 1;
      get y() {
        return 2;
      }
    }
    class Money {
      toJSON() {
        return { amount: 3n };
      }
    }
    expect(roundTrip({ point: new Point(), money: new Money() })).toStrictEqual({
      point: { x: 1 },
      money: { amount: 3n },
    });
  });

  test("the same object in two places is no cycle", () => {
    const shared = { n: 1n };
    expect(roundTrip([shared, shared])).toStrictEqual([{ n: 1n }, { n: 1n }]);
  });
});

describe("what cannot be encoded", () => {
  const cycle: Record<string, unknown> = { n: 1n };
  cycle.self = { deep: [cycle] };

  test.each<[string, unknown, RegExp]>([
    ["a function", { a: { run() {} } }, /^output\.a\.run is the function run,/],
    ["an arrow in an array", [1, [() => 1]], /^output\[1\]\[0\] is a function,/],
    ["a symbol", { s: Symbol("x") }, /^output\.s is a symbol,/],
    ["a promise", { user: Promise.resolve(1) }, /^output\.user is a promise \(was an await forgotten\?\)/],
    ["a thenable", { row: Object.create({ then() {} }) }, /^output\.row is a promise/],
    ["a weak map", { w: new WeakMap() }, /^output\.w is an object of the class WeakMap,/],
    ["a response", { page: new Response("text") }, /^output\.page is an object of the class Response,/],
    ["a stream", new ReadableStream(), /^output is an object of the class ReadableStream,/],
    ["a generator", { rows: (function* () {})() }, /^output\.rows is an object of the class/],
    ["shared memory", { m: new SharedArrayBuffer(1) }, /^output\.m is an object of the class SharedArrayBuffer,/],
    ["a cycle", cycle, /^output\.self\.deep\[0\] is a reference to one of its own parents,/],
    ["a map's key", { m: new Map([[() => 1, 1]]) }, /^output\.m<key 0> is a function,/],
    ["a map's value", { m: new Map([["k", Symbol("x")]]) }, /^output\.m<value 0> is a symbol,/],
    ["a set's item", { s: new Set([1, () => 1]) }, /^output\.s<item 1> is a function,/],
    ["an error's cause", { e: new Error("x", { cause: { f() {} } }) }, /^output\.e\.cause\.f is the function f,/],
    [
      "a getter that throws",
      {
        a: {
          get b() {
            throw new Error("secret path");
          },
        },
      },
      /^output\.a is an object that fails when it is read,/,
    ],
    [
      "a toJSON that throws",
      {
        a: {
          toJSON() {
            throw new Error("x");
          },
        },
      },
      /^output\.a is an object that fails/,
    ],
    [
      "a toJSON that gives itself",
      {
        toJSON() {
          return this;
        },
      },
      /^output is a reference to one of its own parents/,
    ],
  ])("%s is named with its path", (_, value, message) => {
    const error = refusal(value);
    expect(error.code).toBe("VALUE_NOT_ENCODABLE");
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  test("nesting without end is refused with a short path", () => {
    let deep: unknown = 1n;
    for (let level = 0; level < 50_000; level++) deep = [deep];
    const error = refusal(deep);
    expect(error.message).toMatch(/nested deeper than 1000/);
    expect(error.message.length).toBeLessThan(200);
  });
});

describe("decode", () => {
  test.each([
    ["an unknown kind", { $haft: "temporal", value: 1 }],
    ["a map without entries", { a: [{ $haft: "map" }] }],
    ["a pattern that is none", { $haft: "regexp", source: "(", flags: "" }],
    ["a number too big to be one", { $haft: "bigint", value: "1.5" }],
  ])("%s is told as one sentence", (_, json) => {
    expect(() => decode(json as any)).toThrow(expect.objectContaining({ code: "VALUE_NOT_DECODABLE" }));
  });

  test("a name from elsewhere never picks a class that is not one of ours", () => {
    expect(decode({ $haft: "bytes", type: "constructor", base64: "AQ==" })).toStrictEqual(new Uint8Array([1]));
    expect(decode({ $haft: "error", name: "toString", message: "m" })).toBeInstanceOf(Error);
  });
});

test("neither way shares an object with what was given", () => {
  const value = { list: [{ n: 1 }], map: new Map([["k", { n: 1 }]]) };
  const plain = { list: [{ n: 1 }] };
  const [tagged, json] = [encode(value), encode(plain) as any];
  const back = decode(json) as any;
  value.list[0]!.n = 2;
  value.map.get("k")!.n = 2;
  plain.list[0]!.n = 2;
  back.list.push("more");
  expect(comparable(decode(tagged))).toEqual(comparable({ list: [{ n: 1 }], map: new Map([["k", { n: 1 }]]) }));
  expect(json).toEqual({ list: [{ n: 1 }] });
});
