/** The top level of a program stays open to those that come after it. */
import { describe, expect, test } from "vitest";
import { compiled, run } from "./run.ts";

const values = ({ scope }: Awaited<ReturnType<typeof run>>) =>
  Object.fromEntries(Object.keys(scope).map((name) => [name, scope[name]![0]()]));

describe("names", () => {
  test("of every kind of declaration", async () => {
    const ran = await run(`
      let a = 1, b: number
      const c = 3, { d, e: { f = 6 } = {}, ...g }: any = { d: 4, h: 8 }
      var [i, , ...j] = [9, 10, 11]
      function k() {} async function* l() {}
      class M {} enum N { O }
      export const p = 1; export function q() {} export class R {}
      abstract class S {}
      declare const notThere: 1; declare function notThere2(): void; interface NotThere3 {} type NotThere4 = 1
      declare global { var notThere5: 1 }
      return`);
    expect(ran.program.names).toEqual(Object.keys(ran.scope));
    expect([...ran.program.names].sort()).toEqual([..."MNRSabcdfgijklpq"]);
    expect(values(ran)).toMatchObject({ a: 1, b: undefined, c: 3, d: 4, f: 6, g: { h: 8 }, i: 9, j: [11], p: 1 });
    const writable = Object.keys(ran.scope).filter((name) => ran.scope[name]![1]);
    expect(writable.sort()).toEqual([..."abijklq"]);
  });

  test("of var in blocks and loops, and of nothing else there", async () => {
    const ran = await run(`
      for (var a = 0; a < 2; a++) { var b = a; let no1 = 1 }
      for (var c in { x: 1 }) {}  for (var [d] of [[4]]) {}
      if (true) { var e = 5; function no2() {} } else var f = 6
      try { var g = 7 } catch (no3) { var h = 8 } finally { var i = 9 }
      switch (1) { case 1: var j = 10; class No4 {} }
      label: while (true) { var k = 11; break label }
      const l = () => { var no5 = 1 }; class M { static { var no6 = 1 } n() { var no7 = 1 } }
      return`);
    expect([...ran.program.names].sort()).toEqual([..."Mabcdefghijkl"]);
    expect(values(ran)).toMatchObject({
      a: 2,
      b: 1,
      c: "x",
      d: 4,
      e: 5,
      f: undefined,
      g: 7,
      h: undefined,
      i: 9,
      j: 10,
    });
  });

  test("that would be something else in an object, or in the writer itself", async () => {
    const ran = await run("let __proto__ = 1, _ = 2, __ = 3, constructor = 4, async = 5, é = 6, \\u0061b = 7; return");
    expect(Object.keys(ran.scope)).toEqual(["__proto__", "_", "__", "constructor", "async", "é", "ab"]);
    for (const name of Object.keys(ran.scope)) ran.scope[name]![1]!("new");
    expect(new Set(Object.values(values(ran)))).toEqual(new Set(["new"]));
  });
});

describe("bindings", () => {
  test("are the very same for closures and for what comes later", async () => {
    const ran = await run("let count = 1; function up() { count++; return () => count }\nconst read = up(); return");
    const [get, set] = ran.scope.count!;
    expect(get()).toBe(2);
    set!(10);
    expect((ran.scope.read![0]() as () => number)()).toBe(10);
    (ran.scope.up![0]() as () => void)();
    expect(get()).toBe(11);
  });

  test("can be read at any moment, also after a throw", async () => {
    const ran = await run("let a = 1; const b = { a }; throw new Error('x'); let c = 2; class D {}");
    expect(ran.thrown?.message).toBe("x");
    expect([ran.scope.a![0](), ran.scope.b![0]()]).toEqual([1, { a: 1 }]);
    expect(() => ran.scope.c![0]()).toThrow("before initialization");
    expect(() => ran.scope.c![1]!(1)).toThrow("before initialization");
    expect(() => ran.scope.D![0]()).toThrow("before initialization");
  });

  test("functions can be replaced, constants cannot", async () => {
    const ran = await run("function f() { return 1 }\nconst g = () => f(); return");
    const replacement = () => 2;
    ran.scope.f![1]!(replacement);
    expect((ran.scope.g![0]() as () => number)()).toBe(2);
    expect(ran.scope.g![1]).toBe(null);
  });
});

test("no program can name what its scope is given to", async () => {
  const source = "const __scope = 1, __scope1 = 2\n__scope + __scope1";
  expect((await run(source)).value).toBe(3);
  expect(compiled("1").code).toMatch(/^\(async \(__scope\) => \{ "use strict"; /);
});
