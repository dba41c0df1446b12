/** Where other VMs for programs of models failed when they were probed, and what is in a guest's global object. */
import { afterAll, describe, expect, test } from "vitest";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { now, pending, runAlone, seed } from "../helpers/run-program.ts";

describe.each([
  ["inline", inlineVm()],
  ["worker", workerVm({ workers: 1 })],
] as const)("%s", (_name, vm) => {
  afterAll(() => vm.close());
  const run = (code: string, options = {}) => runAlone(vm, code, options);
  const echo = { f: (input: unknown) => input };

  test("thousands of calls, one after the other and all at once", async () => {
    expect(
      (await run("let s = 0; for (let i = 0; i < 2000; i++) s += await f(i);\nreturn s", { handlers: echo })).value,
    ).toBe(1_999_000);
    const all = "return (await Promise.all(Array.from({ length: 9000 }, (_, i) => f(i)))).length";
    expect((await run(all, { handlers: echo })).value).toBe(9_000);
  });

  test.each([
    [
      "a try",
      "let ok: any = false;\ntry { await approve(); ok = true } catch { ok = 'swallowed' } finally { void charge() }\nawait charge()",
    ],
    ["allSettled", "await Promise.allSettled([approve(), f(1)]);\nawait charge()"],
    ["a then", "await approve().then(() => charge(), () => charge())"],
  ])("a call that never settles cannot be swallowed by %s", async (_what, code) => {
    const { done, calls } = await run(code, { handlers: { ...echo, approve: () => pending, charge: () => 1 } });
    expect(done).toBeUndefined();
    expect(calls.map(({ name }) => name)).not.toContain("charge");
  });

  test("a branch goes on while another waits", async () => {
    const session = await vm.open({});
    const code =
      "const branch = async (a: string[]) => { for (const x of a) await f(x) };\nawait Promise.all([branch(['a', 'b']), branch(['c', 'd'])]); return 1";
    await session.start({ code, seed, now, functions: ["f"] });
    const turn = await session.settle([{ at: now, id: 2, ok: true, output: 1 }]);
    expect(turn.calls).toMatchObject([{ id: 3, input: "d" }]);
    const both = await session.settle([3, 1].map((id) => ({ at: now, id, ok: true as const, output: 1 })));
    expect(both.calls).toMatchObject([{ id: 4, input: "b" }]);
    session.close();
  });

  test("code that instrumenting compilers break", async () => {
    expect(
      (
        await run(
          "await new Promise(r => setTimeout(r, 10)); const f = (n: number): number => n > 5 ? n : 1 + f(n + 1); return f(0)",
        )
      ).value,
    ).toBe(12);
  });

  test("URL and URLSearchParams", async () => {
    const { value } = await run(`
      const u = new URL("/a b?q=1#h", "https://user:pw@ex.org:8443");
      u.searchParams.append("r", "ä&"); u.searchParams.set("q", "2"); u.hash = ""; u.pathname = "/p";
      const p = new URLSearchParams({ b: "2", a: "1" }); p.sort(); p.delete("b");
      let bad; try { new URL("nope") } catch (e) { bad = [e.name, e.code] }
      u.search = "?z=9";
      return [u.href, String(u.searchParams), u.origin, [...p], p.size, URL.canParse("x:y"), bad, JSON.stringify({ u }), u]`);
    const href = "https://user:pw@ex.org:8443/p?z=9";
    expect(value).toEqual([
      href,
      "z=9",
      "https://ex.org:8443",
      [["a", "1"]],
      1,
      true,
      ["TypeError", "ERR_INVALID_URL"],
      `{"u":"${href}"}`,
      new URL(href),
    ]);
  });

  test("text, base64, clones and random bytes", async () => {
    const { value } = await run(`
      const bytes = new TextEncoder().encode("ä€😀\\ud800");
      const d = new TextDecoder(); const parts = [d.decode(bytes.slice(0, 3), { stream: true }), d.decode(bytes.slice(3, 6), { stream: true }), d.decode(bytes.slice(6))];
      let fatal; try { new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])) } catch (e) { fatal = e.name }
      const o: any = { d: new Date(1), m: new Map([[1, new Set([2])]]), e: new RangeError("x") }; o.self = o;
      const c = structuredClone(o); let uncloned; try { structuredClone({ f() {} }) } catch (e) { uncloned = e.name }
      return [bytes.length, parts.join(""), fatal, atob(btoa("hi")), c !== o && c.self === c, c.m.get(1).has(2), c.e instanceof RangeError, uncloned,
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()), crypto.getRandomValues(new Uint32Array(4)).some((n) => n > 0)]`);
    expect(value).toEqual([12, "ä€😀\ufffd", "TypeError", "hi", true, true, true, "DataCloneError", true, true]);
  });
});
