import { describe, expect, test } from "vitest";
import { type ExecuteResult, Snapshot, SnapshotSignal, ThinkSignal } from "../../src/index.ts";
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

const ask = tool("ask", (input) => {
  throw new SnapshotSignal("needs an answer", { question: input.question });
});

/** Through JSON, as another process would read it. */
function elsewhere(snapshot: Snapshot | undefined): Snapshot {
  return Snapshot.from(JSON.stringify(snapshot));
}

describe("a SnapshotSignal", () => {
  test("interrupts the run, which tells who waits for what", async () => {
    const model = scriptedModel([asks(["ask", { question: "Which?" }])]);
    const { events, result } = await watched(execute({ model, tools: [ask], prompt: "go" }));
    expect(result).toMatchObject({ status: "interrupted", stopReason: "interrupted", output: undefined });
    expect(waiting(result).pending).toEqual([
      {
        callId: `${result.run}/1/1`,
        name: "ask",
        input: { question: "Which?" },
        hash: expect.any(String),
        reason: "snapshot",
        message: "needs an answer",
        meta: { question: "Which?" },
      },
    ]);
    expect(ofType(events, "run-end")).toEqual([]);
    expect(JSON.parse(JSON.stringify(waiting(result).snapshot))).toEqual({
      v: 2,
      run: result.run,
      entries: ofType(events, "tool-pause")[0] && expect.any(Array),
    });
  });

  test.each([[{ yes: true }], ["text"], [false], [0], [""], [null], [[1, 2]], [new Date(0)]])(
    "is resolved with a value, which is the call's output: %j",
    async (value) => {
      const model = scriptedModel([asks("ask"), "thanks"]);
      const result = waiting(await execute({ model, tools: [ask], prompt: "go" }));
      const snapshot = elsewhere(result.snapshot).resolve(result.pending[0]!.callId, value);
      expect(snapshot.pending).toEqual([]);
      const { events, result: end } = await watched(execute({ model, tools: [ask], log: elsewhere(snapshot) }));
      expect(end).toMatchObject({ status: "success", output: "thanks", run: result.run });
      expect(model.requests).toHaveLength(2);
      expect(ofType(events, "tool-start")).toEqual([]);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: text });
    },
  );

  test("is rejected with a reason, which the model reads as the call's error", async () => {
    const model = scriptedModel([asks("ask"), "a pity"]);
    const { snapshot, pending } = waiting(await execute({ model, tools: [ask], prompt: "go" }));
    await execute({ model, tools: [ask], log: elsewhere(snapshot).reject(pending[0]!.callId, "nobody knows") });
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "! nobody knows" });
  });

  test("approved, the handler runs again, with what was approved", async () => {
    const seen: unknown[] = [];
    const twice = tool("twice", (input, { attempt }) => {
      seen.push([input.n, attempt]);
      if (attempt === 1) throw new SnapshotSignal("sure?");
      return "done";
    });
    const model = scriptedModel([asks(["twice", { n: 1 }]), "ok"]);
    const { snapshot, pending } = waiting(await execute({ model, tools: [twice], prompt: "go" }));
    const decided = snapshot.decide(pending[0]!.callId, { approve: true, input: { n: 2 } });
    const end = await execute({ model, tools: [twice], log: elsewhere(decided) });
    expect(end.status).toBe("success");
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  test("without a decision the run stops again at the same place, and asks nobody", async () => {
    const model = scriptedModel([asks("ask")]);
    const first = waiting(await execute({ model, tools: [ask], prompt: "go" }));
    const again = waiting(await execute({ model, tools: [ask], log: elsewhere(first.snapshot) }));
    expect(again.pending).toEqual(first.pending);
    expect(again.snapshot.entries).toEqual(first.snapshot.entries);
    expect(model.played).toBe(1);
  });

  test("calls in flight finish and are recorded; calls that did not start run after the decision", async () => {
    const flight = gate();
    const counts = { slow: 0, late: 0 };
    const slow = tool("slow", async () => {
      counts.slow++;
      await flight.passed;
      return "slow";
    });
    const late = tool("late", () => `late ${++counts.late}`);
    const asked = tool("asked", async () => {
      setTimeout(flight.open, 20);
      throw new SnapshotSignal("wait");
    });
    const model = scriptedModel([asks(...Array(7).fill("slow"), "asked", "late", "late"), "ok"]);
    const tools = [slow, late, asked];
    const first = waiting(await execute({ model, tools, prompt: "go" }));
    expect(counts).toEqual({ slow: 7, late: 0 });
    expect(ofType(first.snapshot.entries, "tool-end")).toHaveLength(7);
    const log = elsewhere(first.snapshot).resolve(first.pending[0]!.callId, "answer");
    expect((await execute({ model, tools, log })).status).toBe("success");
    expect(counts).toEqual({ slow: 7, late: 2 });
    const read = Object.values(results(model.requests[1]!.prompt));
    expect(read).toEqual([...Array(7).fill("slow"), "answer", "late 1", "late 2"]);
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });

  test("several wait at once, and are decided one after the other, in any order", async () => {
    const orders = [
      [0, 1, 2],
      [2, 0, 1],
      [1, 2, 0],
    ];
    for (const order of orders) {
      const model = scriptedModel([
        asks(["ask", { question: 0 }], ["ask", { question: 1 }], ["ask", { question: 2 }]),
        "ok",
      ]);
      let result: ExecuteResult = await execute({ model, tools: [ask], prompt: "go" });
      const ids = waiting(result).pending.map(({ callId }) => callId);
      for (const [step, number] of order.entries()) {
        const { pending, snapshot } = waiting(result);
        expect(pending).toHaveLength(3 - step);
        result = await execute({ model, tools: [ask], log: elsewhere(snapshot).resolve(ids[number]!, number) });
      }
      expect(result.status).toBe("success");
      expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "0", call_1_2: "1", call_1_3: "2" });
    }
  });

  test("a second pause after the first", async () => {
    const model = scriptedModel([asks("ask"), asks("ask"), "ok"]);
    let result: ExecuteResult = await execute({ model, tools: [ask], prompt: "go" });
    for (const iteration of [1, 2]) {
      const { run, pending, snapshot } = waiting(result);
      const id = `${run}/${iteration}/1`;
      expect(pending.map(({ callId }) => callId)).toEqual([id]);
      result = await execute({ model, tools: [ask], log: elsewhere(snapshot).resolve(id, iteration) });
    }
    expect(result.status).toBe("success");
  });

  test("with a think in the same answer: the pause comes first, the think after the decision", async () => {
    const thinks = tool("thinks", () => {
      throw new ThinkSignal("look", "seen");
    });
    const model = scriptedModel([asks("thinks", "ask"), "ok"]);
    const tools = [ask, thinks];
    const first = waiting(await execute({ model, tools, prompt: "go" }));
    const { events, result } = await watched(
      execute({ model, tools, log: elsewhere(first.snapshot).resolve(first.pending[0]!.callId, "answer") }),
    );
    expect(result.status).toBe("success");
    expect(ofType(events, "iteration-end")[0]!.status.type).toBe("thinking");
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "seen", call_1_2: "answer" });
  });

  test("with an abort at once: the run was aborted", async () => {
    const model = scriptedModel([asks("slow", "ask")]);
    const slow = tool(
      "slow",
      (_, { abortSignal }) => new Promise((resolve) => abortSignal.addEventListener("abort", resolve)),
    );
    const run = execute({ model, tools: [ask, slow], prompt: "go" });
    await sleep(50);
    run.abort();
    expect(await run).toMatchObject({ status: "error", stopReason: "aborted" });
  });

  test("meta that cannot be written is left out, and the call still waits", async () => {
    const odd = tool("odd", () => {
      throw new SnapshotSignal("wait", { callback: () => 1 });
    });
    const result = await execute({ model: scriptedModel([asks("odd")]), tools: [odd], prompt: "go" });
    expect(waiting(result).pending).toMatchObject([{ reason: "snapshot", message: "wait" }]);
  });

  test("returned instead of thrown, it is an error that says so", async () => {
    const wrong = tool("wrong", () => new SnapshotSignal("wait") as any);
    const model = scriptedModel([asks("wrong"), "ok"]);
    await execute({ model, tools: [wrong], prompt: "go" });
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! .*returned a SnapshotSignal/);
  });

  test("the session's store goes on by itself, and takes the decision from the snapshot", async () => {
    const store = memoryStore();
    const model = scriptedModel([asks("ask"), "ok"]);
    const options = { model, tools: [ask], store, session: "s" };
    const first = waiting(await execute({ ...options, prompt: "go" }));
    const again = waiting(await execute(options));
    expect(again.pending).toEqual(first.pending);
    const end = await execute({ ...options, log: elsewhere(again.snapshot).resolve(again.pending[0]!.callId, 1) });
    expect(end.status).toBe("success");
    const kept = await store.read("s");
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index));
    expect(kept.map(({ type }) => type).slice(-7)).toEqual([
      "decision",
      "tool-end",
      "iteration-end",
      "model-start",
      "model-response",
      "iteration-end",
      "run-end",
    ]);
  });
});
