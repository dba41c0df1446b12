/** Worker threads: the caller stays free, what hangs is ended with its thread, and others lose no more than that. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProgramSession, ProgramVm } from "../../src/core/program.ts";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { now, runAlone, runIn, seed } from "../helpers/run-program.ts";
import { root } from "../helpers/source-files.ts";

const start = (session: ProgramSession, code: string, functions: string[] = ["f"]) =>
  session.start({ code, seed, now, functions });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Neither an interrupt nor a limit on memory reaches the engine while it computes this. */
const deaf = "return 'a'.repeat(4e6).includes('a'.repeat(2e6) + 'b')";

describe("a worker", () => {
  const vm = workerVm({ workers: 1 });
  beforeAll(() => runAlone(vm, "return 1"));
  afterAll(() => vm.close());

  test("leaves the caller's thread free", async () => {
    const ticksOf = async (work: () => Promise<unknown>) => {
      let longest = 0;
      let last = performance.now();
      const timer = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      await work();
      clearInterval(timer);
      return longest;
    };
    const control = await ticksOf(() => sleep(300));
    const busy = await ticksOf(() => runAlone(vm, "while (true);", { limits: { cpuMs: 300 } }));
    expect(busy).toBeLessThan(control + 250); // a thread that stood still would be away for the whole limit
  });

  test("an abort stops what computes", async () => {
    const session = await vm.open({});
    const turn = start(session, "try { while (true); } finally { await f() }");
    await sleep(50);
    session.abort();
    expect(await turn).toMatchObject({ calls: [], done: { type: "aborted" } });
    expect((await start(session, "return 1")).done).toMatchObject({ type: "lost" });
    session.close();
    expect((await runAlone(vm, "return 1")).value).toBe(1);
  });

  test("an abort between turns ends the next", async () => {
    const session = await vm.open({});
    await start(session, "await f(); return 1");
    session.abort();
    expect((await session.settle([{ at: now, id: 1, ok: true, output: 1 }])).done).toEqual({ type: "aborted" });
    session.close();
  });

  test("an abort does not wait for another session's turn", async () => {
    const [one, other] = [await vm.open({ limits: { cpuMs: 600 } }), await vm.open({})];
    const order: string[] = [];
    const busy = start(one, "while (true);").then(() => order.push("busy"));
    const waiting = start(other, "return 1").then((turn) => order.push(turn.done!.type));
    await sleep(30);
    other.abort();
    await Promise.all([busy, waiting]);
    expect(order).toEqual(["aborted", "busy"]);
    for (const session of [one, other]) session.close();
    expect((await runAlone(vm, "return 1")).value).toBe(1);
  });

  test("a write may take its time, and an abort ends that too", async () => {
    let tell = () => {};
    const asked = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const session = await vm.open({
      write: () => {
        tell();
        return new Promise(() => {});
      },
    });
    const objects = [{ name: "Store", properties: [{ name: "a", value: 1, writable: true }] }];
    const turn = session.start({ code: "Store.a = 2; await f()", seed, now, functions: ["f"], objects });
    await asked;
    session.abort();
    expect(await turn).toMatchObject({ calls: [], done: { type: "aborted" } });
    session.close();
    expect((await runAlone(vm, "return 1")).value).toBe(1);
  });

  test("two turns of one session at a time are a mistake of the caller", async () => {
    const session = await vm.open({});
    const first = start(session, "return 1");
    await expect(session.settle([])).rejects.toMatchObject({ code: "VM_BUSY" });
    expect((await first).done).toEqual({ type: "returned", value: 1 });
    session.close();
  });

  test("many sessions at once do not meet", async () => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => vm.open({})));
    const values = await Promise.all(
      sessions.map(async (session, index) => {
        await runIn(session, `globalThis.own = ${index}; let mine = ${index};`);
        return (await runIn(session, "return [own, mine, await f(mine)]", { handlers: { f: (x: unknown) => x } }))
          .value;
      }),
    );
    expect(values).toEqual(sessions.map((_, index) => [index, index, index]));
    for (const session of sessions) session.close();
  });
});

describe("a worker that must be ended", () => {
  async function withSessions(vm: ProgramVm, run: (deafOne: ProgramSession, other: ProgramSession) => Promise<void>) {
    await runAlone(vm, "return 1");
    const [one, other] = [await vm.open({ limits: { cpuMs: 100, memoryMb: 512 } }), await vm.open({})];
    await start(other, "await f()");
    await run(one, other);
    expect((await other.settle([{ at: now, id: 1, ok: true, output: 1 }])).done).toMatchObject({ type: "lost" });
    expect((await start(other, "return 1")).done).toMatchObject({ type: "lost" });
    for (const session of [one, other]) session.close();
    expect((await runAlone(vm, "return 1 + 1")).value).toBe(2);
    await vm.close();
  }

  test("after its limit", async () => {
    await withSessions(workerVm({ workers: 1 }), async (session) => {
      expect((await start(session, deaf)).done).toMatchObject({ type: "limit", limit: "cpuMs" });
    });
  });

  test("after an abort that it does not hear", async () => {
    await withSessions(workerVm({ workers: 1 }), async (session) => {
      const turn = start(session, deaf);
      await sleep(50);
      session.abort();
      expect((await turn).done).toEqual({ type: "aborted" });
    });
  });
});

describe("a process", () => {
  const run = (script: string) =>
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8", timeout: 20_000 });
  const door = JSON.stringify(join(root, "dist/vm/program-vm.js"));

  test("waits for a turn, and ends when nothing is left but workers and open sessions", () => {
    const told = run(`
      import { workerVm } from ${door};
      const session = await workerVm().open({});
      const turn = await session.start({ code: "for (let i = 0; i < 1e6; i++); return typeof process", seed: "00", now: 0, functions: [] });
      console.log(JSON.stringify(turn.done));`);
    expect(told.trim()).toBe('{"type":"returned","value":"undefined"}');
  });

  test("loads neither engine nor compiler before a session is opened", () => {
    const told = run(
      `
      import { registerHooks } from "node:module";
      const { inlineVm, workerVm } = await import(${door});
      inlineVm(); const vm = workerVm(); await vm.close();
      console.log(process.getActiveResourcesInfo().filter((name) => name.includes("Worker") || name.includes("Message")).length);`.replace(
        /.*registerHooks.*\n/,
        "\n",
      ),
    );
    expect(told.trim()).toBe("0");
  });
});

test("sessions that are closed leave nothing behind", async () => {
  const vm = inlineVm();
  const openMany = async (count: number) => {
    for (let index = 0; index < count; index++)
      await runAlone(vm, "const a = Array(1000).fill({}); return await f(a.length)", { handlers: { f: () => 1 } });
    return process.memoryUsage().rss;
  };
  await openMany(50);
  const before = await openMany(50);
  const after = await openMany(200);
  expect(after - before).toBeLessThan(30 * 1_024 * 1_024); // 200 engines that stayed would be twenty times as much
});
