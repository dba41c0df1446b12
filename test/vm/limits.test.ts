/** Every limit, and what becomes of a program that has come to one: never a success, and nothing of it runs on. */
import { afterAll, describe, expect, test } from "vitest";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { now, runAlone, runIn, seed } from "../helpers/run-program.ts";

describe.each([
  ["inline", inlineVm()],
  ["worker", workerVm({ workers: 1 })],
] as const)("%s", (_name, vm) => {
  afterAll(() => vm.close());
  const run = (code: string, options = {}) => runAlone(vm, code, options);

  test.each([
    ["a loop", "while (true) {}"],
    ["a loop of awaits", "while (true) await 1"],
    ["a flood of promises", "const again = () => Promise.resolve().then(again); await again()"],
    ["a regular expression", "return /^(a+)+$/.test('a'.repeat(30) + 'b')"],
    ["sorting", "const a = Array.from({ length: 200 }, (_, i) => i); while (true) a.sort(() => 1)"],
    ["a getter of what it throws", "throw { get message() { while (true); }, toString() { while (true); } }"],
    ["a getter of an error", "throw Object.defineProperty(new Error('x'), 'data', { get() { while (true); } })"],
    ["a getter of what it returns", "return { get a() { while (true); } }"],
    ["a getter of what it prints", "console.log({ get a() { while (true); } })"],
    ["a getter of an input", "await f({ get a() { while (true); } })"],
    ["a toJSON", "return { toJSON() { while (true); } }"],
    ["a proxy", "return new Proxy({}, { ownKeys() { while (true); } })"],
    [
      "a prototype that its bindings ask for",
      "const p = new Proxy({}, { getPrototypeOf() { while (true); } }); return 1",
    ],
    [
      "a rejection that nobody handled",
      "Promise.reject({ toString() { while (true); }, get toJSON() { while (true); } }); return 1",
    ],
    ["a timer", "await new Promise((r) => setTimeout(() => { while (true); }, 1))"],
  ])("computing: %s", async (_what, code) => {
    const { done, calls } = await run(code, { limits: { cpuMs: 30 }, handlers: { f: () => 1 } });
    expect(done).toMatchObject({ type: "limit", limit: "cpuMs" });
    expect(calls).toEqual([]);
  });

  test.each([
    ["in a try", "try { while (true); } catch { await f() } finally { await f() }\nawait f()"],
    ["in a try of a caller", "const g = () => { while (true); }; try { g() } finally { void f() }"],
    ["in a try after an await", "try { await 1; while (true); } catch { await f() } finally { await f() }"],
    [
      "in a promise that others handle",
      "await Promise.allSettled([(async () => { await 1; while (true); })()]); await f()",
    ],
    [
      "with memory, in a try",
      "try { const a = []; while (true) a.push('x'.repeat(1e5) + a.length) } catch { await f() } finally { await f() }",
    ],
  ])("nothing is caught, and nothing runs on: %s", async (_what, code) => {
    const { done, calls } = await run(code, { limits: { cpuMs: 30, memoryMb: 8 }, handlers: { f: () => 1 } });
    expect(done).toMatchObject({ type: "limit" });
    expect(calls).toEqual([]);
  });

  test("waiting is not computing", async () => {
    const session = await vm.open({ limits: { cpuMs: 100 } });
    await session.start({ code: "await f(); return 'over'", seed, now, functions: ["f"] });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await session.settle([{ at: now, id: 1, ok: true, output: 1 }])).done).toEqual({
      type: "returned",
      value: "over",
    });
    session.close();
  });

  test("computing adds up over the turns of a program, and begins again with the next", async () => {
    const spin = "for (let i = 0; i < 2e4; i++);";
    const session = await vm.open({ limits: { cpuMs: 60 } });
    const { done, calls } = await runIn(session, `while (true) { ${spin} await f() }`, { handlers: { f: () => 1 } });
    expect(done).toMatchObject({ type: "limit", limit: "cpuMs" });
    expect(calls.length).toBeGreaterThan(0);
    session.close();
    const other = await vm.open({ limits: { cpuMs: 400 } });
    for (let index = 0; index < 12; index++) expect((await runIn(other, `${spin} return 1`)).value).toBe(1);
    other.close();
  });

  test("a replay has the same limit on an account of its own", async () => {
    const session = await vm.open({ limits: { cpuMs: 400 } });
    const code =
      "const until = (n) => { const t = Date.now(); while (Date.now() < t + n); };\nfor (;;) { until(1); await f() }";
    let turn = await session.start({ code, seed, now, functions: ["f"], isReplay: true });
    const spent = async (isReplay: boolean) => {
      let turns = 0;
      for (; !turn.done && turns < 100; turns++) {
        turn = await session.settle([{ at: now, id: turn.calls[0]!.id, ok: true, output: 1 }], { isReplay });
      }
      return turns;
    };
    expect(await spent(true)).toBe(100);
    expect(await spent(false)).toBe(100);
    session.close();
  });

  test.each([
    ["strings", "const a = []; while (true) a.push('x'.repeat(1e5) + a.length)"],
    ["one string", "let s = 'x'; while (true) s += s"],
    ["a buffer", "return new Uint8Array(1 << 28).length"],
    ["an array", "return new Array(1e8).fill(1).length"],
    ["objects", "let o = {}; while (true) o = { o, p: [1, 2, 3] }"],
    ["promises", "const a = []; while (true) a.push(new Promise(() => {}))"],
    ["what it encodes", "const a = 'x'.repeat(3e6); return Array.from({ length: 100 }, () => a)"],
  ])("memory: %s", async (_what, code) => {
    const { done } = await run(code, { limits: { memoryMb: 8, cpuMs: 20_000 } });
    expect(done).toMatchObject({ type: "limit", limit: "memoryMb" });
  });

  test("a result that is too much memory", async () => {
    const { done } = await run("return (await f()).length", {
      limits: { memoryMb: 4 },
      handlers: { f: () => Array.from({ length: 60_000 }, () => ({ a: 1 })) },
    });
    expect(done).toMatchObject({ type: "limit", limit: "memoryMb" });
  });

  test.each([
    ["recursion", "const f = (n: number): number => 1 + f(n + 1); return f(0)"],
    ["toString", "const o: any = { toString() { return '' + o } }; return '' + o"],
    ["getters", "const o: any = { get a() { return o.a } }; return o.a"],
    ["proxies", "const p: any = new Proxy({}, { get: (_, k) => p[k] }); return p.x"],
    ["constructors", "class A { constructor() { new A() } }; new A()"],
    ["spread calls", "const g = (...a: any[]): any => g(...a, 1); g()"],
  ])("a stack that is too deep is an error that can be caught: %s", async (_what, code) => {
    const caught = await run(`try { (() => { ${code} })(); return "nothing" } catch (e) { return e.name }`);
    expect(["RangeError", "SyntaxError"]).toContain(caught.value);
    const { done } = await run(code);
    expect(done).toMatchObject({ type: "threw", error: { name: expect.stringMatching(/RangeError|SyntaxError/) } });
  });

  test("a limit that the engine did not notice in time counts too", async () => {
    const { done } = await run("return 'a'.repeat(3e4).includes('a'.repeat(1e3) + 'b')", { limits: { cpuMs: 1 } });
    expect(done).toMatchObject({ type: "limit", limit: "cpuMs" });
  });

  test("one that is too deep for the engine itself ends the session, and not the process", async () => {
    const code = "try { JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)) } catch { await f() }";
    const { done, calls } = await run(code, { handlers: { f: () => 1 } });
    expect(done).toMatchObject({ type: "limit", limit: "stackKb" });
    expect(calls).toEqual([]);
    expect((await run("return 1")).value).toBe(1);
  });

  test("stackKb decides how deep", async () => {
    const depth = "let n = 0; const f = () => { n++; f() }; try { f() } catch {} return n";
    const [small, large] = [
      await run(depth, { limits: { stackKb: 64 } }),
      await run(depth, { limits: { stackKb: 512 } }),
    ];
    expect(Number(small.value)).toBeGreaterThan(10);
    expect(Number(large.value)).toBeGreaterThan(Number(small.value) * 2);
  });

  test("calls", async () => {
    const limits = { calls: 10 };
    const all = await run("return (await Promise.all(Array.from({ length: 10 }, (_, i) => f(i)))).length", {
      limits,
      handlers: { f: () => 1 },
    });
    expect(all.value).toBe(10);
    const { done, calls } = await run("for (;;) { try { await f() } catch { console.log('caught') } }", {
      limits,
      handlers: { f: () => 1 },
    });
    expect(done).toMatchObject({ type: "limit", limit: "calls" });
    expect(calls).toHaveLength(10);
  });

  test("timers", async () => {
    const { done } = await run("for (;;) setTimeout(() => {}, 1)", { limits: { calls: 10 } });
    expect(done).toMatchObject({ type: "limit", limit: "calls", message: expect.stringContaining("timers") });
  });

  test("the size of an input", async () => {
    const { done, calls } = await run("await f('x'.repeat(98)); await f('ü'.repeat(60))", {
      limits: { argumentBytes: 100 },
      handlers: { f: () => 1 },
    });
    expect(done).toMatchObject({
      type: "threw",
      error: { name: "RangeError", message: expect.stringMatching(/f has 122 bytes; at most 100/) },
    });
    expect(calls).toHaveLength(1);
  });

  test("the size of a result", async () => {
    const handlers = { f: (size: unknown) => "x".repeat(size as number) };
    const { value } = await run(
      "const a = await f(98); try { await f(99) } catch (e) { return [a.length, e.name, e.message] }",
      { limits: { resultBytes: 100 }, handlers },
    );
    expect(value).toEqual([98, "RangeError", expect.stringContaining("101 bytes; at most 100")]);
  });

  test("the size of what it returns", async () => {
    const limits = { resultBytes: 100 };
    expect((await run("return 'x'.repeat(98)", { limits })).done).toEqual({ type: "returned", value: "x".repeat(98) });
    expect((await run("return 'x'.repeat(99)", { limits })).done).toEqual({ type: "returned", size: 101 });
    expect((await run("return 'x'.repeat(5e6)")).done).toEqual({ type: "returned", size: 5_000_002 });
    expect((await run("return exit('done', 'x'.repeat(99))", { limits })).done).toMatchObject({
      type: "threw",
      error: { name: "RangeError" },
    });
    expect((await run("throw new Error('x'.repeat(5e6))", { limits })).done).toMatchObject({
      type: "threw",
      error: { name: "Error" },
    });
  });

  test("what it prints", async () => {
    const { prints, value } = await run("for (let i = 0; i < 100; i++) console.log(i, 'xxxxxxxxxx');\nreturn 'over'", {
      limits: { logBytes: 200 },
    });
    expect(value).toBe("over");
    expect(prints.length).toBeLessThan(20);
    expect(prints.at(-1)).toMatchObject({ level: "warn", values: [expect.stringContaining("more than 200 bytes")] });
  });

  test("after a limit the session is over, and says so", async () => {
    const session = await vm.open({ limits: { cpuMs: 50 } });
    await runIn(session, "while (true);");
    expect((await session.start({ code: "return 1", seed, now, functions: [] })).done).toMatchObject({ type: "lost" });
    await session.leave();
    session.close();
    expect((await run("return 1")).value).toBe(1);
  });
});
