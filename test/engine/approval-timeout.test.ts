import { describe, expect, test } from "vitest";
import { type Decision, type Entry, Snapshot, SnapshotSignal } from "../../src/index.ts";
import { decide, waitingCalls } from "../../src/project/session-store.ts";
import { memoryStore } from "../../src/stores/index.ts";
import {
  asks,
  execute,
  gate,
  noting,
  ofType,
  results,
  scriptedModel,
  sleep,
  tool,
  waiting,
  watched,
} from "./support.ts";

function paying() {
  const seen: unknown[] = [];
  const pay = tool(
    "pay",
    noting(seen, (input: any) => `paid ${input.amount}`),
    { approval: true },
  );
  return { seen, pay, model: scriptedModel([asks(["pay", { amount: 5 }]), "ok"]) };
}

async function interrupted(approvalTimeoutMs?: number) {
  const { seen, pay, model } = paying();
  const options = { model, tools: [pay], approvalTimeoutMs };
  const { events, result } = await watched(execute({ ...options, prompt: "go" }));
  const { snapshot, pending } = waiting(result);
  return { seen, model, options, snapshot, call: pending[0]!, pause: ofType(events, "tool-pause")[0]! };
}

const denied = /^! This call was denied: nobody answered in time/;
const expired = expect.objectContaining({ code: "DECISION_EXPIRED" });

describe("a call that waits for a person, with a time", () => {
  test("tells in the log and to whoever is asked until when", async () => {
    const { pause, call } = await interrupted(60_000);
    expect(pause.expiresAt! - pause.at).toBeGreaterThan(59_000);
    expect(pause.expiresAt! - pause.at).toBeLessThanOrEqual(60_000);
    expect(call.expiresAt).toBe(pause.expiresAt);
  });

  test("without one it waits for ever", async () => {
    const { pause, call } = await interrupted();
    expect("expiresAt" in pause || "expiresAt" in call).toBe(false);
  });

  test("an answer in time counts, also when the run goes on later than that", async () => {
    const { seen, options, snapshot, call } = await interrupted(60_000);
    const decided = snapshot.decide(call.callId, { approve: true });
    const log = earlier(decided.entries, 120_000);
    expect((await execute({ ...options, log })).output).toBe("ok");
    expect(seen).toEqual([{ amount: 5 }]);
  });

  test.each<[string, (snapshot: Snapshot, callId: string) => unknown]>([
    ["approve", (snapshot, callId) => snapshot.decide(callId, { approve: true })],
    ["deny", (snapshot, callId) => snapshot.decide(callId, { deny: "no" })],
    ["resolve", (snapshot, callId) => snapshot.resolve(callId, 1)],
    ["reject", (snapshot, callId) => snapshot.reject(callId, "no")],
  ])("an answer after that is an error: %s", async (_, answer) => {
    const { snapshot, call } = await interrupted(60_000);
    const late = new Snapshot(snapshot.run, earlier(snapshot.entries, 60_000));
    expect(() => answer(Snapshot.from(JSON.stringify(late)), call.callId)).toThrow(expired);
    expect(late.pending).toHaveLength(1);
  });

  test("in a store too, and nothing is written", async () => {
    const { pay, model } = paying();
    const store = memoryStore();
    await execute({ model, tools: [pay], prompt: "go", store, session: "s", approvalTimeoutMs: 1 });
    const [call] = await waitingCalls(store, "s");
    await sleep(5);
    const before = await store.read("s");
    await expect(decide(store, "s", { callId: call!.callId, decision: { approve: true }, epoch: 0 })).rejects.toEqual(
      expired,
    );
    expect(await store.read("s")).toEqual(before);
  });

  test("a run that goes on after that reads that it was denied, and the log says so", async () => {
    const { seen, model, options, snapshot, call } = await interrupted(60_000);
    const log = earlier(snapshot.entries, 60_000);
    const { events, result } = await watched(execute({ ...options, log }));
    expect(result.output).toBe("ok");
    expect(seen).toEqual([]);
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(denied);
    expect(ofType(events, "decision")).toMatchObject([
      { key: call.callId, decision: { deny: "nobody answered in time" }, hash: call.hash },
    ]);
    const entries = [...log, ...(events.filter((event) => "seq" in event) as Entry[])];
    expect((await execute({ ...options, model: scriptedModel([]), log: entries })).output).toBe("ok"); // a replay
  });

  test("a run that goes on before that waits on, until the same moment", async () => {
    const { options, snapshot, call } = await interrupted(60_000);
    const again = waiting(await execute({ ...options, log: snapshot, approvalTimeoutMs: 120_000 }));
    expect(again.pending[0]!.expiresAt).toBe(call.expiresAt);
    expect(again.snapshot.entries).toHaveLength(snapshot.entries.length);
  });

  test.each<[string, Decision]>([
    ["approve", { approve: true }],
    ["value", { value: "paid by hand" }],
  ])("what was written past every check is no yes: %s", async (_, decision) => {
    const { seen, options, snapshot, call } = await interrupted(60_000);
    const log = earlier(snapshot.entries, 60_000);
    const { seq } = log.at(-1)!;
    log.push({ v: 2, seq: seq + 1, at: Date.now(), key: call.callId, type: "decision", decision, hash: call.hash });
    const result = await execute({ ...options, log });
    expect(seen).toEqual([]);
    expect(results(result.messages).call_1_1).toMatch(denied);
  });

  test("a policy that allows it now does not make a yes of silence", async () => {
    const { seen, options, snapshot } = await interrupted(60_000);
    const log = earlier(snapshot.entries, 60_000);
    const result = await execute({ ...options, log, policy: [{ tool: "pay", then: "allow" }] });
    expect(seen).toEqual([]);
    expect(results(result.messages).call_1_1).toMatch(denied);
  });

  test("a handler that waits by itself has no such time", async () => {
    const ask = tool("ask", () => {
      throw new SnapshotSignal("a customer is asked");
    });
    const model = scriptedModel([asks("ask"), "ok"]);
    const first = waiting(await execute({ model, tools: [ask], prompt: "go", approvalTimeoutMs: 1 }));
    await sleep(5);
    expect(first.pending[0]).not.toHaveProperty("expiresAt");
    const log = first.snapshot.resolve(first.pending[0]!.callId, "yes");
    expect((await execute({ model, tools: [ask], log })).output).toBe("ok");
  });

  test("in a program the call fails, and the program goes on", async () => {
    const { seen, pay } = paying();
    const code = `try { return await pay({ amount: 5 }); } catch (error) { return (error as Error).message; }`;
    const model = scriptedModel([({ tools }) => asks([tools![0]!.name, { code }]), "ok"]);
    const options = { model, tools: [pay], mode: "code", approvalTimeoutMs: 60_000 };
    const first = waiting(await execute({ ...options, prompt: "go" }));
    const { events, result } = await watched(execute({ ...options, log: earlier(first.snapshot.entries, 60_000) }));
    expect(result.output).toBe("ok");
    expect(seen).toEqual([]);
    expect(ofType(events, "tool-end")[0]!.error).toMatchObject({ code: "CALL_DENIED" });
    expect(JSON.stringify(model.requests[1]!.prompt)).toContain("nobody answered in time");
  });
});

describe("with approve", () => {
  test("an answer that does not come in time is a no", async () => {
    const { seen, pay, model } = paying();
    const late = gate();
    const approve = () => late.passed.then(() => true);
    const run = execute({ model, tools: [pay], prompt: "go", approve, approvalTimeoutMs: 20 });
    const { events, result } = await watched(run);
    expect(result.output).toBe("ok");
    expect(results(result.messages).call_1_1).toMatch(denied);
    expect(ofType(events, "decision")).toHaveLength(1);
    late.open();
    await sleep(5);
    expect(seen).toEqual([]); // the late yes is nobody's
  });

  test("an answer in time counts", async () => {
    const { seen, pay, model } = paying();
    const approve = async () => true;
    await execute({ model, tools: [pay], prompt: "go", approve, approvalTimeoutMs: 30_000 });
    expect(seen).toEqual([{ amount: 5 }]);
  });

  test("an answer that came while the process was busy past the time is too late", async () => {
    const { seen, pay, model } = paying();
    const approve = async () => {
      const end = Date.now() + 40;
      while (Date.now() < end); // nothing else runs, no timer either
      return true;
    };
    const result = await execute({ model, tools: [pay], prompt: "go", approve, approvalTimeoutMs: 20 });
    expect(seen).toEqual([]);
    expect(results(result.messages).call_1_1).toMatch(denied);
  });
});

test.each([[0], [-1], ["soon"], [Number.POSITIVE_INFINITY], [Number.NaN]])(
  "approvalTimeoutMs %s is refused",
  async (approvalTimeoutMs) => {
    const run = execute({ model: scriptedModel([]), prompt: "go", approvalTimeoutMs: approvalTimeoutMs as any });
    await expect(run).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
  },
);

describe("who decided", () => {
  test("is in the log, and a run that goes on does as was decided", async () => {
    const { seen, options, snapshot, call } = await interrupted();
    const log = snapshot.decide(call.callId, { approve: true }, { by: "ada" });
    expect(ofType(log.entries, "decision")[0]!.by).toBe("ada");
    await execute({ ...options, log });
    expect(seen).toEqual([{ amount: 5 }]);
  });

  test("in a store as well", async () => {
    const { seen, pay, model } = paying();
    const store = memoryStore();
    const options = { model, tools: [pay], store, session: "s" };
    const { pending } = waiting(await execute({ ...options, prompt: "go" }));
    await decide(store, "s", { callId: pending[0]!.callId, decision: { approve: true }, epoch: 0, by: "ada" });
    await execute(options);
    expect(ofType(await store.read("s"), "decision")).toMatchObject([{ by: "ada", decision: { approve: true } }]);
    expect(seen).toHaveLength(1);
  });

  test("is left out where nobody said it", async () => {
    const { snapshot, call } = await interrupted();
    expect("by" in snapshot.decide(call.callId, { deny: "no" }).entries.at(-1)!).toBe(false);
  });

  test.each([[""], [5], [null], [{}]])("%j is no name", async (by) => {
    const { snapshot, call } = await interrupted();
    const decided = () => snapshot.decide(call.callId, { approve: true }, { by: by as any });
    expect(decided).toThrow(expect.objectContaining({ code: "DECISION_INVALID" }));
  });
});

/** The log as if everything in it had happened so much earlier. */
function earlier(entries: readonly Entry[], ms: number): Entry[] {
  return entries.map((entry) => ({
    ...entry,
    at: entry.at - ms,
    ...(entry.type === "tool-pause" && { expiresAt: entry.expiresAt! - ms }),
  })) as Entry[];
}
