/** What a program learns live is what a replay of its log tells it: no more, no less, in the same order. */
import { describe, expect, test } from "vitest";
import type { Entry, Store } from "../../../src/core/log.ts";
import { type ExecuteOptions, Snapshot, SnapshotSignal, ThinkSignal, type Tool } from "../../../src/index.ts";
import { execute, ofType, scriptedModel, sleep, tool, waiting, watched } from "../../engine/support.ts";
import { lastReport, mode, program } from "./support.ts";

const ask = tool("ask", () => {
  throw new SnapshotSignal("someone has to say");
});
const fast = tool("fast", () => "fast");

/** What the last program returns live, and where it is begun again in another process. */
async function bothWays(codes: readonly string[], options: Partial<ExecuteOptions> & { tools: readonly Tool[] }) {
  const live: unknown[] = [];
  const tell = tool("tell", ({ value }) => void live.push(value));
  const tools = [...options.tools, ask, tell];
  const last = `await tell({ value: ${codes.at(-1)} }); await ask({}); return ${codes.at(-1)};`;
  const model = scriptedModel([...codes.slice(0, -1), last].map(program));
  const { snapshot, pending } = waiting(await execute({ model, mode, prompt: "go", ...options, tools }));
  const log = Snapshot.from(JSON.stringify(snapshot)).resolve(pending[0]!.callId, 1);
  const after = scriptedModel(["the end"]);
  const result = await execute({ model: after, mode, log, tools });
  return { live: live[0], result, replayed: after.requests[0] && lastReport(after.requests[0]) };
}

describe("a program", () => {
  test("that has ended does not go on in a replay with what came after its end", async () => {
    const slow = tool("slow", (_, { abortSignal }) => {
      return new Promise((_resolve, reject) => abortSignal.addEventListener("abort", () => reject(new Error("late"))));
    });
    const { live, replayed } = await bothWays(
      ["let n = 1; await Promise.race([slow({}).catch(() => { n = 9 }), fast({})]); n;", "n"],
      { tools: [fast, slow] },
    );
    expect(live).toBe(1);
    expect(replayed).toContain("Returned: 1");
  });

  test("that was told to think again knows in this process what it would know in another", async () => {
    const think = tool("think_of", () => {
      throw new ThinkSignal("look first");
    });
    const { live, replayed } = await bothWays(
      ["let n = 1; const set = async () => { await fast({}); n = 2; }; await Promise.all([set(), think_of({})]);", "n"],
      { tools: [fast, think] },
    );
    expect(replayed).toContain(`Returned: ${live}`);
  });

  test("that was told to think again makes no more calls, whatever fires meanwhile", async () => {
    const think = tool("think_of", () => {
      throw new ThinkSignal("look first");
    });
    const slow = tool("slow", () => sleep(30));
    const code =
      "let n = 1; setTimeout(() => { n = 2; void fast({}); }, 5); await Promise.all([slow({}), think_of({})]);";
    const { live, replayed, result } = await bothWays([code, "n"], { tools: [fast, slow, think] });
    expect(result.status).toBe("success");
    expect(live).toBe(1);
    expect(replayed).toContain("Returned: 1");
  });

  test("learns of timers and calls in the order of the log, however slow the store is", async () => {
    const code = (ms: number) =>
      `const order: string[] = [];
      const timer = new Promise<void>((done) => setTimeout(() => { order.push("timer"); done(); }, ${ms}));
      await Promise.all([fast({}).then(() => order.push("call")), timer]);`;
    for (const ms of [0, 4, 8, 12]) {
      const store = slowStore(12);
      const { live, replayed } = await bothWays([code(ms), "order.join()"], { tools: [fast], store, session: "s" });
      expect([ms, replayed]).toEqual([ms, `Returned: ${live}\n\nKept: order (Array(2)), timer (Promise)`]);
    }
  });

  test("that went on while somebody was asked, and was told to think again then, does so in another process", async () => {
    const think = tool("think_of", () => {
      throw new ThinkSignal("look first");
    });
    const pay = tool("pay", () => "paid", { approval: true });
    const code = "await Promise.all([pay({}), (async () => { await fast({}); await think_of({}); })()]);";
    const tools = [pay, fast, think];
    const model = scriptedModel([program(code), "the end"]);
    const run = execute({ model, mode, prompt: "go", tools, approve: () => sleep(20).then(() => true) });
    const log = (await watched(run)).events.filter((event): event is Entry => "seq" in event);
    const thought = log.findIndex((entry) => entry.type === "tool-end" && entry.signal);
    const again = scriptedModel(["the end"]);
    const result = await execute({ model: again, mode, tools, log: log.slice(0, thought + 1) });
    expect(result).toMatchObject({ status: "success", output: "the end" });
    expect(result.iterations[0]!.status).toEqual({ type: "thinking", reason: "look first" });
  });

  test("that a limit has stopped does not go on where only the process ended before that was told", async () => {
    const { codeModeOf } = await import("../../../src/modes/code/code-mode.ts");
    const { inlineVm } = await import("../../../src/vm/program-vm.ts");
    const short = codeModeOf({ vm: inlineVm(), checker: undefined, limits: { wallMs: 40 } });
    const calls: unknown[] = [];
    const step = tool("step", async ({ n }) => {
      calls.push(n);
      await sleep(10);
    });
    const model = scriptedModel([program("for (let n = 0; n < 100; n++) await step({ n });"), "the end"]);
    const { events } = await watched(execute({ model, mode: short, prompt: "go", tools: [step] }));
    const log = events.filter((event): event is Entry => "seq" in event);
    const end = log.findIndex(({ type }) => type === "program-end");
    for (const length of [end + 1, log.findIndex(({ type }) => type === "iteration-end")]) {
      const before = calls.length;
      const after = scriptedModel(["the end"]);
      const again = await watched(execute({ model: after, mode, log: log.slice(0, length), tools: [step] }));
      expect(again.result.status).toBe("success");
      expect(calls).toHaveLength(before);
      expect(lastReport(after.requests[0]!)).toContain("longer than 40 ms");
      expect(ofType(again.events, "tool-start")).toHaveLength(0);
    }
  });

  test("that has ended waits for nobody's answer", async () => {
    let answer!: (value: boolean) => void;
    const answered = new Promise<boolean>((resolve) => {
      answer = resolve;
    });
    const paid: unknown[] = [];
    const pay = tool("pay", () => void paid.push(1), { approval: true });
    const quick = tool("quick", () => sleep(5));
    const model = scriptedModel([program("await Promise.race([pay({}), quick({})]); return 'over'"), "the end"]);
    const run = execute({ model, mode, prompt: "go", tools: [pay, quick], approve: () => answered });
    const { events, result } = await watched(run);
    answer(true);
    await sleep(5);
    expect(result.status).toBe("success");
    expect(lastReport(model.requests[1]!)).toMatch(/over[\s\S]*pay \(line 1\)/);
    expect(ofType(events, "tool-end").find(({ name }) => name === "pay")?.error?.code).toBe("ABORTED");
    expect(paid).toEqual([]);
  });
});

function slowStore(delayMs: number): Store {
  const entries: Entry[] = [];
  return {
    read: async () => entries.slice(),
    async append(_session: string, added: readonly Entry[]) {
      await sleep(delayMs);
      entries.push(...added);
    },
  } as Store;
}
