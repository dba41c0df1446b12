/** The guest's codec: what crosses comes back exactly, and nothing that a program does changes what is written. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode } from "../../src/base/codec.ts";
import { anyPortableGraph, anyPortableValue } from "../base/any-value.ts";
import { comparable, comparableGraph } from "../base/comparable.ts";
import { type GuestVm, nodeGuest, quickJsGuest } from "./guest-codec-vm.ts";

const guests: [string, GuestVm][] = [
  ["in QuickJS", await quickJsGuest()],
  ["in a context of Node's", nodeGuest()],
];

const literal = (text: string) => JSON.stringify(text);
const textOf = (value: unknown) => JSON.stringify(encode(value));

describe.each(guests)("%s", (_, guest) => {
  const there = (text: string) => guest.text(`encode(decode(${literal(text)}))`);
  const written = (code: string) => decode(JSON.parse(guest.text(`encode(${code})`)));

  test("any value comes back from there as it was, in the very text that the host writes", () => {
    fc.assert(
      fc.property(anyPortableValue, (value) => {
        const text = textOf(value);
        const back = there(text);
        expect(comparable(decode(JSON.parse(back)))).toStrictEqual(comparable(value));
        expect(back).toBe(textOf(decode(JSON.parse(text))));
      }),
      { numRuns: 200 },
    );
  });

  test("so does what knows itself", () => {
    fc.assert(
      fc.property(anyPortableGraph, (value) => {
        const text = textOf(value);
        const compare = text.includes('"graph"') ? comparableGraph : comparable;
        const back = there(text);
        expect(compare(decode(JSON.parse(back)))).toStrictEqual(compare(value));
        expect(back).toBe(textOf(decode(JSON.parse(text))));
      }),
      { numRuns: 150 },
    );
  });

  test("plain JSON is its own text", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (json) => {
        const text = JSON.stringify(JSON.parse(json));
        if (!text.includes("__proto__")) expect(there(text)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test("what is made there comes here as the host would have written it", () => {
    const code = `{
      list: [1, , undefined, -0, NaN],
      when: new Date(0), big: 12345678901234567890n, pattern: /a\\/[b]\\n/dgimsuy,
      map: new Map([[{ k: 1 }, new Set([new Uint8Array([1, 2, 255])])]]),
      part: new Uint8Array([1, 2, 3, 4]).subarray(1, 3), view: new DataView(new ArrayBuffer(4), 1, 2),
      buffer: new Uint8Array([5]).buffer, floats: new Float64Array([0.1, -0]),
      error: Object.assign(new RangeError("far", { cause: new TypeError("why") }), { code: "E_FAR", data: { n: 1n } }),
      many: new AggregateError([new SyntaxError("x"), 2n], "all"), none: undefined,
    }`;
    // biome-ignore lint/security/noGlobalEval: the same program here and there
    const here: unknown = globalThis.eval(`(${code})`);
    expect(guest.text(`encode(${code})`)).toBe(textOf(here));
    expect(comparable(written(code))).toStrictEqual(comparable(here));
  });

  test("objects of classes are their own data, or what their toJSON gives", () => {
    const code = `(() => {
      class Base { x = 1; get y() { return 2 } }
      class Point extends Base { #hidden = 3; z = [new (class { toJSON() { return { amount: 3n } } })()] }
      class Names extends Map {}
      class Odd extends TypeError { name = "Odd" }
      return [new Point(), new Names([["a", 1]]), new Odd("m"), Object.create(null), Object.create({ inherited: 1 })];
    })()`;
    const odd = new TypeError("m");
    odd.name = "Odd";
    const expected = [{ x: 1, z: [{ amount: 3n }] }, new Map([["a", 1]]), odd, {}, {}];
    expect(written(code)).toEqual(expected);
    expect((written(code) as unknown[])[2]).toMatchObject({ name: "Odd", message: "m" });
  });

  test("errors arrive there as their classes, with all that they carry", () => {
    const cause = new SyntaxError("why");
    const error = Object.assign(new RangeError("far", { cause }), { code: "E_FAR", data: { at: new Date(5) } });
    const own = Object.assign(new Error("gone"), { name: "HttpError", code: 404 });
    const text = textOf([error, own, new AggregateError([own], "all")]);
    const seen = guest.text(`(() => {
      const [error, own, many] = decode(${literal(text)});
      return JSON.stringify([
        error instanceof RangeError, error.message, error.code, error.data.at instanceof Date, error.cause instanceof SyntaxError,
        own instanceof Error, own.name, String(own), own.code, Object.keys(own), Object.keys(error),
        many instanceof AggregateError, many.errors[0].message, Array.isArray(many.errors),
      ]);
    })()`);
    expect(JSON.parse(seen)).toEqual([
      ...[true, "far", "E_FAR", true, true],
      ...[true, "HttpError", "HttpError: gone", 404, ["code"], ["code", "data"]],
      ...[true, "gone", true],
    ]);
  });

  test.each<[string, string, string]>([
    ["{ items: [{ x: Promise.resolve(1) }] }", "input.items[0].x is a promise: was an await forgotten?", "[promise]"],
    ["{ f() {} }", "input.f is the function f, which cannot leave the program", "[function f]"],
    ["[1, [() => 1]]", "input[1][0] is a function, which cannot leave the program", "[function]"],
    ["{ s: Symbol('x') }", "input.s is a symbol, which cannot leave the program", "[Symbol(x)]"],
    ["{ rows: (function* () {})() }", "input.rows is an object of the class Generator, which", "[Generator]"],
    ["{ w: new WeakMap() }", "input.w is an object of the class WeakMap, which", "[WeakMap]"],
    ["new Map([[() => 1, 1]])", "input<key 0> is a function", "[function]"],
    ["new Map([['k', class A {}]])", "input<value 0> is the function A", "[function A]"],
    ["new Set([1, () => 1])", "input<item 1> is a function", "[function]"],
    ["new Error('x', { cause: [() => 1] })", "input.cause[0] is a function", "[function]"],
    ["new AggregateError([() => 1])", "input.errors[0] is a function", "[function]"],
    ["{ a: { get b() { throw undefined } } }", "input.a is an object that fails when it is read", "[object that fails"],
    ["{ a: { toJSON() { throw new Error('x') } } }", "input.a is an object that fails when it is read", "[object that"],
    ["{ toJSON() { return this } }", "input is an object whose toJSON gives that object again", '"[object]"'],
    ["[Object.create({ then() {} })]", "input[0] is a promise", "[promise]"],
    ["new Proxy({}, { ownKeys() { throw 1 } })", "input is an object that fails when it is read", "[object that fails"],
    ["(() => { const p = Proxy.revocable({}, {}); p.revoke(); return [p.proxy] })()", "input[0] is an object", "fails"],
    ["(() => { let d = 1n; for (let n = 0; n < 5000; n++) d = { d }; return d })()", "nested deeper than 400", "400]"],
  ])("%s is a TypeError that names its place, or a word", (code, message, word) => {
    const failure = guest.text(
      `(() => { try { return encode(${code}, { path: "input" }) } catch (e) { return (e instanceof TypeError) + " " + e.message } })()`,
    );
    expect(failure).toContain(`${message}`);
    expect(failure).toMatch(/^true /);
    expect(guest.text(`encode(${code}, { isLossy: true })`)).toContain(word);
  });

  test("a getter runs once", () => {
    const count = (object: string) =>
      guest.text(`(() => { let n = 0; const text = encode(${object}); return text + " " + n })()`);
    expect(count("{ plain: 1, get a() { return ++n } }")).toBe('{"plain":1,"a":1} 1');
    expect(count("[{ get a() { n++; return new Date(0) } }]")).toMatch(/ 1$/);
    expect(count("(() => { const o = { get a() { n++; return o } }; return o })()")).toMatch(/"graph".* 1$/);
  });

  test("a prototype is no key, in or out", () => {
    expect(guest.text('encode(JSON.parse(\'{"__proto__":{"x":1},"a":{"__proto__":1}}\'))')).toBe('{"a":{}}');
    const seen = `(() => { const v = decode('{"b":[{"__proto__":{"isAdmin":true},"c":1}]}');
      return String(v.b[0].isAdmin) + Object.keys(v.b[0]) + (Object.getPrototypeOf(v.b[0]) === Object.prototype) })()`;
    expect(guest.text(seen)).toBe("undefinedctrue");
    const pairs = '{"$haft":"object","value":[["__proto__",{"isAdmin":true}],["$haft","x"]]}';
    expect(guest.text(`JSON.stringify(Object.entries(decode(${literal(pairs)})))`)).toBe('[["$haft","x"]]');
  });

  test.each([
    '{"$haft":"temporal"}',
    '{"$haft":"ref","node":0}',
    '{"$haft":"graph","nodes":[]}',
    '{"$haft":"graph","nodes":[{"$haft":"ref","node":0}]}',
    '{"$haft":"graph","nodes":[[{"$haft":"ref","node":"length"}]]}',
    '{"$haft":"graph","nodes":[[{"$haft":"ref","node":1.5}]]}',
    '{"$haft":"graph","nodes":{"0":1}}',
    '{"$haft":"map","entries":[1]}',
    '{"$haft":"set"}',
    '{"$haft":"bytes","type":"Uint8Array","base64":{"length":1000000000}}',
    '{"$haft":"error","name":{},"message":1}',
    '{"$haft":"object","value":[[1,2]]}',
    '{"$haft":"regexp","source":"(","flags":""}',
    '{"$haft":"bigint","value":"1.5"}',
    "{",
    `${'{"$haft":"graph","nodes":['}${Array.from({ length: 20_000 }, (_, n) => `[{"$haft":"ref","node":${n + 1}}]`)}]}`,
  ])("%.60s is refused, and the VM goes on", (text) => {
    const code = `(() => { try { decode(${literal(text)}); return "read" } catch (e) { return e instanceof Error ? "refused" : "?" } })()`;
    expect(guest.text(code)).toBe("refused");
    expect(there("[1]")).toBe("[1]");
  });
});

describe("after a program has changed whatever can be changed", () => {
  /** Everything that it can reach gives something else from here on. */
  const takeOver = `(() => {
    const evil = function () { return "evil" };
    const change = (holder) => {
      for (const key of Reflect.ownKeys(holder)) {
        if (key === "prototype" || key === "constructor") continue;
        const property = Object.getOwnPropertyDescriptor(holder, key);
        if (!property.configurable) continue;
        const changed = { __proto__: null, configurable: true, [property.get ? "get" : "value"]: evil };
        changes.push(() => defineProperty(holder, key, changed));
      }
    };
    const { defineProperty, prototype: ObjectPrototype } = Object;
    const ArrayPrototype = Array.prototype, map = new Map();
    const changes = [];
    const names = ["Map", "Set", "Date", "RegExp", "Error", "TypeError", "RangeError", "AggregateError", "Promise", "BigInt", "Number",
      "String", "Boolean", "Symbol", "Array", "ArrayBuffer", "DataView", "Uint8Array", "Float64Array", "Function", "Object"];
    for (const name of names) { change(globalThis[name]); change(globalThis[name].prototype); }
    for (const holder of [JSON, Reflect, Object.getPrototypeOf(Uint8Array), Object.getPrototypeOf(Uint8Array.prototype),
      Object.getPrototypeOf([][Symbol.iterator]()), Object.getPrototypeOf(new Map().entries()), Object.getPrototypeOf(new Set().values())]) change(holder);
    const odd = { a: 1, toJSON: 1, value: 1, get: 1, set: 1, $haft: 1, then: 1, 0: 1, 1: 1, cause: 1, errors: 1, code: 1, data: 1, length: 1, isLossy: 1, path: 1 };
    for (const key of Object.keys(odd)) {
      const setter = { __proto__: null, get: evil, set: evil, configurable: true };
      changes.push(() => { defineProperty(ObjectPrototype, key, setter); if (key !== "length") defineProperty(ArrayPrototype, key, setter) });
    }
    for (const name of [...names, "JSON", "Reflect"]) changes.push(() => { globalThis[name] = evil });
    for (let index = changes.length - 1; index >= 0; index--) { const change = changes[index]; change() }
    if ([,][0] !== "evil" || {}.toJSON !== "evil" || map.size !== "evil" || map.get !== evil || JSON !== evil) throw new Error("not taken over");
  })()`;

  /** Values are made before, and looked at after. */
  const values = `[
    { plain: [1, "x", null, true, { deep: {} }] }, [1, , 2], new Map([["k", { v: 1n }]]), new Set([[1]]), new Date(5), /a+/gi, 10n, -0, NaN,
    undefined, new Uint8Array([1, 2, 3]), new Float64Array([0.5]), new DataView(new ArrayBuffer(2)), new ArrayBuffer(1),
    Object.assign(new Error("m", { cause: { c: [1] } }), { code: "E", data: [new Date(1)] }), { $haft: "x", y: [1] },
    (() => { const a = { list: [] }; a.list.push(a, a.list); return a })(), new (class P { x = [1] })(),
    new AggregateError([new RangeError("n")], "all"),
  ]`;

  test.each<[string, () => GuestVm | Promise<GuestVm>]>([
    ["in QuickJS", quickJsGuest],
    ["in a context of Node's", nodeGuest],
  ])("%s, what is written and read stays the same", async (_, open) => {
    const guest = await open();
    const text = guest.text(`encode(${values})`);
    const after = guest.text(`(() => {
      const values = ${values};
      ${takeOver};
      const text = encode(values);
      const again = encode(decode(text));
      return text === again ? text : "first " + text + " then " + again;
    })()`);
    expect(after).toBe(text);
    const here = decode(JSON.parse(text)) as unknown[];
    expect([here.length, here[6], here[4]]).toEqual([19, 10n, new Date(5)]);
  });

  test.each(guests)("%s, a JSON or an array of the program's is not asked", (_, guest) => {
    const code = `(() => {
      const map = new Map([[1, 2]]);
      const { stringify, parse } = JSON, { push, [Symbol.iterator]: iterate } = Array.prototype;
      try {
        JSON.stringify = () => '"mine"'; JSON.parse = () => "mine"; Array.prototype.push = () => 0;
        Array.prototype[Symbol.iterator] = function* () { yield "mine" }; Object.prototype.toJSON = () => "mine";
        return encode({ a: [1, map] }) + encode({ plain: [1] }) + encode(decode('{"b":[{"$haft":"bigint","value":"1"}]}'));
      } finally { JSON.stringify = stringify; JSON.parse = parse; Array.prototype.push = push;
        Array.prototype[Symbol.iterator] = iterate; delete Object.prototype.toJSON }
    })()`;
    expect(guest.text(code)).toBe(
      '{"a":[1,{"$haft":"map","entries":[[1,2]]}]}{"plain":[1]}{"b":[{"$haft":"bigint","value":"1"}]}',
    );
  });
});
