/** The codec: what comes back is what was written, and what cannot be written says where it is. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode } from "../../src/base/codec.ts";
import { HaftError } from "../../src/base/errors.ts";
import { anyGraph, anyValue, partsOf } from "./any-value.ts";
import { comparable, comparableGraph } from "./comparable.ts";

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

describe("round trips", () => {
  test("any nesting of what the log can keep comes back as it was", () => {
    const run = () =>
      fc.assert(
        fc.property(anyValue, (value) => {
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
      fc.property(anyValue, (value) => {
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

  test("an AggregateError keeps its errors", () => {
    const back = roundTrip(new AggregateError([new RangeError("far"), 3n], "all failed")) as AggregateError;
    expect(back).toBeInstanceOf(AggregateError);
    expect([back.name, back.message, Object.keys(back)]).toEqual(["AggregateError", "all failed", []]);
    expect(back.errors).toEqual([new RangeError("far"), 3n]);
    expect(back.errors[0]).toBeInstanceOf(RangeError);
  });
});

describe("cycles", () => {
  const selfish = () => {
    const value: Record<string, unknown> = { n: 1 };
    value.self = value;
    return value;
  };

  test("come back as they were, with all that is met twice, whatever the parts are", () => {
    fc.assert(
      fc.property(anyGraph, (value) => {
        const compare = hasCycle(value) ? comparableGraph : comparable;
        expect(compare(roundTrip(value))).toStrictEqual(compare(value));
      }),
      { numRuns: 700 },
    );
  });

  test("are a list of what is met again, the value first", () => {
    const child: Record<string, unknown> = { leaf: [1] };
    const parent = { child, also: { child } };
    child.parent = parent;
    expect(encode(selfish())).toEqual({ $haft: "graph", nodes: [{ n: 1, self: { $haft: "ref", node: 0 } }] });
    expect(encode(parent)).toEqual({
      $haft: "graph",
      nodes: [
        { child: { $haft: "ref", node: 1 }, also: { child: { $haft: "ref", node: 1 } } },
        { leaf: [1], parent: { $haft: "ref", node: 0 } },
      ],
    });
  });

  test("elsewhere, the same object in two places is written twice", () => {
    const shared = { n: 1n };
    const plain = { n: 1 };
    const json = encode([shared, shared]) as unknown[];
    expect(json[0]).toEqual(json[1]);
    expect(json[0]).not.toBe(json[1]);
    expect(JSON.stringify(encode({ a: plain, b: [plain, plain] }))).toBe('{"a":{"n":1},"b":[{"n":1},{"n":1}]}');
  });

  test("a graph may stand in another value, and in another graph", () => {
    const back = decode({ a: encode(selfish()), b: [encode(selfish())] }) as any;
    expect(back.a.self).toBe(back.a);
    expect(back.b[0].self).toBe(back.b[0]);
    expect(back.a).not.toBe(back.b[0]);
    const told = selfish();
    told.json = encode(selfish());
    const twice = roundTrip(told) as any;
    expect([twice.self === twice, twice.json]).toEqual([true, encode(selfish())]);
  });

  test("through toJSON", () => {
    class Tree {
      readonly children: Tree[] = [];
      parent: Tree | undefined;
      toJSON() {
        return { children: this.children, parent: this.parent };
      }
    }
    const root = new Tree();
    for (const child of [new Tree(), new Tree()]) {
      child.parent = root;
      root.children.push(child);
    }
    const back = roundTrip(root) as any;
    expect(back.children.map((child: any) => child.parent === back)).toEqual([true, true]);
    expect(back.children[0]).not.toBe(back.children[1]);
  });

  test("one object in more places than there is time is written once", () => {
    let many: unknown[] = [];
    for (let level = 0; level < 40; level++) many = [many, many];
    const value: Record<string, unknown> = { many };
    value.self = value;
    const text = JSON.stringify(encode(value));
    expect(text.length).toBeLessThan(10_000);
    expect(JSON.stringify(encode(decode(JSON.parse(text))))).toBe(text);
    expect(JSON.stringify(encode(many)).length).toBeLessThan(10_000);
  });

  test("every object knows every other: what is written grows with the ties, no faster", () => {
    const all = Array.from({ length: 60 }, (_, index) => ({ index, others: [] as unknown[] }));
    for (const one of all) one.others.push(...all);
    const text = JSON.stringify(encode(all));
    expect(text.length).toBeLessThan(60 * 60 * 40);
    const back = decode(JSON.parse(text)) as typeof all;
    expect(back[59]!.others[7]).toBe(back[7]);
  });
});

function hasCycle(value: unknown, open = new Set<object>(), done = new Set<object>()): boolean {
  if (typeof value !== "object" || value === null || done.has(value)) return false;
  if (open.has(value)) return true;
  open.add(value);
  const found = partsOf(value).some((part) => hasCycle(part, open, done));
  open.delete(value);
  done.add(value);
  return found;
}

describe("what cannot be encoded", () => {
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
      /^output is an object whose toJSON gives that object again/,
    ],
    [
      "a toJSON that never ends",
      (function again(): object {
        return { toJSON: again };
      })(),
      /^output is nested deeper than 1000/,
    ],
    ["a revoked proxy", { a: revoked() }, /^output is an object that fails when it is read/],
    [
      "an error that cannot be told",
      { e: Object.defineProperty(new Error("x"), "message", { get: () => expect.unreachable() }) },
      /^output\.e is an error that fails when it is read/,
    ],
    ["an aggregate's error", new AggregateError([1, { f() {} }]), /^output\.errors\[1\]\.f is the function f,/],
    ["a part of a cycle", selfishWith(() => 1), /^output\.f is a function,/],
  ])("%s is named with its path", (_, value, message) => {
    const error = refusal(value);
    expect(error.code).toBe("VALUE_NOT_ENCODABLE");
    expect(error.message).toMatch(message);
    expect(error.hint).toBeTruthy();
  });

  function revoked(): object {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  }

  function selfishWith(f: unknown): object {
    const value: Record<string, unknown> = { f };
    value.self = value;
    return value;
  }

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
    ["a reference outside of a graph", { $haft: "ref", node: 0 }],
    ["a reference to nothing", { $haft: "graph", nodes: [{ a: { $haft: "ref", node: 1 } }] }],
    ["a reference by a fraction", { $haft: "graph", nodes: [[{ $haft: "ref", node: 0.5 }]] }],
    ["a reference by a name", { $haft: "graph", nodes: [[{ $haft: "ref", node: "length" }]] }],
    ["a reference into the prototype", { $haft: "graph", nodes: [[{ $haft: "ref", node: "constructor" }]] }],
    ["a reference to itself", { $haft: "graph", nodes: [{ $haft: "ref", node: 0 }] }],
    ["references in a circle", { $haft: "graph", nodes: [[{ $haft: "ref", node: 1 }], { $haft: "ref", node: 0 }] }],
    [
      "an inner graph that refers to an outer one",
      { $haft: "graph", nodes: [[{ $haft: "graph", nodes: [[{ $haft: "ref", node: 1 }]] }], 1] },
    ],
    ["a graph without nodes", { $haft: "graph", nodes: [] }],
    ["a graph of no list", { $haft: "graph", nodes: { 0: 1 } }],
    ["bytes that are a length", { $haft: "bytes", type: "Uint8Array", base64: { length: 1e9 } }],
    ["an error without a name", { $haft: "error", name: { toString: "x" }, message: "m" }],
    ["a map of no pairs", { $haft: "map", entries: [1] }],
    ["an object's key that is none", { $haft: "object", value: [[{}, 1]] }],
  ])("%s is told as one sentence", (_, json) => {
    expect(() => decode(json as any)).toThrow(expect.objectContaining({ code: "VALUE_NOT_DECODABLE" }));
  });

  test("a name from elsewhere never picks a class that is not one of ours", () => {
    expect(decode({ $haft: "bytes", type: "constructor", base64: "AQ==" })).toStrictEqual(new Uint8Array([1]));
    expect(decode({ $haft: "error", name: "toString", message: "m" })).toBeInstanceOf(Error);
  });
});

test("a chain of references without end is refused", () => {
  const nodes = Array.from({ length: 100_000 }, (_, index) => [{ $haft: "ref", node: index + 1 }]);
  expect(() => decode({ $haft: "graph", nodes })).toThrow(expect.objectContaining({ code: "VALUE_NOT_DECODABLE" }));
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
