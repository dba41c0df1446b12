/** Programs that mean harm: the host stays as it is, the turn is told as it was, and the next session knows nothing of it. */
import { afterAll, describe, expect, test } from "vitest";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { runAlone, runIn } from "../helpers/run-program.ts";

const programs = {
  "prototypes are polluted": `
    for (const [k, v] of Object.entries({ then: (r) => r("evil"), toJSON: () => "evil", get: () => 1, lossy: true, isAdmin: true }))
      Object.prototype[k] = v;
    Array.prototype.toJSON = () => "evil";
    Array.prototype[Symbol.iterator] = function* () { yield "evil" };
    String.prototype.toJSON = () => "evil";
    console.log([1], { a: 1 });`,
  "setters wait on prototypes": `
    for (const key of ["id", "resolve", "reject", "site", "name", "promise", "callback", "args", "value"])
      Object.defineProperty(Object.prototype, key, { set() { throw new Error("evil") }, get() { throw new Error("evil") }, configurable: true });`,
  "the basics are replaced": `
    globalThis.Promise = class { constructor() { throw 1 } }; globalThis.Map = null; globalThis.JSON = { stringify: () => "evil", parse: () => "evil" };
    globalThis.Error = function () { return { stack: "evil" } }; globalThis.Object = null; globalThis.Array = null; globalThis.String = () => "evil";
    console.log = 5; globalThis.console = { log() { throw 1 } };`,
  "methods are replaced": `
    Promise.prototype.then = () => { throw 1 }; Promise.resolve = Promise.withResolvers = null;
    Map.prototype.get = Map.prototype.set = Map.prototype.has = () => { throw 1 };
    Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 };
    Array.prototype.push = Array.prototype.map = Array.prototype.join = () => { throw 1 };
    String.prototype.split = String.prototype.slice = String.prototype.indexOf = () => { throw 1 };
    Reflect.apply = Object.keys = Object.defineProperty = Object.freeze = JSON.stringify = JSON.parse = () => { throw 1 };`,
  "species are of its own": `
    class Evil { constructor(executor) { executor(() => {}, () => {}) } static get [Symbol.species]() { return Evil } }
    Object.defineProperty(Promise, Symbol.species, { value: Evil }); Promise.prototype.constructor = Evil;
    Object.defineProperty(Array, Symbol.species, { get() { throw 1 } }); RegExp.prototype.exec = () => { throw 1 };`,
  "all globals are gone": `for (const key of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[key] } catch {}`,
  "errors are made odd": `
    Error.prepareStackTrace = () => { throw 1 }; Error.stackTraceLimit = 0;
    Object.defineProperty(Error.prototype, "stack", { get() { throw 1 } });
    Object.defineProperty(Error.prototype, "name", { get() { throw 1 } }); Error.prototype.toString = () => { throw 1 };
    Object.defineProperty(Error, Symbol.hasInstance, { value: () => { throw 1 } });`,
  "everything is frozen": `
    for (const key of Object.getOwnPropertyNames(globalThis)) { const v = globalThis[key]; try { Object.freeze(v); Object.freeze(v.prototype) } catch {} }
    Object.freeze(globalThis);`,
  "thenables and proxies are returned": `
    Promise.resolve({ then() { throw 1 } }).catch(() => {}); Promise.resolve(new Proxy({}, { get() { throw 1 } })).catch(() => {});
    const p = new Proxy(function () {}, { get: () => p, apply: () => p, getPrototypeOf: () => p, ownKeys: () => ["a", "a"] });
    try { console.log(p) } catch {} `,
};

describe.each([
  ["inline", inlineVm()],
  ["worker", workerVm({ workers: 1 })],
] as const)("%s", (_name, vm) => {
  afterAll(() => vm.close());
  const run = (code: string, options = {}) => runAlone(vm, code, options);

  test.each(Object.entries(programs))("%s, and calls work as before", async (_what, harm) => {
    const session = await vm.open({ limits: { cpuMs: 1_000 } });
    const code = `{${harm}}\nconst a = await f({ n: 1 });\nlet e: any; try { await g() } catch (x) { e = x }\nreturn [a.n, e.message, e.code]`;
    const handlers = {
      f: (input: unknown) => input,
      g: () => {
        throw Object.assign(new RangeError("told"), { code: "E" });
      },
    };
    const { done, calls } = await runIn(session, code, { handlers });
    expect(calls.map(({ name, line }) => [name, line])).toEqual([
      ["f", expect.any(Number)],
      ["g", expect.any(Number)],
    ]);
    expect(calls[0]!.line).toBe(harm.split("\n").length + 1);
    expect(done).toMatchObject({ type: "returned" });
    const json = JSON.stringify((done as { value: unknown }).value);
    if (!harm.includes("toJSON")) expect(json).toBe('[1,"told","E"]');
    const next = await runIn(session, "return 1 + 1");
    expect(next.done).toEqual({ type: "returned", value: 2 });
    session.close();
    await expectUnharmed();
  });

  test.each([
    [
      "an error's getters throw",
      "throw Object.defineProperties(new Error(), { message: { get() { throw 1 } }, name: { get() { throw 1 } }, stack: { get() { throw 1 } }, code: { get() { throw 1 } }, cause: { get() { throw 1 } } })",
    ],
    [
      "a proxy of an error is thrown",
      "throw new Proxy(new Error('x'), { get() { throw 1 }, has() { throw 1 }, getPrototypeOf() { throw 1 } })",
    ],
    ["an error is its own cause", "const e = new Error('x'); e.cause = e; e.data = e; throw e"],
    ["a huge message", "throw new Error('x'.repeat(1e6))"],
    ["a message that is no text", "throw Object.assign(new Error(), { message: { toString() { throw 1 } } })"],
    ["a code that is an object", "throw Object.assign(new Error('x'), { code: { toString() { throw 1 } } })"],
    ["a function is thrown", "throw function evil() {}"],
    ["null is thrown", "throw null"],
    ["a revoked proxy is thrown", "const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy"],
  ])("%s, and it is an error like others", async (_what, code) => {
    const { done } = await run(code);
    expect(done).toMatchObject({ type: "threw", error: { name: expect.any(String), message: expect.any(String) } });
    expect(JSON.stringify(done).length).toBeLessThan(50_000);
    await expectUnharmed();
  });

  test("what the guest can reach is the guest", async () => {
    const { value } = await run(
      `const reach = (f) => { try { return f.constructor("return typeof process + typeof require + typeof globalThis.host")() } catch (e) { return e.name } };
       return [reach(f), reach(setTimeout), reach(console.log), reach(exit), reach(URL), (0, eval)("typeof process"), typeof haft]`,
      { handlers: { f: () => 1 } },
    );
    expect(value).toEqual([...Array(5).fill("undefinedundefinedundefined"), "undefined", "undefined"]);
  });

  test("what is not there", async () => {
    const names =
      "WeakRef FinalizationRegistry performance Atomics SharedArrayBuffer WebAssembly process require fetch setInterval navigator Intl";
    const { value } = await run(`return "${names}".split(" ").filter((name) => name in globalThis)`);
    expect(value).toEqual([]);
  });

  test("an exit cannot be forged or changed", async () => {
    const { value, done } = await run(
      "const e = exit('a', 1); const Made = e.constructor; const p = new Proxy(e, {}); try { e.x = 1 } catch (t) { return [t.name, Object.keys(e)] }",
    );
    expect(value).toEqual(["TypeError", []]);
    expect(done).toMatchObject({ type: "returned" });
    expect((await run("return { name: 'a', value: 1, __proto__: exit('a', 1) }")).done).toMatchObject({
      type: "returned",
    });
  });

  test("stacks of the guest tell nothing of the host", async () => {
    const { value } = await run("try { await f() } catch (e) { return e.stack }", {
      handlers: {
        f: () => {
          throw new Error("x");
        },
      },
    });
    expect(value).not.toMatch(/node_modules|\/src\/|\.ts|haft:/);
  });

  test("random harm: whatever a program is made of, there is a turn, and the next session is as ever", async () => {
    const pieces = [
      ...[
        "Object.prototype.x = 1;",
        "delete globalThis.Promise;",
        "void f(1);",
        "throw {};",
        "await f(2);",
        "console.log(globalThis);",
      ],
      ...[
        "await null;",
        "new Proxy({}, {});",
        "globalThis.then = (r) => r();",
        "eval('var q = 1');",
        "[].concat(...Array(100));",
      ],
      ...[
        "setTimeout(() => { throw 1 }, 0);",
        "Promise.reject(1);",
        "structuredClone(globalThis.Math);",
        "JSON.parse('{');",
      ],
      ...[
        "for (const k in globalThis) globalThis[k];",
        "Object.freeze(globalThis);",
        "return exit('x', f);",
        "crypto.randomUUID();",
      ],
      ...[
        "new Uint8Array(1e6).fill(1);",
        "'x'.repeat(1e6).split('');",
        "Symbol.prototype.toString = null;",
        "Error.stackTraceLimit = -1;",
      ],
      ...[
        "Array.prototype.length = 5;",
        "globalThis.f = null;",
        "queueMicrotask(() => { throw 2 });",
        "f.call = 1;",
        "label: for (;;) break label;",
      ],
    ];
    let state = 7;
    const pick = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return pieces[state % pieces.length]!;
    };
    for (let round = 0; round < 25; round++) {
      const code = Array.from({ length: 1 + (round % 5) }, pick).join("\n");
      const { done } = await run(code, {
        handlers: { f: (input: unknown) => input },
        limits: { cpuMs: 200, memoryMb: 32 },
      });
      expect(done, code).toBeDefined();
      expect(["returned", "exit", "threw", "invalid", "limit"], code).toContain(done!.type);
    }
    await expectUnharmed();
  });

  async function expectUnharmed() {
    expect("isAdmin" in {} || "x" in {} || "then" in {}).toBe(false);
    const { done, prints } = await run(
      "console.log([1], new Map([[1, 2]])); return [await f({ a: 1 }), typeof isAdmin, [1].map(String)]",
      {
        handlers: { f: (input: unknown) => input },
      },
    );
    expect(done).toEqual({ type: "returned", value: [{ a: 1 }, "undefined", ["1"]] });
    expect(prints[0]!.values).toEqual([[1], new Map([[1, 2]])]);
  }
});
