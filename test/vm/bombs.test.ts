/** Programs that want more than there is: each ends by a limit or an error of its own, and never takes its VM along. */
import { afterAll, describe, expect, test } from "vitest";
import type { ProgramSession, ProgramVm, Settlement, Turn } from "../../src/core/program.ts";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { now, runIn, seed } from "../helpers/run-program.ts";

describe.each<[string, ProgramVm]>([
  ["inline", inlineVm()],
  ["worker", workerVm({ workers: 1 })],
])("%s", (_name, vm) => {
  afterAll(() => vm.close());

  async function inSession<T>(act: (session: ProgramSession) => Promise<T>): Promise<T> {
    const session = await vm.open({ limits: { cpuMs: 1_000, argumentBytes: 100_000, calls: 500, memoryMb: 32 } });
    try {
      return await act(session);
    } finally {
      session.close();
    }
  }

  test.each([
    ["a URL of many letters", "new URL('http://a/' + ' '.repeat(3e6))", /Invalid URL/],
    ["a URL that grows when it is changed", "const u = new URL('http://a/'); u.hash = 'x'.repeat(3e6)", /Invalid URL/],
    ["a query of many pairs", "new URLSearchParams('a&'.repeat(2e6))", /longer than 1 MiB/],
    [
      "a query of other things than text",
      "(Array.prototype as any).filter = () => [[1]]; const q = new URLSearchParams('a=1'); q.delete('x'); q.toString()",
      /no text/,
    ],
    [
      "inputs of calls that do not end",
      "const all = []; for (let i = 0; i < 20; i++) all.push(f('x'.repeat(90_000))); await Promise.all(all)",
      /wait for some/,
    ],
  ])("%s is an error that can be caught", async (_, code, message) => {
    const caught = `try { ${code} } catch (error: any) { return error.message.slice(0, 200) }`;
    const { value } = await inSession((session) => runIn(session, caught, { handlers: { f: () => 1 } }));
    expect(value).toMatch(message);
  });

  test.each([
    ["timers", "for (let i = 0; i < 1000; i++) clearTimeout(setTimeout(() => {}, 1))", "calls"],
    ["texts for the host", "new TextEncoder().encode('é'.repeat(6e6))", "memoryMb"],
    ["large inputs, one after the other", "for (;;) await f('x'.repeat(99_000)).catch(() => {})", /cpuMs|calls/],
    ["time, where a promise takes the end for a rejection", "return new Proxy([], { get() { for (;;); } })", "cpuMs"],
  ])("%s come to a limit", async (_, code, limit) => {
    const { done } = await inSession((session) => runIn(session, code, { handlers: { f: () => 1 } }));
    expect(done).toMatchObject({ type: "limit", limit: expect.stringMatching(limit) });
  });

  test("assignments to properties are counted like calls", async () => {
    const session = await vm.open({ limits: { calls: 50 }, write: ({ value }) => ({ ok: true, value }) });
    const objects = [{ name: "Box", properties: [{ name: "size", value: 0, writable: true }] }];
    const { done } = await runIn(session, "for (let i = 0; i < 100; i++) Box.size = i", { objects });
    expect(done).toMatchObject({ type: "limit", limit: "calls", message: expect.stringContaining("assignments") });
    session.close();
  });

  test.each([
    "Object.freeze(globalThis)",
    "Object.defineProperty(globalThis, 'exit', { value: 1, configurable: false })",
    "Object.preventExtensions(globalThis)",
  ])("a program after %s is run, and told that the variables are gone", async (code) => {
    await inSession(async (session) => {
      await runIn(session, `let kept = 1; ${code}; 1`);
      const { value, prints } = await runIn(session, "return [typeof kept, await f(), typeof exit]", {
        handlers: { f: () => 2 },
      });
      expect(value).toEqual(["undefined", 2, "function"]);
      expect(prints[0]!.values[0]).toContain("locked");
    });
  });

  test("a program after one that replaced what arrays are iterated with finds its functions and objects", async () => {
    await inSession(async (session) => {
      await runIn(
        session,
        "Array.prototype[Symbol.iterator] = () => { throw new Error('no') }; (globalThis as any).Object = 1;",
      );
      const objects = [{ name: "Box", properties: [{ name: "list", value: [{ a: 1 }], writable: true }] }];
      const code =
        "return [await Box.f(1), Box.list[0].a, (() => { try { Box.list[0].a = 2; return 'changed' } catch { return 'kept' } })()]";
      const { value } = await runIn(session, code, { handlers: { "Box.f": () => 3 }, objects });
      expect(value).toEqual([3, 1, "kept"]);
    });
  });

  test("what is settled after a program's end is not told", async () => {
    await inSession(async (session) => {
      const code =
        "let n = 1; const late = f().then(() => { n = 2; console.log('late') }); void late; await g(); return n;";
      const { calls }: Turn = await session.start({ seed, now, functions: ["f", "g"], code });
      const both: Settlement[] = [calls[1]!, calls[0]!].map(({ id }, at) => ({
        id,
        at: now + at,
        ok: true,
        output: 1,
      }));
      const turn = await session.settle(both);
      expect(turn).toMatchObject({ prints: [], done: { type: "returned", value: 1 } });
      expect((await runIn(session, "return n")).value).toBe(1);
    });
  });
});
