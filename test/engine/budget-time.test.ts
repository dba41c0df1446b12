import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import {
  asks,
  execute,
  faults,
  gate,
  ofType,
  results,
  scriptedModel,
  sleep,
  tool,
  waiting,
  watched,
} from "./support.ts";

const ended = { status: "error", stopReason: "budget", error: { code: "BUDGET_EXCEEDED", data: { limit: "seconds" } } };

describe("seconds", () => {
  test("a model that answers too late is stopped", async () => {
    const model = scriptedModel([{ text: "late", delayMs: 60_000 }]);
    const { events, result } = await watched(execute({ model, prompt: "go", budget: { seconds: 0.05 } }));
    expect(result).toMatchObject(ended);
    expect(ofType(events, "run-end")[0]).toMatchObject({ stopReason: "budget" });
  });

  test("a tool that works too long is told by its signal, and what was done before stays", async () => {
    const stopped = gate();
    const quick = tool("quick", () => "done");
    const slow = tool("slow", (_, { abortSignal }) => {
      abortSignal.addEventListener("abort", stopped.open);
      return stopped.passed;
    });
    const model = scriptedModel([asks("quick", "slow")]);
    const result = await execute({ model, tools: [quick, slow], prompt: "go", budget: { seconds: 0.2 } });
    await stopped.passed;
    expect(result).toMatchObject(ended);
    expect(results(result.messages).call_1_1).toBe("done");
    expect(faults(result.messages)).toEqual([]);
    expect(result.isError() && result.error.data).toMatchObject({ max: 0.2 });
  });

  test("a program that waits is stopped as well", async () => {
    const code = "await new Promise((done) => setTimeout(done, 60_000)); return 1;";
    const model = scriptedModel([({ tools }) => asks([tools![0]!.name, { code }])]);
    const options = { model, tools: [tool("nothing", () => 1)], mode: "code", prompt: "go" };
    expect(await execute({ ...options, budget: { seconds: 2 } })).toMatchObject(ended);
  });

  test("while somebody is asked, no time passes", async () => {
    const risky = tool("risky", () => "done", { approval: true });
    const model = scriptedModel([asks("risky"), "ok"]);
    const approve = () => sleep(900).then(() => true);
    const result = await execute({ model, tools: [risky], prompt: "go", approve, budget: { seconds: 0.6 } });
    expect(result.output).toBe("ok");
  });
});

describe("seconds of a run that goes on", () => {
  const risky = tool("risky", () => "done", { approval: true });
  const slow = tool("slow", () => sleep(300).then(() => "slow"), { idempotent: true });

  test("the days between do not count, the work before does", async () => {
    const options = { tools: [risky, slow], budget: { seconds: 20 } };
    const first = waiting(await execute({ ...options, model: scriptedModel([asks("risky")]), prompt: "go" }));
    const decided = first.snapshot.decide(first.pending[0]!.callId, { approve: true });
    const log = daysLater(decided.entries, "decision");
    const second = await execute({ ...options, model: scriptedModel(["ok"]), log });
    expect(second.output).toBe("ok");

    const worked = stretched(decided.entries, "model-response", 19_900);
    const third = await execute({ ...options, model: scriptedModel([asks("slow"), "ok"]), log: worked });
    expect(third).toMatchObject(ended);
    expect(third.isError() && (third.error.data as any).used).toBeGreaterThan(19.9);
  });

  test("a crash is a break as well, each time that it goes on", async () => {
    const store = memoryStore();
    const session = "s";
    const options = { store, session, tools: [slow], budget: { seconds: 5 } };
    const cut = async (type: Entry["type"]) => {
      const entries = await store.read(session);
      return entries.slice(0, lastOf(entries, type) + 1);
    };
    await execute({ ...options, model: scriptedModel([asks("slow"), "ok"]), prompt: "go" });
    const once = daysLater(await cut("tool-start"), "tool-start");
    const log = { ...options, store: undefined, session: undefined };
    const again = await watched(execute({ ...log, model: scriptedModel(["ok"]), log: once }));
    expect(again.result.output).toBe("ok");
    const [resumed] = ofType(again.events, "run-resume");
    expect(resumed!.key).toBe(again.result.run);

    const twice = [...once, ...(again.events.filter((event) => "seq" in event) as Entry[])].filter(
      ({ type }) => type !== "run-end" && type !== "iteration-end",
    );
    expect((await execute({ ...log, model: scriptedModel(["ok"]), log: twice })).output).toBe("ok");
  });

  test("a run whose time is not counted writes no mark", async () => {
    const options = { tools: [risky], budget: { calls: 5 } };
    const first = waiting(await execute({ ...options, model: scriptedModel([asks("risky")]), prompt: "go" }));
    const log = first.snapshot.decide(first.pending[0]!.callId, { approve: true });
    const { events } = await watched(execute({ ...options, model: scriptedModel(["ok"]), log }));
    expect(ofType(events, "run-resume")).toEqual([]);
  });
});

function lastOf(entries: readonly Entry[], type: Entry["type"]): number {
  return entries.map((entry) => entry.type).lastIndexOf(type);
}

/** The log as if all up to the last entry of this type had been written two days ago. */
function daysLater(entries: readonly Entry[], type: Entry["type"]): Entry[] {
  const last = lastOf(entries, type);
  return entries.map((entry, index) => (index <= last ? { ...entry, at: entry.at - 2 * 86_400_000 } : entry));
}

/** The log as if this entry, and what follows, had been written so much later. */
function stretched(entries: readonly Entry[], type: Entry["type"], ms: number): Entry[] {
  const first = entries.findIndex((entry) => entry.type === type);
  return entries.map((entry, index) => (index < first ? { ...entry, at: entry.at - ms } : entry));
}
