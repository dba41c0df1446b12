/** Decisions about what a session waits for: one entry each, spent once, in any process, by whoever may. */
import { describe, expect, test } from "vitest";
import type { AgentOptions } from "../../src/index.ts";
import { Agent, type Decision, type DecisionRequest, SnapshotSignal } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, gate, ofType, results, scriptedModel, sleep, tool, waiting } from "../engine/support.ts";

/** An agent whose model asks for these calls of `pay`, and then ends. */
function payer(inputs: readonly unknown[], more: Partial<AgentOptions> = {}) {
  const store = memoryStore();
  const paid: unknown[] = [];
  const pay = tool(
    "pay",
    (input) => {
      paid.push(input);
      return `paid ${JSON.stringify(input)}`;
    },
    { approval: true },
  );
  const model = scriptedModel([asks(...inputs.map((input): [string, unknown] => ["pay", input])), "Over."]);
  const make = () => new Agent({ name: "payer", model, tools: [pay], store, ...more });
  return { store, paid, model, make, session: make().session({ id: "s" }) };
}

test("a decision runs nothing; resuming goes on, in another process just as well", async () => {
  const { session, paid, make, store } = payer([{ amount: 5 }]);
  const { pending } = waiting(await session.run("pay"));
  expect(await session.pending()).toEqual(pending);
  await session.decide(pending[0]!.callId, { approve: true });
  expect(paid).toEqual([]);
  expect(await session.pending()).toEqual([]);
  const other = make().session({ id: "s" });
  expect((await other.resume()).output).toBe("Over.");
  expect(paid).toEqual([{ amount: 5 }]);
  const decisions = ofType(await store.read("s"), "decision");
  expect(decisions.map(({ key, hash }) => ({ key, hash }))).toEqual([
    { key: pending[0]!.callId, hash: pending[0]!.hash },
  ]);
});

test("it is spent once: a second one is an error, before and after the call", async () => {
  const { session, paid } = payer([{ amount: 5 }]);
  const { pending } = waiting(await session.run("pay"));
  const { callId } = pending[0]!;
  await session.decide(callId, { approve: true });
  await expect(session.decide(callId, { approve: true })).rejects.toMatchObject({ code: "DECISION_UNKNOWN" });
  await session.resume();
  await expect(session.decide(callId, { approve: true })).rejects.toMatchObject({ code: "DECISION_UNKNOWN" });
  await session.resume();
  expect(paid).toHaveLength(1);
});

test("an unknown id lists what waits, and runs and writes nothing", async () => {
  const { session, paid, store } = payer([{ amount: 5 }]);
  const { pending } = waiting(await session.run("pay"));
  const before = await store.read("s");
  await expect(session.decide("run_x/1/1", { approve: true })).rejects.toMatchObject({
    code: "DECISION_UNKNOWN",
    message: expect.stringContaining(pending[0]!.callId),
  });
  expect(await store.read("s")).toEqual(before);
  expect(paid).toEqual([]);
});

test.for<[decision: object]>([[{}], [{ approve: false }], [{ approve: true, deny: "no" }], [{ value: undefined }]])(
  "%j is no decision",
  async ([decision]) => {
    const { session, store } = payer([{ amount: 5 }]);
    const { pending } = waiting(await session.run("pay"));
    const before = await store.read("s");
    const deciding = session.decide(pending[0]!.callId, decision as Decision);
    await expect(deciding).rejects.toMatchObject({ code: "DECISION_INVALID" });
    expect(await store.read("s")).toEqual(before);
  },
);

test.for([[false], [0], [""], [null]])("the value %j counts", async ([value]) => {
  const ask = tool("ask", () => {
    throw new SnapshotSignal("which?");
  });
  const model = scriptedModel([asks("ask"), "Over."]);
  const session = new Agent({ name: "a", model, tools: [ask] }).session();
  const { pending } = waiting(await session.run("x"));
  await session.decide(pending[0]!.callId, { value: value as null });
  expect((await session.resume()).output).toBe("Over.");
  expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: typeof value === "string" ? value : `${value}` });
});

test("a value may be more than JSON", async () => {
  const ask = tool("ask", () => {
    throw new SnapshotSignal("when?");
  });
  const model = scriptedModel([asks("ask"), "Over."]);
  const session = new Agent({ name: "a", model, tools: [ask] }).session();
  const { pending } = waiting(await session.run("x"));
  await session.decide(pending[0]!.callId, { value: { at: new Date(0) } as never });
  await session.resume();
  expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: '{"at":"1970-01-01T00:00:00.000Z"}' });
});

describe("many that wait", () => {
  const inputs = [{ n: 1 }, { n: 2 }, { n: 3 }];

  test.for<[order: number[]]>([[[0, 1, 2]], [[2, 0, 1]], [[1, 2, 0]]])(
    "are decided in the order %j",
    async ([order]) => {
      const { session, paid, model } = payer(inputs);
      const { pending } = waiting(await session.run("pay"));
      const decisions: Decision[] = [{ approve: true }, { deny: "not this one" }, { approve: true, input: { n: 33 } }];
      for (const index of order) await session.decide(pending[index]!.callId, decisions[index]!);
      expect((await session.resume()).output).toBe("Over.");
      expect(paid).toEqual([{ n: 1 }, { n: 33 }]);
      expect(results(model.requests[1]!.prompt).call_1_2).toContain("not this one");
    },
  );

  test("are decided one by one, going on between them", async () => {
    const { session, paid } = payer(inputs);
    let result = await session.run("pay");
    for (const left of [3, 2, 1]) {
      const { pending } = waiting(result);
      expect(pending).toHaveLength(left);
      await session.decide(pending.at(-1)!.callId, { approve: true });
      result = await session.resume();
    }
    expect(result.output).toBe("Over.");
    expect(paid).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }]);
  });
});

test("while a run works on other calls, a decision waits until the run waits, and comes before the next run", async () => {
  const go = gate();
  const reached = gate();
  const slow = tool("slow", async () => {
    reached.open();
    await go.passed;
  });
  const pay = tool("pay", () => "paid", { approval: true });
  const model = scriptedModel([asks("pay", "slow"), "Over."]);
  const paused = gate();
  let callId = "";
  const agent = new Agent({
    name: "a",
    model,
    tools: [pay, slow],
    handleEvent(event) {
      if (event.type !== "tool-pause") return;
      callId = event.key;
      paused.open();
    },
  });
  const session = agent.session();
  const run = session.run("x");
  await Promise.all([reached.passed, paused.passed]);
  let decided = false;
  const next = session.resume();
  const deciding = session.decide(callId, { approve: true }).then(() => {
    decided = true;
  });
  await sleep(20);
  expect(decided).toBe(false);
  go.open();
  expect((await run).status).toBe("interrupted");
  await deciding;
  expect((await next).output).toBe("Over.");
});

describe("an approver", () => {
  test("is asked about the call, the decision and who decides", async () => {
    const asked: [DecisionRequest, unknown][] = [];
    const approver = (request: DecisionRequest, principal: unknown) => {
      asked.push([request, principal]);
      return principal === "ann";
    };
    const { session, paid, store } = payer([{ amount: 5 }], { approver });
    const { pending } = waiting(await session.run("pay"));
    const { callId } = pending[0]!;
    const before = await store.read("s");
    const byBob = session.decide(callId, { approve: true }, { principal: "bob" });
    await expect(byBob).rejects.toMatchObject({ code: "DECISION_FORBIDDEN" });
    await expect(session.decide(callId, { deny: "no" })).rejects.toMatchObject({ code: "DECISION_FORBIDDEN" });
    expect(await store.read("s")).toEqual(before);
    expect(await session.pending()).toEqual(pending);
    await session.decide(callId, { approve: true }, { principal: "ann" });
    expect(asked.map(([, principal]) => principal)).toEqual(["bob", undefined, "ann"]);
    expect(asked[0]![0]).toMatchObject({ callId, name: "pay", input: { amount: 5 }, session: "s" });
    expect(asked[0]![0].decision).toEqual({ approve: true });
    await session.resume();
    expect(paid).toEqual([{ amount: 5 }]);
    expect(ofType(await store.read("s"), "decision").map(({ by }) => by)).toEqual(["ann"]);
  });

  test.for<[how: string, approver: () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("down");
      },
    ],
    ["rejects", () => Promise.reject(new Error("down"))],
    ["says something else", () => "yes"],
    ["says nothing", () => undefined],
  ])("one that %s is a no", async ([, approver]) => {
    const { session, paid, store } = payer([{ amount: 5 }], { approver: approver as () => boolean });
    const { pending } = waiting(await session.run("pay"));
    const before = await store.read("s");
    const deciding = session.decide(pending[0]!.callId, { approve: true }, { principal: "ann" });
    await expect(deciding).rejects.toMatchObject({ code: "DECISION_FORBIDDEN" });
    expect(await store.read("s")).toEqual(before);
    await session.resume();
    expect(paid).toEqual([]);
  });

  test("cannot change what is decided", async () => {
    const approver = (request: DecisionRequest) => {
      Object.assign((request.decision as { input: object }).input, { amount: 5000 });
      return true;
    };
    const { session, paid } = payer([{ amount: 5 }], { approver });
    const { pending } = waiting(await session.run("pay"));
    await session.decide(pending[0]!.callId, { approve: true, input: { amount: 4 } });
    await session.resume();
    expect(paid).toEqual([{ amount: 4 }]);
  });
});
