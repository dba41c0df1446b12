import { describe, expect, test } from "vitest";
import { isIn, runOf, withoutNested } from "../../src/core/log-keys.ts";
import { readHistory } from "../../src/engine/history.ts";
import { pastRun } from "../../src/engine/past-log.ts";
import type { ExecuteOptions, ExecuteResult, Snapshot } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, ofType, results, scriptedModel, tool, waiting, watched } from "./support.ts";

const task = (role: string, text = `be ${role}`) => ["subagent", { role, task: text }] as [string, unknown];

/** Without the run's name. */
const place = (key: string) => key.replace(/^run_\w+/, "run");

function pay(done: unknown[] = []) {
  return tool(
    "pay",
    (input) => {
      done.push(input.n);
      return `paid ${input.n}`;
    },
    { approval: true },
  );
}

describe("a run inside a call", () => {
  const options = () => ({
    model: scriptedModel([asks(task("helper")), "all done"]),
    prompt: "go",
    subagents: {
      helper: { model: scriptedModel([asks("look"), "looked"]), tools: [tool("look", () => "a tree")] },
    },
  });

  test("is written into the log of the run around, under the call's key, with one numbering", async () => {
    const { events, result } = await watched(execute(options()));
    expect(result).toMatchObject({ status: "success", output: "all done" });
    expect(results(result.messages)).toEqual({ call_1_1: "looked" });
    const entries = events.filter((event) => "seq" in event);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
    expect(entries.map(({ key, type }) => `${place(key)} ${type}`)).toEqual([
      "run run-start",
      "run message",
      "run/1 model-start",
      "run/1 model-response",
      "run/1/1 tool-call",
      "run/1/1 tool-start",
      "run/1/1 run-start",
      "run/1/1 message",
      "run/1/1/1 model-start",
      "run/1/1/1 model-response",
      "run/1/1/1/1 tool-call",
      "run/1/1/1/1 tool-start",
      "run/1/1/1/1 tool-end",
      "run/1/1/1 iteration-end",
      "run/1/1/2 model-start",
      "run/1/1/2 model-response",
      "run/1/1/2 iteration-end",
      "run/1/1 run-end",
      "run/1/1 tool-end",
      "run/1 iteration-end",
      "run/2 model-start",
      "run/2 model-response",
      "run/2 iteration-end",
      "run run-end",
    ]);
    expect([...new Set(entries.map((entry) => place(runOf(entry))))]).toEqual(["run", "run/1/1"]);
    expect(withoutNested(entries)).toHaveLength(12);
  });

  test("shows its deltas and progress to those who watch the run around, under its own keys", async () => {
    const given = options();
    given.subagents.helper.tools = [
      tool("look", (_, ctx) => {
        ctx.progress("looking");
        return "a tree";
      }),
    ];
    const { events } = await watched(execute(given));
    const live = events.filter((event) => !("seq" in event) && event.type !== "tool-input-delta");
    expect(live.map(({ key, type }) => `${place(key)} ${type}`)).toEqual([
      "run/1/1/1/1 tool-output",
      "run/1/1/2 text-delta",
      "run/2 text-delta",
    ]);
  });

  test("is not streamed while nobody watches, and tells its own hooks of itself alone", async () => {
    const given = options();
    const seen: string[] = [];
    Object.assign(given.subagents.helper, {
      hooks: { onTrace: ({ trace }: any) => seen.push(`${place(trace.key)} ${trace.type}`) },
    });
    await execute(given);
    expect(seen[0]).toBe("run/1/1 run-start");
    expect(seen.at(-1)).toBe("run/1/1 run-end");
    expect(seen).not.toContain("run/1/1/2 text-delta");
    expect(seen.every((one) => one.startsWith("run/1/1"))).toBe(true);
  });

  test("a replay makes no call at all, and what the model read is the same", async () => {
    const store = memoryStore();
    const first = await execute({ ...options(), store, session: "s" });
    const length = (await store.read("s")).length;
    const again = await execute({
      ...options(),
      model: scriptedModel([]),
      subagents: { helper: { model: scriptedModel([]) } },
      prompt: undefined,
      store,
      session: "s",
    } as ExecuteOptions);
    expect(again).toMatchObject({ status: "success", output: "all done" });
    expect(again.messages).toEqual(first.messages);
    expect(await store.read("s")).toHaveLength(length);
  });

  test("the next run of the session reads the conversation, and nothing of what was inside its calls", async () => {
    const store = memoryStore();
    await execute({ ...options(), store, session: "s" });
    const model = scriptedModel(["again"]);
    await execute({ ...options(), model, store, session: "s", prompt: "and now?" });
    const said = JSON.stringify(model.requests[0]!.prompt);
    expect(said).toContain("looked");
    expect(said).not.toContain("a tree");
    expect(model.requests[0]!.prompt.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});

test("whoever reads a whole log reads the session's own runs, whatever was inside them last", async () => {
  const store = memoryStore();
  const subagents = { a: { model: scriptedModel(["said inside"]) } };
  await execute({ model: scriptedModel([asks(task("a")), "end"]), prompt: "go", subagents, store, session: "s" });
  const entries = await store.read("s");
  const inner = ofType(entries, "run-end")[0]!;
  const cut = entries.slice(0, inner.seq + 1);
  const { run, isFinished } = pastRun(cut, {});
  expect([place(run!), isFinished]).toEqual(["run", false]);
  expect(readHistory(cut).messages).toMatchObject([{ role: "user" }]);
  expect(readHistory(entries).messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
});

describe("a run inside a call that waits", () => {
  /** Three helpers beside each other, each of which wants to pay. */
  const three = (done: unknown[]) => ({
    model: scriptedModel([asks(task("a"), task("b"), task("c")), "all done"]),
    prompt: "go",
    subagents: Object.fromEntries(
      [1, 2, 3].map((n) => {
        const model = scriptedModel([asks(["pay", { n }]), ({ prompt }) => results(prompt).call_1_1!]);
        return ["abc"[n - 1]!, { model, tools: [pay(done)] }];
      }),
    ),
  });

  test("the run around waits for its calls, and for none of its own", async () => {
    const result = waiting(await execute(three([])));
    expect(result.pending.map(({ callId, name, reason, input }) => [place(callId), name, reason, input])).toEqual([
      ["run/1/1/1/1", "pay", "approval", { n: 1 }],
      ["run/1/2/1/1", "pay", "approval", { n: 2 }],
      ["run/1/3/1/1", "pay", "approval", { n: 3 }],
    ]);
    const nested = ofType(result.snapshot.entries, "tool-pause").filter(({ reason }) => reason === "nested");
    expect(nested.map(({ key }) => place(key)).sort()).toEqual(["run/1/1", "run/1/2", "run/1/3"]);
    expect(() => result.snapshot.decide(nested[0]!.key, { approve: true })).toThrow("No call");
  });

  test.each([[[0, 1, 2]], [[2, 0, 1]], [[1, 2, 0]]])("decided one after the other, in the order %j", async (order) => {
    const done: unknown[] = [];
    const options = three(done);
    let result: ExecuteResult = await execute(options);
    const all = waiting(result).pending.map(({ callId }) => callId);
    for (const [index, number] of order.entries()) {
      const snapshot = waiting(result).snapshot.decide(all[number]!, { approve: true });
      result = await execute({ ...options, log: JSON.parse(JSON.stringify(snapshot)) });
      expect(done).toEqual(order.slice(0, index + 1).map((one) => one + 1));
    }
    expect(result).toMatchObject({ status: "success", output: "all done" });
    expect(results(result.messages)).toEqual({ call_1_1: "paid 1", call_1_2: "paid 2", call_1_3: "paid 3" });
    for (const role of ["a", "b", "c"]) expect(options.subagents[role]!.model.requests).toHaveLength(2);
    expect(options.model.requests).toHaveLength(2);
  });

  test("a part of them is decided, all at once, denied and answered", async () => {
    const done: unknown[] = [];
    const options = three(done);
    const { pending, snapshot } = waiting(await execute(options));
    const decided = snapshot.decide(pending[0]!.callId, { deny: "too much" }).resolve(pending[2]!.callId, 0);
    const second = waiting(await execute({ ...options, log: decided }));
    expect(second.pending.map(({ input }) => input)).toEqual([{ n: 2 }]);
    const third = second.snapshot.reject(second.pending[0]!.callId, "lost");
    const result = await execute({ ...options, log: third });
    const read = results(result.messages);
    expect(read.call_1_1).toMatch(/too much/);
    expect(read.call_1_2).toMatch(/lost/);
    expect(read.call_1_3).toBe("0");
    expect(done).toEqual([]);
  });

  test("may be forked and answered two ways; the fork has keys of its own", async () => {
    const done: unknown[] = [];
    const options = { ...three(done), subagents: { a: three(done).subagents.a! } };
    options.model = scriptedModel([asks(task("a")), "yes", "no"]);
    options.subagents.a.model = scriptedModel([
      asks(["pay", { n: 1 }]),
      ({ prompt }) => results(prompt).call_1_1!,
      ({ prompt }) => results(prompt).call_1_1!,
    ]);
    const { pending, snapshot } = waiting(await execute(options));
    const fork = snapshot.fork();
    const [forked] = fork.pending;
    expect(place(forked!.callId)).toBe(place(pending[0]!.callId));
    expect(forked!.callId).not.toBe(pending[0]!.callId);
    expect(fork.entries.every(({ key }) => isIn(fork.run, key))).toBe(true);
    expect(ofType(fork.entries, "run-start").map(({ from }) => from?.run)).toEqual([snapshot.run, undefined]);
    const yes = await execute({ ...options, log: snapshot.decide(pending[0]!.callId, { approve: true }) });
    const no = await execute({ ...options, log: fork.decide(forked!.callId, { deny: "no" }) });
    expect([yes.output, no.output]).toEqual(["yes", "no"]);
    expect(results(yes.messages).call_1_1).toBe("paid 1");
    expect(results(no.messages).call_1_1).toMatch(/denied: no/);
    expect(done).toEqual([1]);
  });

  test("going on without a decision waits again, and does nothing", async () => {
    const done: unknown[] = [];
    const options = three(done);
    const first = waiting(await execute(options));
    const second = waiting(await execute({ ...options, log: first.snapshot }));
    expect(second.pending).toEqual(first.pending);
    expect(done).toEqual([]);
    expect(options.model.requests).toHaveLength(1);
  });

  test("three levels deep: what waits is named by its whole path, and everything around it goes on", async () => {
    const done: unknown[] = [];
    const models = ["lead", "clerk", "cashier"].map((next, index) =>
      scriptedModel(
        index === 2
          ? [asks(["pay", { n: 7 }]), "paid it"]
          : [asks(task(["clerk", "cashier"][index]!)), `${next} is done`],
      ),
    );
    const options = {
      model: scriptedModel([asks(task("lead")), "all done"]),
      prompt: "go",
      subagents: {
        lead: {
          model: models[0]!,
          subagents: {
            clerk: { model: models[1]!, subagents: { cashier: { model: models[2]!, tools: [pay(done)] } } },
          },
        },
      },
    };
    const { pending, snapshot } = waiting(await execute(options));
    expect(pending.map(({ callId }) => place(callId))).toEqual(["run/1/1/1/1/1/1/1/1"]);
    const log = snapshot.decide(pending[0]!.callId, { approve: true });
    const result = await execute({ ...options, log });
    expect(result.output).toBe("all done");
    expect(results(result.messages).call_1_1).toBe("lead is done");
    expect(done).toEqual([7]);
    expect(models.map(({ requests }) => requests.length)).toEqual([2, 2, 2]);
  });

  test("cut anywhere while it waits: it waits for the same call, and ends when that is decided", async () => {
    const done: unknown[] = [];
    const world = () => ({
      model: scriptedModel([asks(task("lead")), "all done"]),
      prompt: "go",
      subagents: {
        lead: {
          model: scriptedModel([asks(task("clerk")), "lead is done"]),
          subagents: { clerk: { model: scriptedModel([asks(["pay", { n: 7 }]), "paid it"]), tools: [pay(done)] } },
        },
      },
    });
    const { snapshot } = waiting(await execute(world()));
    const { entries, pending } = snapshot;
    for (let length = 1; length <= entries.length; length++) {
      const log = entries.slice(0, length);
      const options = world();
      const answered = (depth: number) =>
        ofType(log, "model-response").some(({ key }) => key.split("/").length === 2 + 2 * depth);
      if (answered(0)) options.model = scriptedModel(["all done"]);
      if (answered(1)) options.subagents.lead.model = scriptedModel(["lead is done"]);
      const inner = options.subagents.lead.subagents.clerk;
      if (answered(2)) inner.model = scriptedModel(["paid it"]);
      const again = waiting(await execute({ ...options, log }));
      expect([length, again.pending]).toEqual([length, pending]);
      const decided = again.snapshot.decide(pending[0]!.callId, { approve: true });
      expect(await execute({ ...options, log: decided })).toMatchObject({ status: "success", output: "all done" });
      expect([length, done.splice(0)]).toEqual([length, [7]]);
    }
  });

  test("who is asked is who the run around asks", async () => {
    const done: unknown[] = [];
    const asked: string[] = [];
    const result = await execute({
      ...three(done),
      approve: ({ callId, input }) => {
        asked.push(place(callId));
        return (input as any).n !== 2;
      },
    });
    expect(asked).toEqual(["run/1/1/1/1", "run/1/2/1/1", "run/1/3/1/1"]);
    expect(done).toEqual([1, 3]);
    expect(results(result.messages).call_1_2).toMatch(/not approved/);
  });

  test("its own SnapshotSignal and what is in doubt bubble up too", async () => {
    const { result, options } = await cut();
    expect(result.pending.map(({ name, reason }) => [name, reason])).toEqual([["effect", "in-doubt"]]);
    const end = await execute({ ...options, log: result.snapshot.resolve(result.pending[0]!.callId, "was done") });
    expect(results(end.messages).call_1_1).toBe("said was done");
  });

  /** Cut right after the start of a call inside. */
  async function cut() {
    const options = {
      model: scriptedModel([asks(task("a")), "end", "end"]),
      prompt: "go",
      subagents: {
        a: {
          model: scriptedModel([asks("effect"), "first", ({ prompt }) => `said ${results(prompt).call_1_1}`]),
          tools: [tool("effect", () => "done")],
        },
      },
    };
    const store = memoryStore();
    await execute({ ...options, store, session: "s" });
    const entries = await store.read("s");
    const start = ofType(entries, "tool-start").find(({ name }) => name === "effect")!;
    return { options, result: waiting(await execute({ ...options, log: entries.slice(0, start.seq + 1) })) };
  }
});

describe("cut anywhere", () => {
  /** A model that knows what to do by how much it has said: the same in any process. */
  const byPlace = (asked: string[], name: string, steps: readonly unknown[]) => ({
    ...scriptedModel([]),
    async doGenerate({ prompt }: any) {
      const said = prompt.filter(({ role }: any) => role === "assistant").length;
      asked.push(`${name} ${said}`);
      expect(faults(prompt)).toEqual([]);
      const step: any = steps[said];
      return scriptedModel([step]).doGenerate({ prompt });
    },
  });

  function world() {
    const asked: string[] = [];
    const done: string[] = [];
    const effect = tool(
      "effect",
      ({ n }) => {
        done.push(`effect ${n}`);
        return n;
      },
      { idempotent: true },
    );
    const options = {
      model: byPlace(asked, "top", [asks(task("a"), task("b")), asks(["effect", { n: 0 }]), "end"]),
      tools: [effect],
      prompt: "go",
      iterations: 5,
      subagents: {
        a: {
          model: byPlace(asked, "a", [asks(["effect", { n: 1 }], task("c")), asks(["effect", { n: 2 }]), "a is done"]),
          tools: [effect],
          subagents: { c: { model: byPlace(asked, "c", [asks(["effect", { n: 3 }]), "c is done"]), tools: [effect] } },
        },
        b: { model: byPlace(asked, "b", [asks(["effect", { n: 4 }]), "b is done"]), tools: [effect] },
      },
    };
    return { asked, done, options: options as unknown as ExecuteOptions };
  }

  test("every prefix of the log goes on to the same end, and what was finished in it is not done again", async () => {
    const store = memoryStore();
    const whole = world();
    const first = await execute({ ...whole.options, store, session: "s" });
    const entries = await store.read("s");
    expect(entries.length).toBeGreaterThan(50);
    expect([...whole.done].sort()).toEqual([0, 1, 2, 3, 4].map((n) => `effect ${n}`));
    for (let length = 1; length < entries.length; length++) {
      const { asked, done, options } = world();
      const log = entries.slice(0, length);
      const kept = memoryStore();
      const result = await execute({ ...options, log, store: kept, session: "s" });
      expect([length, result.status, result.output]).toEqual([length, "success", "end"]);
      expect(result.messages).toEqual(first.messages);
      const ended = ofType(log, "tool-end").filter(({ name }) => name === "effect").length;
      expect([length, done.length]).toEqual([length, 5 - ended]);
      const answered = ofType(log, "model-response").length;
      expect([length, asked.length]).toEqual([length, 10 - answered]);
      const all = await kept.read("s");
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index));
      expect(all.slice(0, length)).toEqual(log);
    }
  });
});

describe("an abort of the run around", () => {
  test("reaches every run inside it within a second, three levels deep; nothing is left behind", async () => {
    let reached!: () => void;
    const inside = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let seen: unknown;
    const hang = tool("hang", (_, { abortSignal }) => {
      abortSignal.addEventListener("abort", () => {
        seen = abortSignal.reason;
      });
      reached();
      return new Promise(() => {});
    });
    const run = execute({
      model: scriptedModel([asks(task("a"))]),
      prompt: "go",
      subagents: {
        a: {
          model: scriptedModel([asks(task("b"))]),
          subagents: { b: { model: scriptedModel([asks("hang")]), tools: [hang] } },
        },
      },
    });
    await inside;
    const at = performance.now();
    run.abort("enough");
    const result = await run;
    expect(performance.now() - at).toBeLessThan(1000);
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(seen).toBe("enough");
  });
});

test("a store that fails while a run inside works ends all of it, and nothing further is started", async () => {
  const started: unknown[] = [];
  const kept: unknown[] = [];
  const store = {
    read: async () => [],
    async append(_: string, entries: readonly { type: string }[]) {
      if (kept.length + entries.length > 12) throw new Error("disk full");
      kept.push(...entries);
    },
  };
  const note = tool("note", ({ n }) => {
    started.push(n);
    return n;
  });
  const result = await execute({
    model: scriptedModel([asks(task("a")), "end"]),
    prompt: "go",
    subagents: {
      a: { model: scriptedModel([asks(["note", { n: 1 }]), asks(["note", { n: 2 }]), "over"]), tools: [note] },
    },
    ...{ store, session: "s" },
  });
  expect(result.isError() && result.error.code).toBe("STORE_FAILED");
  expect(started).toEqual([1]);
});

test("a hook of events is told the iteration of its own run", async () => {
  const seen: [string, number][] = [];
  const onTrace = ({ trace, iteration }: any) => {
    if (trace.type === "iteration-end") seen.push([place(trace.key), iteration]);
  };
  await execute({
    model: scriptedModel([asks("x"), asks(task("a")), "end"]),
    prompt: "go",
    subagents: { a: { model: scriptedModel(["over"]), hooks: { onTrace } } },
  });
  expect(seen).toEqual([["run/2/1/1", 1]]);
});

test("a log that tells another story ends the run, and nothing is called", async () => {
  const done: unknown[] = [];
  const options = (n: number) => ({
    model: scriptedModel([asks(task("a")), "end"]),
    prompt: "go",
    subagents: { a: { model: scriptedModel([asks(["pay", { n }]), "paid"]), tools: [pay(done)] } },
  });
  const { pending, snapshot } = waiting(await execute(options(1)));
  const log: Snapshot = snapshot.decide(pending[0]!.callId, { approve: true });
  const entries = log.entries.map((entry) =>
    entry.type === "model-response" && entry.key.split("/").length === 4
      ? { ...entry, content: entry.content.map((part: any) => ({ ...part, input: { n: 2 } })) }
      : entry,
  );
  const result = await execute({ ...options(1), log: entries });
  expect(result.isError() && result.error.code).toBe("REPLAY_DIVERGED");
  expect(done).toEqual([]);
});
