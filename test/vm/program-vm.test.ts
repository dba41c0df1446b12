/** Programs and what they do, the same inline and in a worker. */
import { afterAll, describe, expect, test } from "vitest";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { now, pending, runAlone, runIn } from "../helpers/run-program.ts";

const fail = (error: Error, more: object = {}) => {
  throw Object.assign(error, more);
};

describe.each([
  ["inline", inlineVm()],
  ["worker", workerVm({ workers: 1 })],
] as const)("%s", (_name, vm) => {
  afterAll(() => vm.close());
  const run = (code: string, options = {}) => runAlone(vm, code, options);

  test("a program returns what it computed, with the types of TypeScript taken out", async () => {
    const { done, value } = await run("const n: number = 20;\nreturn n + 1;");
    expect(done).toEqual({ type: "returned", value: 21 });
    expect(value).toBe(21);
  });

  test("calls have numbers, names, inputs and places", async () => {
    const { turns, value } = await run(
      'const a = await f({ x: "ü" }); const b = await\n  Orders.cancel([a]);\nreturn b',
      {
        handlers: { f: () => 7, "Orders.cancel": (input: unknown) => input },
      },
    );
    expect(turns[0]!.calls).toEqual([{ id: 1, name: "f", input: { x: "ü" }, line: 1, column: 17, isDetached: false }]);
    expect(turns[1]!.calls[0]).toMatchObject({ id: 2, name: "Orders.cancel", input: [7], line: 2 });
    expect(value).toEqual([7]);
  });

  test("columns count as editors do, behind any letters", async () => {
    const { calls } = await run('const s = "😀ü"; await f();', { handlers: { f: () => 1 } });
    expect(calls[0]).toMatchObject({ line: 1, column: 24 });
    const again = await run('1;\nconst s = "😀ü"; await f();', { handlers: { f: () => 1 } });
    expect(again.calls[0]).toMatchObject({ line: 2, column: 24 });
  });

  test("no argument is no input, and a second argument is refused", async () => {
    const { turns, done } = await run("await f(); await f(undefined); await f(1, 2)", { handlers: { f: () => 1 } });
    expect(turns[0]!.calls[0]).not.toHaveProperty("input");
    expect(turns[1]!.calls[0]).not.toHaveProperty("input");
    expect(done).toMatchObject({
      type: "threw",
      error: { name: "TypeError", message: expect.stringContaining("one argument") },
    });
  });

  test("functions give real promises, and nobody has to wait for one to start the next", async () => {
    const { turns, value } = await run(
      "const a = f(1), b = f(2);\nconst c = a instanceof Promise;\nreturn [await a, await b, c]",
      { handlers: { f: (x: unknown) => x } },
    );
    expect(turns[0]!.calls.map(({ id }) => id)).toEqual([1, 2]);
    expect(value).toEqual([1, 2, true]);
  });

  test("rich values cross both ways", async () => {
    const sent = {
      d: new Date(5),
      m: new Map([[1, new Set([2n])]]),
      bytes: new Uint8Array([1, 2]),
      nan: Number.NaN,
      zero: -0,
    };
    const { value, calls } = await run(
      "const v = await f(); await f(v); return [v.m.get(1).has(2n), v.d.getTime(), Object.is(v.zero, -0)]",
      {
        handlers: { f: () => sent },
      },
    );
    expect(value).toEqual([true, 5, true]);
    expect(calls[1]!.input).toEqual(sent);
  });

  test("a result's __proto__ is no prototype, either way", async () => {
    const { value, calls } = await run(
      'const r = await f(); await f(JSON.parse(\'{"__proto__":{"a":1},"x":1}\'));\nreturn [r[0].isAdmin === undefined, ({}).isAdmin === undefined, Object.keys(r[0])]',
      { handlers: { f: () => JSON.parse('[{"__proto__":{"isAdmin":true},"x":1}]') } },
    );
    expect(value).toEqual([true, true, ["x"]]);
    expect(calls[1]!.input).toEqual({ x: 1 });
    expect(Object.getPrototypeOf(calls[1]!.input)).toBe(Object.prototype);
  });

  test("what cannot be handed over is a TypeError that says where it is", async () => {
    const messages =
      "const m = []; for (const x of [{ a: [() => 1] }, { p: f(1) }, Symbol('s')]) { try { await f(x) } catch (e) { m.push(e.name + e.message) } }\nreturn m";
    const { value } = await run(messages, { handlers: { f: () => 1 } });
    expect(value).toEqual([
      expect.stringMatching(/^TypeError.*a\[0\]/),
      expect.stringMatching(/^TypeError.*\.p.*await/s),
      expect.stringMatching(/^TypeError/),
    ]);
  });

  test("a failed call rejects with its class, code, data, cause and place", async () => {
    const { value } = await run(
      "try {\n  await f()\n} catch (e) { return [e instanceof RangeError, e.name, e.message, e.code, e.data, e.cause.message] }",
      {
        handlers: {
          f: () =>
            fail(new RangeError("bad", { cause: new Error("why") }), { code: "E1", data: { when: new Date(1) } }),
        },
      },
    );
    expect(value).toEqual([true, "RangeError", "bad", "E1", { when: new Date(1) }, "why"]);
  });

  test("an error of a class of the tools' own keeps its name, and points at its call when nobody catches it", async () => {
    const { done } = await run("async function g() {\n  return await f()\n}\nawait g()", {
      handlers: { f: () => fail(new Error("gone"), { name: "NotFound", code: 404 }) },
    });
    expect(done).toMatchObject({
      type: "threw",
      error: {
        name: "NotFound",
        message: "gone",
        code: 404,
        frames: [{ name: "g", line: 2, column: 16 }, { line: 4 }],
      },
    });
    expect((done as { error: { excerpt: string } }).error.excerpt).toContain("> 2 |   return await f()");
  });

  test("an error of the program has its frames, innermost first, and an excerpt", async () => {
    const { done } = await run("const o: any = {};\nfunction g() { return o.a.b }\nreturn g()");
    expect(done).toMatchObject({
      type: "threw",
      error: {
        name: "TypeError",
        frames: [
          { name: "g", line: 2 },
          { line: 3, column: 8 },
        ],
      },
    });
  });

  test.each([
    ['throw "text"', { name: "Thrown", message: "text" }],
    ["throw { a: 1 }", { name: "Thrown", message: '{"a":1}' }],
    ["throw undefined", { name: "Thrown", message: "undefined" }],
    ["throw Symbol('s')", { name: "Thrown", message: "Symbol(s)" }],
    ["class Odd extends Error { name = 'Odd' }\nthrow new Odd('x')", { name: "Odd", message: "x" }],
    [
      "throw Object.assign(new Error('x', { cause: 1n }), { code: 'C', data: [1] })",
      { name: "Error", code: "C", data: [1] },
    ],
  ])("%s", async (code, error) => {
    expect((await run(code)).done).toMatchObject({ type: "threw", error });
  });

  test("prints come with what cannot be encoded told in words", async () => {
    const { prints } = await run(
      "console.log('a', { b: [1] }, () => 1); console.error(new Error('x')); console.debug(undefined)",
    );
    expect(prints[0]!.level).toBe("log");
    expect(prints[0]!.values.slice(0, 2)).toEqual(["a", { b: [1] }]);
    expect(prints[0]!.values[2]).toEqual(expect.stringContaining("function"));
    expect(prints[1]).toMatchObject({ level: "error", values: [{ message: "x" }] });
    expect(prints[2]).toEqual({ level: "debug", values: [undefined] });
  });

  test("timers wait for whoever keeps the time", async () => {
    const { turns, value } = await run(
      "const t = Date.now();\nconst gone = setTimeout(() => console.log('never'), 5); clearTimeout(gone);\nawait new Promise((r) => setTimeout(r, 30, 'x'));\nreturn Date.now() - t",
    );
    expect(turns[0]!.timers).toEqual([
      { id: 1, delayMs: 5 },
      { id: 2, delayMs: 30 },
    ]);
    expect(value).toBeGreaterThanOrEqual(30);
    expect(turns.flatMap(({ prints }) => prints)).toEqual([]);
  });

  test("what a timer throws is reported, and stops nothing", async () => {
    const { last, value } = await run(
      "setTimeout(() => { throw new Error('in a timer') }, 1); await new Promise((r) => setTimeout(r, 2)); return 1",
    );
    expect(value).toBe(1);
    expect(last.unhandled).toMatchObject([{ message: "in a timer" }]);
  });

  test("the clock starts where it is told, and moves with settlements", async () => {
    const { value } = await run(
      "const a = Date.now(); const b = Date.now(); await f(); return [a, b, Date.now(), new Date().getFullYear()]",
      {
        handlers: { f: () => 1 },
      },
    );
    expect(value).toEqual([now, now, now + 1, 2030]);
  });

  test("a loop that waits for the clock comes to its end", async () => {
    expect((await run("const t = Date.now(); while (Date.now() < t + 20); return 'over'")).value).toBe("over");
  });

  test("exits", async () => {
    expect((await run("return exit('done', { a: new Date(3) })")).done).toEqual({
      type: "exit",
      exit: "done",
      value: { a: expect.objectContaining({ $haft: "date" }) },
    });
    expect((await run("return exit('plain')")).done).toEqual({ type: "exit", exit: "plain" });
    expect((await run("exit('ignored'); return 1")).done).toEqual({ type: "returned", value: 1 });
    expect((await run("return exit('done', { f() {} })")).done).toMatchObject({
      type: "threw",
      error: { name: "TypeError" },
    });
  });

  test("detached calls are waited for, and their errors reported", async () => {
    const { calls, turns, last } = await run("void f(1);\nreturn 5", {
      handlers: { f: () => fail(new Error("late")) },
    });
    expect(calls[0]).toMatchObject({ isDetached: true });
    expect(turns[0]!.done).toBeUndefined();
    expect(last).toMatchObject({
      done: { type: "returned", value: 5 },
      unhandled: [{ message: "late", frames: [{ line: 1 }] }],
    });
  });

  test("whoever loses a race is not waited for", async () => {
    const { done } = await run("return await Promise.race([f(1), slow(2)])", {
      handlers: { f: () => "fast", slow: () => pending },
    });
    expect(done).toEqual({ type: "returned", value: "fast" });
  });

  test("rejections that somebody handles later are not reported", async () => {
    const { last } = await run(
      "const p = Promise.reject(new Error('a')); const q = Promise.reject(new Error('b')); await 1; p.catch(() => 0); return 1",
    );
    expect(last.unhandled).toMatchObject([{ message: "b" }]);
  });

  test("what cannot be run is said before anything of it runs", async () => {
    const { done, calls } = await run("await f();\nlet a = = 2", { handlers: { f: () => 1 } });
    expect(done).toMatchObject({ type: "invalid", problems: [{ line: 2 }] });
    expect(calls).toEqual([]);
  });

  test("the top level stays, as live as it was", async () => {
    const session = await vm.open({});
    const first = await runIn(
      session,
      "let n = 1; const up = () => ++n; class A { x = 7 }\nconst cache = new Map([['a', 1]]); const a = new A();\nreturn cache",
    );
    expect(first.last.bindings).toEqual([
      { name: "n", kind: "number" },
      { name: "up", kind: "function" },
      { name: "A", kind: "function" },
      { name: "cache", kind: "Map(1)" },
      { name: "a", kind: "A" },
    ]);
    const second = await runIn(
      session,
      "n = 10; up(); cache.set('b', a instanceof A);\nreturn [n, $return === cache, cache.size, a.x]",
    );
    expect(second.value).toEqual([11, true, 2, 7]);
    expect((await runIn(session, "cache = 1")).done).toMatchObject({ type: "threw", error: { name: "TypeError" } });
    expect((await runIn(session, "const cache = 'new'; return [cache, n]")).value).toEqual(["new", 11]);
    expect((await runIn(session, "return cache")).value).toBe("new");
    session.close();
  });

  test("a program that threw keeps what it had got to", async () => {
    const session = await vm.open({});
    await runIn(session, "const early = 1;\nthrow new Error('x');\nconst late = 2;");
    expect((await runIn(session, "return [early, typeof late]")).value).toEqual([1, "undefined"]);
    session.close();
  });

  test("a program that is left learns nothing, and its top level stays", async () => {
    const session = await vm.open({});
    await session.start({
      code: "let seen = 'before'; try { await f() } finally { seen = 'after' }",
      seed: "00",
      now,
      functions: ["f"],
    });
    await session.leave();
    const { value, calls } = await runIn(session, "return [seen, await f(1)]", { handlers: { f: (x: unknown) => x } });
    expect(value).toEqual(["before", 1]);
    expect(calls).toHaveLength(1);
    session.close();
  });

  test("functions of an earlier program are gone, and those of this one win over its names", async () => {
    const session = await vm.open({});
    await runIn(session, "const g = 5; return f", { handlers: { f: () => 1 } });
    const { value, last } = await runIn(session, "return [typeof f, await g()]", { handlers: { g: () => "called" } });
    expect(value).toEqual(["undefined", "called"]);
    expect(last.bindings).toEqual([]);
    session.close();
  });

  test("a function of an earlier program may call the tools of the current one", async () => {
    const session = await vm.open({});
    await runIn(session, "async function twice() { return [await f(1), await f(2)] }", { handlers: { f: () => 1 } });
    const { value, calls } = await runIn(session, "\nreturn await twice()", { handlers: { f: (x: unknown) => x } });
    expect(value).toEqual([1, 2]);
    expect(calls[0]).toMatchObject({ line: 2 });
    session.close();
  });

  test("a settlement of no call is a divergence, and so is one that came before", async () => {
    for (const id of [2, 1]) {
      const session = await vm.open({});
      await session.start({
        code: "await f(1)\nawait new Promise((r) => setTimeout(r, 1))",
        seed: "00",
        now,
        functions: ["f"],
      });
      if (id === 1) await session.settle([{ at: now, id: 1, ok: true, output: 1 }]);
      const turn = await session.settle([{ at: now, id, ok: true, output: 1 }]);
      expect(turn.done).toMatchObject({ type: "diverged", message: expect.stringContaining(`call ${id}`) });
      expect((await session.settle([])).done).toMatchObject({ type: "lost" });
      session.close();
    }
  });

  test("a program that nothing can wake is told so", async () => {
    expect((await run("await new Promise(() => {})")).done).toMatchObject({
      type: "threw",
      error: { message: expect.stringContaining("nothing will settle") },
    });
  });

  test("a closed session says so", async () => {
    const session = await vm.open({});
    session.close();
    session.close();
    await expect(session.settle([])).rejects.toMatchObject({ code: "VM_CLOSED" });
  });
});
