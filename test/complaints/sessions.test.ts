/**
 * What users of other systems stumbled over (spec, "complaints"), as far as it concerns sessions: a test is named by its line.
 * Lines that other tests prove already:
 *
 * | line | proved by |
 * |---|---|
 * | Condukt 1: a steer is in the next request, the rest is skipped | test/agents/session.test.ts "is steered" |
 * | Condukt 2: an abort stops model and tools | test/agents/session.test.ts "is aborted" |
 * | Condukt 4: any outcomes of handlers | test/agents/session.test.ts "whatever a handler does" |
 * | Condukt 4, 5: the same without a session | runs.test.ts |
 * | AI SDK 1, Mastra 1: an answer comes from outside, and from who may give it | test/agents/decisions.test.ts "an approver" |
 * | Mastra 3: a decision is spent once | test/agents/decisions.test.ts |
 * | Mastra 9: a giant result, and how it is read on | test/engine/oversized.test.ts |
 * | Mastra 10: a log that the client holds | runs.test.ts |
 * | LangGraph 4: several wait, in any order and one by one | test/agents/decisions.test.ts "many that wait" |
 * | LangGraph 10: a fork in the middle | runs.test.ts, test/agents/fork.test.ts |
 * | LangGraph 10: a store that fails, a process that is killed, a disk that is told | test/engine/store-failure.test.ts, kill.test.ts, test/stores/sqlite.test.ts, cost.test.ts |
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Agent, type Decision, fail, ok, type Session, SnapshotSignal, ThinkSignal } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import {
  faults,
  gate,
  never,
  ofType,
  results,
  scriptedModel,
  sleep,
  tool,
  waiting,
  watched,
} from "../engine/support.ts";
import { mode, program } from "../modes/code/support.ts";
import { answering, answersIn, asks, badHandlers, database, elsewhere, saidIn, slowStore } from "./support.ts";

describe("Condukt 1 and 2: what is said to a session reaches the run that works", () => {
  test("a word in the middle of calls comes before the next request; an abort then ends it, and both are kept", async () => {
    await using base = database();
    const reached = [gate(), gate()];
    const go = gate();
    const slow = tool("slow", async () => {
      reached[0]!.open();
      await go.passed;
      return "slowly done";
    });
    const hang = tool("hang", (_, { abortSignal }) => {
      reached[1]!.open();
      return new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason)));
    });
    const options = { tools: [slow, hang] };
    const model = scriptedModel([asks("slow"), asks("hang")]);
    const session = elsewhere(base, { ...options, model });
    const run = session.run("go");
    await reached[0]!.passed;
    expect(session.steer("also look at this")).toBe(true);
    go.open();
    await reached[1]!.passed;
    expect(saidIn(model.requests[1]!.prompt)).toEqual(["go", "also look at this"]);
    session.abort("enough");
    expect((await run).stopReason).toBe("aborted");
    expect(session.steer("too late")).toBe(false);

    const next = scriptedModel(["Here I am."]);
    expect((await elsewhere(base, { ...options, model: next }).run("still there?")).output).toBe("Here I am.");
    const { prompt } = next.requests[0]!;
    expect(saidIn(prompt)).toEqual(["go", "also look at this", "still there?"]);
    expect(results(prompt).call_1_1).toBe("slowly done");
    expect(faults(prompt)).toEqual([]);
  });
});

describe("Condukt 1 and 5: what was said to a run that stops before it has read it", () => {
  const broken = { error: Object.assign(new Error("no credit"), { statusCode: 401 }) };

  function world() {
    const reached = gate();
    const go = gate();
    const slow = tool("slow", async () => {
      reached.open();
      await go.passed;
      return "slowly done";
    });
    const pay = tool("pay", ({ n }: any) => `paid ${n}`, { approval: true });
    return { reached, go, tools: [slow, pay] };
  }

  test.each([
    ["a steer", "steer"],
    ["a follow-up", "followUp"],
  ] as const)("%s is read by the next run after a failure, an abort and a limit", async (_, how) => {
    for (const end of ["failure", "abort", "limit"] as const) {
      await using base = database();
      const { reached, go, tools } = world();
      const session = elsewhere(base, { model: scriptedModel([asks("slow"), broken]), tools });
      const run = session.run("go", end === "limit" ? { iterations: 1 } : {});
      await reached.passed;
      expect(session[how]("one more thing")).toBe(true);
      if (end === "abort") session.abort();
      go.open();
      const { status, messages } = await run;
      expect(status).toBe("error");
      const model = scriptedModel(["Here."]);
      const next = elsewhere(base, { model, tools });
      expect(await next.history()).toEqual(messages);
      await next.run("next");
      const { prompt } = model.requests[0]!;
      expect([end, saidIn(prompt)]).toEqual([end, ["go", "one more thing", "next"]]);
      expect(faults(prompt)).toEqual([]);
    }
  });

  test("a follow-up to a run that waits is read when that goes on, and takes no call from who decides", async () => {
    await using base = database();
    const { reached, go, tools } = world();
    const calls = asks(["pay", { n: 1 }], "slow", ["pay", { n: 2 }]);
    const session = elsewhere(base, { model: scriptedModel([calls]), tools });
    const run = session.run("go");
    await reached.passed;
    expect(session.followUp("one more thing")).toBe(true);
    go.open();
    const model = scriptedModel(["All paid."]);
    const { pending } = waiting(await run);
    await elsewhere(base, { model, tools }).decide(pending[0]!.callId, { approve: true });
    const second = waiting(await elsewhere(base, { model, tools }).resume());
    expect(second.pending).toEqual([pending[1]]);
    await elsewhere(base, { model, tools }).decide(pending[1]!.callId, { approve: true });
    const last = elsewhere(base, { model, tools });
    const { messages } = await last.resume();
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "assistant"]);
    expect(saidIn(messages)).toEqual(["go", "one more thing"]);
    expect(results(messages)).toEqual({ call_1_1: "paid 1", call_1_2: "slowly done", call_1_3: "paid 2" });
    expect(await last.history()).toEqual(messages);
  });
});

describe("Condukt 4: whatever a handler does, the session is given back", () => {
  const handlers: Record<string, () => unknown> = {
    ...badHandlers,
    thinks: () => {
      throw new ThinkSignal("look again");
    },
  };

  test.each(Object.keys(handlers))("a handler that %s", async (name) => {
    await using base = database();
    const bad = tool("bad", handlers[name]!, { timeoutMs: 20 });
    const session = elsewhere(base, { model: scriptedModel([asks("bad"), "It did not work."]), tools: [bad] });
    expect((await session.run("go")).output).toBe("It did not work.");
    expect(session.current).toBeUndefined();
    // Whoever does not wait gets it at once: no claim is left.
    const model = scriptedModel(["Here I am."]);
    expect((await elsewhere(base, { model, tools: [bad] }).run("still there?")).output).toBe("Here I am.");
    expect(saidIn(model.requests[0]!.prompt)).toEqual(["go", "still there?"]);
    expect(faults(model.requests[0]!.prompt)).toEqual([]);
    expect(ofType(await base.open().read("s"), "tool-end")).toHaveLength(1);
  });

  test.each<[string, (session: Session) => unknown, object]>([
    ["abort", (session) => session.abort("enough"), { stopReason: "aborted" }],
    ["close", (session) => session.close(), { error: { code: "SESSION_CLOSED" } }],
  ])("a handler that takes no notice of the %s", async (_, end, how) => {
    await using base = database();
    const reached = gate();
    const deaf = tool("deaf", () => {
      reached.open();
      return never;
    });
    const session = elsewhere(base, { model: scriptedModel([asks("deaf")]), tools: [deaf] });
    const run = session.run("go");
    await reached.passed;
    await end(session);
    expect(await run).toMatchObject(how);
    const model = scriptedModel(["Here I am."]);
    expect((await elsewhere(base, { model, tools: [deaf] }).run("still there?")).output).toBe("Here I am.");
    expect(faults(model.requests[0]!.prompt)).toEqual([]);
  });
});

describe("Condukt 5: a run that fails loses neither what was said nor what was done", () => {
  const broken = { error: Object.assign(new Error("no credit"), { statusCode: 401 }) };

  test.each([
    ["watched", true],
    ["not watched", false],
  ])("at the first request, and after a call; %s", async (_, isWatched) => {
    await using base = database();
    const paid: unknown[] = [];
    const pay = tool("pay", () => paid.push("5") && "paid 5");
    const options = { tools: [pay] };
    const say = async (script: Parameters<typeof scriptedModel>[0], words: string) => {
      const model = scriptedModel(script);
      const run = elsewhere(base, { ...options, model }).run(words);
      return { model, result: isWatched ? (await watched(run)).result : await run };
    };
    expect((await say([broken], "Hello.")).result.stopReason).toBe("model");
    expect((await say([asks("pay"), broken], "Pay 5.")).result.stopReason).toBe("model");
    const { model, result } = await say(["It was paid."], "And?");
    expect(result.output).toBe("It was paid.");
    const { prompt } = model.requests[0]!;
    expect(saidIn(prompt)).toEqual(["Hello.", "Pay 5.", "And?"]);
    expect(results(prompt).call_1_1).toBe("paid 5");
    expect(faults(prompt)).toEqual([]);
    expect(paid).toHaveLength(1);
  });
});

describe("AI SDK 6: a session is aborted, and not by who stops watching", () => {
  test("a watcher leaves and the run goes on; whoever has the session ends it, and every start has its end", async () => {
    const store = memoryStore();
    const reached = Array.from({ length: 4 }, gate);
    const listens = tool("listens", ({ n }: any, { abortSignal }) => {
      reached[n]!.open();
      return new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason)));
    });
    const calls = [0, 1, 2, 3].map((n): [string, unknown] => ["listens", { n }]);
    const agent = new Agent({ name: "a", model: scriptedModel([asks(...calls), "Here."]), tools: [listens], store });
    const run = agent.session({ id: "s" }).run("go");
    for await (const { type } of run) if (type === "tool-start") break;
    await Promise.all(reached.map(({ passed }) => passed));
    expect(agent.sessions.get("s")!.current).toBe(run);

    agent.session({ id: "s" }).abort("enough");
    const { events, result } = await watched(run);
    expect(result.stopReason).toBe("aborted");
    const kept = await store.read("s");
    expect(events.filter((event) => "seq" in event)).toEqual(kept);
    const keys = (type: "tool-start" | "tool-end") => ofType(kept, type).map(({ key }) => key);
    expect(keys("tool-start")).toHaveLength(4);
    expect(keys("tool-end").sort()).toEqual(keys("tool-start").sort());
    const history = await agent.session({ id: "s" }).history();
    expect(faults(history)).toEqual([]);
    expect(history).toEqual(result.messages);
    expect((await agent.session({ id: "s" }).run("again")).output).toBe("Here.");
  });

  test("at any moment: no call without a result, no error that nobody caught", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on("unhandledRejection", note);
    for (let after = 1; after < 30; after++) {
      const quick = tool("quick", () => sleep(after % 3));
      const model = scriptedModel([asks(...Array(5).fill("quick")), asks("quick"), "ok"]);
      const session = new Agent({ name: "a", model, tools: [quick] }).session();
      const run = session.run("go");
      let count = 0;
      for await (const _ of run) if (++count === after) session.abort();
      expect(["aborted", "text"]).toContain((await run).stopReason);
      expect(faults(await session.history())).toEqual([]);
      await session.run("again", { model: scriptedModel(["Here."]) });
      expect(saidIn(await session.history())).toEqual(["go", "again"]);
    }
    await sleep(10);
    process.off("unhandledRejection", note);
    expect(uncaught).toEqual([]);
  });
});

describe("Mastra 3: a decision is about one call, and no other one takes it", () => {
  async function twoThatWait() {
    const store = memoryStore();
    const paid: unknown[] = [];
    const pay = tool("pay", (input: any) => paid.push(input.n), { approval: true });
    const script = () => [asks("look", ["pay", { n: 1 }], ["pay", { n: 2 }]), "ok"];
    const tools = [pay, tool("look", () => "seen")];
    const make = () => new Agent({ name: "a", model: scriptedModel(script()), tools, store });
    const session = make().session({ id: "s" });
    const other = make().session({ id: "other" });
    const { pending, run } = waiting(await session.run("go"));
    const theirs = waiting(await other.run("go")).pending;
    return { store, paid, session, pending, run, theirs };
  }

  type World = Awaited<ReturnType<typeof twoThatWait>>;
  const ids: [string, (world: World) => string][] = [
    ["of another session", ({ theirs }) => theirs[0]!.callId],
    ["of a call that has ended", ({ run }) => `${run}/1/1`],
    ["of the run", ({ run }) => run],
    ["of the iteration", ({ run }) => `${run}/1`],
    ["of the provider", () => "call_1_2"],
    ["that is only a beginning", ({ pending }) => pending[0]!.callId.slice(0, -1)],
    ["that has more", ({ pending }) => `${pending[0]!.callId}/1/1`],
    ["of the tool", () => "pay"],
    ["that is a hash", ({ pending }) => pending[0]!.hash],
    ["that is empty", () => ""],
  ];

  test.each(ids)("an id %s", async (_, idOf) => {
    const world = await twoThatWait();
    const { store, session, paid, pending } = world;
    const before = await store.read("s");
    for (const decision of [{ approve: true }, { deny: "no" }, { value: false }] as Decision[])
      await expect(session.decide(idOf(world), decision)).rejects.toMatchObject({ code: "DECISION_UNKNOWN" });
    expect(await store.read("s")).toEqual(before);
    expect(waiting(await session.resume()).pending).toEqual(pending);
    expect(paid).toEqual([]);
  });

  test("one that was decided, one that was cleared, and that of the session it was forked from", async () => {
    const { session, paid, pending } = await twoThatWait();
    const fork = await session.fork();
    const unknown = { code: "DECISION_UNKNOWN" };
    await expect(fork.decide(pending[0]!.callId, { approve: true })).rejects.toMatchObject(unknown);
    await session.decide(pending[0]!.callId, { deny: "no" });
    await expect(session.decide(pending[0]!.callId, { approve: true })).rejects.toMatchObject(unknown);
    await session.clear();
    await expect(session.decide(pending[1]!.callId, { approve: true })).rejects.toMatchObject(unknown);
    await session.run("and now?", { model: scriptedModel(["Nothing."]) });
    expect(paid).toEqual([]);
    expect(await fork.pending()).toHaveLength(2);
  });
});

describe("Mastra 4: nothing is still an answer", () => {
  const kinds = (given: any) =>
    `<${[typeof given, Array.isArray(given), Object.is(given, -0), JSON.stringify(given), String(given)].join("|")}>`;

  test.for<[unknown]>([...[[false], [0], [-0], [""], [null], [[]], [{}], [Number.NaN], [[false, 0, ""]]]] as [
    unknown,
  ][])("%j is given in one process and read in another one", async ([value]) => {
    await using base = database();
    const ask = tool("ask", () => {
      throw new SnapshotSignal("which?");
    });
    const code = `const kinds = ${kinds}; return kinds(await ask({}));`;
    const options = { tools: [ask], mode };
    const first = waiting(await elsewhere(base, { ...options, model: scriptedModel([program(code)]) }).run("go"));
    const decider = elsewhere(base, { ...options, model: scriptedModel([]) });
    await decider.decide(first.pending[0]!.callId, { value: value as null });
    expect(await decider.pending()).toEqual([]);
    const model = scriptedModel(["ok"]);
    const store = base.open();
    const result = await elsewhere({ open: () => store }, { ...options, model }).resume();
    expect(result.output).toBe("ok");
    const [end] = ofType(await store.read("s"), "tool-end");
    expect(end).toHaveProperty("output");
    expect(Object.values(results(model.requests[0]!.prompt)).join()).toContain(kinds(value));
  });
});

describe("Mastra 8: what was said and done is in the database once, and in order", () => {
  const tools = [
    tool("gives", ({ n }: any) => ({ n, at: new Date(0), text: "ä😀\u0000\n" })),
    tool("waits", ({ n }: any) => sleep(n % 3).then(() => `waited ${n}`)),
    tool("fails", ({ n }: any) => fail({ n })),
    tool("thinks", ({ n }: any) => {
      throw new ThinkSignal("think", n);
    }),
    tool("assigns", ({ n }: any) => ok(n, { assigns: { last: n } })),
  ];
  const names = ["gives", "waits", "fails", "thinks", "assigns", "unknown"];
  const call = fc.tuple(fc.constantFrom(...names), fc.nat(9)).map(([name, n]): [string, unknown] => [name, { n }]);
  const answers = fc.array(fc.array(call, { minLength: 1, maxLength: 5 }), { maxLength: 3 });
  const ends = fc.constantFrom("text", "aborted", "model");
  const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== "");
  const runs = fc.array(fc.record({ words, answers, ends }), { minLength: 1, maxLength: 4 });

  test("any conversation of many runs, each by another object, is read back as the runs gave it", async () => {
    await fc.assert(
      fc.asyncProperty(runs, async (played) => {
        await using base = database();
        let before: readonly unknown[] = [];
        for (const [index, { words, answers, ends }] of played.entries()) {
          const last = ends === "model" ? { error: Object.assign(new Error("no"), { statusCode: 401 }) } : "The end.";
          const model = scriptedModel([...answers.map((calls) => asks(...calls)), last]);
          const session = elsewhere(base, { model, tools });
          const run = session.run(words);
          if (ends === "aborted") for await (const { type } of run) if (type === "tool-start") session.abort();
          const { messages } = await run;
          expect(messages.slice(0, before.length)).toEqual(before);
          const history = await elsewhere(base, { model: scriptedModel([]), tools }).history();
          expect(history).toEqual(messages);
          expect(faults(history)).toEqual([]);
          expect(saidIn(history)).toEqual(played.slice(0, index + 1).map((one) => one.words));
          before = history;
        }
        const kept = await base.open().read("s");
        expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index));
        const over = ofType(kept, "tool-end").map(({ key }) => key);
        expect(new Set(over).size).toBe(over.length);
      }),
      { numRuns: 25 },
    );
  }, 60_000);
});

test("Mastra 9: a giant result is whole in the log and a preview in every conversation after it", async () => {
  await using base = database();
  const giant = Array.from({ length: 30_000 }, (_, n) => `row ${n}`).join("\n");
  const dump = tool("dump", () => giant);
  const first = scriptedModel([asks("dump"), "Dumped."]);
  await elsewhere(base, { model: first, tools: [dump] }).run("dump it");
  const [end] = ofType(await base.open().read("s"), "tool-end");
  expect(end!.output).toBe(giant);
  const reads = asks(["read_result", { call: end!.key, grep: "row 15000" }]);
  const later = scriptedModel([reads, "Found."]);
  const session = elsewhere(base, { model: later, tools: [dump] });
  expect(JSON.stringify(await session.history()).length).toBeLessThan(giant.length / 10);
  await session.run("and row 15000?");
  expect(JSON.stringify(later.requests[0]!.prompt).length).toBeLessThan(giant.length / 10);
  expect(results(later.requests[1]!.prompt).call_1_1).toContain("row 15000");
});

describe("LangGraph 7: sessions of one agent", () => {
  test("100 at once, of two runs each, with calls that wait between them: nothing is mixed", async () => {
    const store = memoryStore();
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const paid: string[] = [];
    const pay = tool(
      "pay",
      async ({ n }: any, { assigns, session }) => {
        await sleep(n % 4);
        paid.push(`${n} in ${(session as { id: string }).id}`);
        return ok(`paid ${n} after ${assigns.last ?? "nothing"}`, { assigns: { last: n } });
      },
      { approval: true },
    );
    const model = answering(({ prompt }) => {
      const words = saidIn(prompt);
      const n = Number(words.at(-1)!.split(" ").at(-1));
      return prompt.at(-1).role === "user"
        ? asks(["pay", { n }])
        : `Done: ${Object.values(results(prompt)).join(", ")}`;
    });
    const agent = new Agent({ name: "a", model, tools: [pay], store });
    const outputs = await Promise.all(
      numbers.map(async (n) => {
        const session = agent.session({ id: `s${n}` });
        const given: unknown[] = [];
        for (const amount of [n, n + 1000]) {
          const { pending } = waiting(await session.run(`pay ${amount}`));
          expect(await session.pending()).toEqual(pending);
          expect(pending.map(({ input }) => input)).toEqual([{ n: amount }]);
          await sleep((n * 7) % 5);
          await session.decide(pending[0]!.callId, { approve: true });
          given.push((await session.resume()).output);
        }
        return given;
      }),
    );
    expect(outputs).toEqual(
      numbers.map((n) => {
        const first = `paid ${n} after nothing`;
        return [`Done: ${first}`, `Done: ${first}, paid ${n + 1000} after ${n}`];
      }),
    );
    expect(paid.sort()).toEqual(numbers.flatMap((n) => [`${n} in s${n}`, `${n + 1000} in s${n}`]).sort());
    for (const n of numbers) {
      const history = await agent.session({ id: `s${n}` }).history();
      expect(saidIn(history)).toEqual([`pay ${n}`, `pay ${n + 1000}`]);
      expect(answersIn(history)).toBe(4);
    }
  });

  test("runs of one session at once take their turns, in order", async () => {
    const model = answering(({ prompt }) => (prompt.at(-1).role === "user" ? asks("slow") : "ok"));
    const session = new Agent({ name: "a", model, tools: [tool("slow", () => sleep(1))] }).session();
    const numbers = Array.from({ length: 20 }, (_, n) => `number ${n}`);
    await Promise.all(numbers.map((words) => session.run(words)));
    const history = await session.history();
    expect(saidIn(history)).toEqual(numbers);
    expect(history.map(({ role }) => role)).toEqual(numbers.flatMap(() => ["user", "assistant", "tool", "assistant"]));
    expect(faults(history)).toEqual([]);
  });
});

describe("LangGraph 10: nothing is acknowledged before the store has it", () => {
  test("what a handler, a model, a watcher and a caller go on from is kept", async () => {
    const { store, acknowledged } = slowStore();
    const missing: string[] = [];
    const demand = (what: string) => acknowledged.includes(what) || missing.push(what);
    const pay = tool(
      "pay",
      (_, { callId }) => {
        demand(`tool-start ${callId}`);
        return "paid";
      },
      { approval: true },
    );
    const asked = ({ prompt }: any) => {
      const ends = acknowledged.filter((one) => one.startsWith("tool-end ")).length;
      if (ends < prompt.filter(({ role }: any) => role === "tool").length) missing.push("tool-end");
      if (!acknowledged.some((one) => one.startsWith("message "))) missing.push("message");
    };
    const model = scriptedModel([
      (request) => {
        asked(request);
        return asks("pay");
      },
      (request) => {
        asked(request);
        return "ok";
      },
    ]);
    const session = new Agent({ name: "a", model, tools: [pay], store }).session({ id: "s" });
    const watch = async (run: ReturnType<typeof session.run>) => {
      for await (const event of run) if ("seq" in event) demand(`${event.type} ${event.key}`);
      return run.then((result) => result);
    };
    const { pending, run } = waiting(await watch(session.run("go")));
    demand(`tool-pause ${pending[0]!.callId}`);
    await session.decide(pending[0]!.callId, { approve: true });
    demand(`decision ${pending[0]!.callId}`);
    const result = await watch(session.resume());
    demand(`run-end ${run}`);
    expect(result.output).toBe("ok");
    await session.clear();
    demand(`compaction ${run}`);
    await session.run("again", { model: scriptedModel(["ok"]) });
    const fork = await session.fork();
    const copied = ofType(await store.read(fork.id), "run-end");
    for (const { type, key } of copied) demand(`${type} ${key}`);
    expect(copied).not.toEqual([]);
    expect(missing).toEqual([]);
  });
});
