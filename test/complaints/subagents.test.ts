/**
 * What users of other systems stumbled over (spec, "complaints"), as far as it concerns sub-agents: a test is named by its line.
 * Lines that other tests prove already:
 *
 * | line | proved by |
 * |---|---|
 * | Condukt 3: a sub-agent at its limit has not succeeded | test/agents/subagents.test.ts "what comes back" |
 * | AI SDK 6: an abort reaches every run inside | test/engine/nested.test.ts "an abort of the run around" |
 * | Mastra 1: a sub-agent cannot allow itself anything | test/agents/subagents.test.ts "a sub-agent can only have less" |
 * | Mastra 2: what was denied inside does not run | test/engine/nested.test.ts "a part of them is decided" |
 * | LangGraph 3: what is done inside is not done again, wherever it stopped | test/engine/nested.test.ts "cut anywhere", nested-kill.test.ts |
 * | LangGraph 4: several wait inside, in any order; three levels deep | test/engine/nested.test.ts, test/agents/subagents-code.test.ts |
 * | LangGraph 7: secrets of one are not those of another | test/agents/subagents-secrets.test.ts |
 * | LangGraph 10: a store that fails while a run inside works | test/engine/nested.test.ts |
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isIn } from "../../src/core/log-keys.ts";
import { Agent, type Decision, type Entry, type RunEvent, SnapshotSignal } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import {
  faults,
  gate,
  noting,
  ofType,
  results,
  scriptedModel,
  sleep,
  tool,
  waiting,
  watched,
} from "../engine/support.ts";
import { mode, program } from "../modes/code/support.ts";
import { answering, asks, badHandlers, database, elsewhere, saidIn, slowStore, task } from "./support.ts";

/** Says what it read of its last calls. */
const retells = ({ prompt }: { prompt: any[] }) => Object.values(results(prompt)).join(", ");

function paying() {
  const paid: number[] = [];
  const pay = tool(
    "pay",
    noting(paid, (input: any) => `paid ${input.n}`),
    { approval: true },
  );
  return { paid: () => paid.map((input: any) => input.n).sort((a, b) => a - b), pay };
}

describe("Condukt 1 and 2: what is said to a session while a sub-agent works", () => {
  test("a word comes before the next request of the one it was said to; what has not started is skipped", async () => {
    const reached = gate();
    const go = gate();
    const slow = tool("slow", async () => {
      reached.open();
      await go.passed;
      return "slowly done";
    });
    const inner = scriptedModel([asks("slow"), retells]);
    const model = scriptedModel([asks(task("a"), task("b")), "ok"]);
    const other = scriptedModel(["b was here"]);
    const subagents = { a: { model: inner, tools: [slow] }, b: { model: other } };
    const session = new Agent({ name: "x", model, subagents, subagentLimits: { concurrency: 1 } }).session();
    const run = session.run("go");
    await reached.passed;
    expect(session.steer("look at this")).toBe(true);
    go.open();
    expect((await run).output).toBe("ok");
    expect(saidIn(model.requests[1]!.prompt)).toEqual(["go", "look at this"]);
    expect(results(model.requests[1]!.prompt).call_1_1).toBe("slowly done");
    expect(saidIn(inner.requests[1]!.prompt)).toEqual(["be a"]);
    expect(faults(await session.history())).toEqual([]);
  });

  test("an abort ends all that works inside, every start has its end, and the next run reads a whole conversation", async () => {
    await using base = database();
    const reached = [gate(), gate()];
    const listens = tool("listens", ({ n }: any, { abortSignal }) => {
      reached[n]!.open();
      return new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason)));
    });
    const inner = (n: number) => ({ model: scriptedModel([asks(["listens", { n }])]), tools: [listens] });
    const subagents = { a: inner(0), b: inner(1) };
    const session = elsewhere(base, { model: scriptedModel([asks(task("a"), task("b"))]), subagents });
    const run = session.run("go");
    await Promise.all(reached.map(({ passed }) => passed));
    session.abort("enough");
    expect((await run).stopReason).toBe("aborted");
    const kept = await base.open().read("s");
    const keys = (type: "tool-start" | "tool-end") => ofType(kept, type).map(({ key }) => key);
    expect(keys("tool-start")).toHaveLength(4);
    expect(keys("tool-end").sort()).toEqual(keys("tool-start").sort());
    const model = scriptedModel(["Here I am."]);
    expect((await elsewhere(base, { model, subagents }).run("still there?")).output).toBe("Here I am.");
    expect(saidIn(model.requests[0]!.prompt)).toEqual(["go", "still there?"]);
    expect(faults(model.requests[0]!.prompt)).toEqual([]);
  });
});

describe("Condukt 4: whatever a handler of a sub-agent does, the session is given back", () => {
  const cases = Object.keys(badHandlers).flatMap((name) => [
    ["its own time", name, { timeoutMs: 20 }, {}] as const,
    ["the time of the role", name, {}, { timeoutMs: name === "never ends" ? 60 : 60_000 }] as const,
  ]);

  test.each(cases)("within %s, a handler that %s", async (_, name, ofTool, ofRole) => {
    await using base = database();
    const bad = tool("bad", badHandlers[name]!, ofTool);
    const subagents = { a: { model: scriptedModel([asks("bad"), "It did not work."]), tools: [bad], ...ofRole } };
    const session = elsewhere(base, { model: scriptedModel([asks(task("a")), "Over."]), subagents });
    expect((await session.run("go")).output).toBe("Over.");
    const model = scriptedModel(["Here I am."]);
    expect((await elsewhere(base, { model, subagents }).run("still there?")).output).toBe("Here I am.");
    const read = results(model.requests[0]!.prompt);
    expect(read.call_1_1).toMatch(name === "never ends" && "timeoutMs" in ofRole ? /^! .*60 ms/ : /^It did not work/);
    expect(faults(model.requests[0]!.prompt)).toEqual([]);
  });
});

describe("Condukt 5: a model that fails inside, or around, takes nothing with it", () => {
  const broken = { error: Object.assign(new Error("no credit"), { statusCode: 401 }) };

  test("a sub-agent whose model fails is an error of its call; the others' results stay", async () => {
    const done: string[] = [];
    const note = tool("note", ({ n }: any) => done.push(n) && `noted ${n}`);
    const inner = (n: string, last: typeof broken | typeof retells) => ({
      model: scriptedModel([asks(["note", { n }]), last]),
      tools: [note],
    });
    const subagents = { a: inner("a", retells), b: inner("b", broken), c: inner("c", retells) };
    const model = scriptedModel([asks(task("a"), task("b"), task("c")), "Two of three."]);
    const session = new Agent({ name: "x", model, subagents }).session();
    expect((await session.run("go")).output).toBe("Two of three.");
    const read = results(await session.history());
    expect([read.call_1_1, read.call_1_3]).toEqual(["noted a", "noted c"]);
    expect(read.call_1_2).toMatch(/^! .*no credit/);
    expect(done.sort()).toEqual(["a", "b", "c"]);
  });

  test("a model that fails after its sub-agents have worked: the next run reads what they gave, and they do not work again", async () => {
    await using base = database();
    const inner = scriptedModel(["the answer is 42"]);
    const options = { subagents: { a: { model: inner } } };
    const first = elsewhere(base, { ...options, model: scriptedModel([asks(task("a")), broken]) });
    expect((await first.run("go")).stopReason).toBe("model");
    const model = scriptedModel(["42."]);
    expect((await elsewhere(base, { ...options, model }).run("and?")).output).toBe("42.");
    expect(results(model.requests[0]!.prompt).call_1_1).toBe("the answer is 42");
    expect(inner.requests).toHaveLength(1);
  });
});

/** Each of so many sub-agents wants to pay; the run around says what they gave. */
function payers(count: number) {
  const { paid, pay } = paying();
  const numbers = Array.from({ length: count }, (_, n) => n);
  const payer = (n: number) => ({
    model: answering(({ prompt }) => (prompt.length === 1 ? asks(["pay", { n }]) : retells({ prompt }))),
    tools: [pay],
  });
  const model = answering(({ prompt }) =>
    prompt.some(({ role }) => role === "tool") ? retells({ prompt }) : asks(...numbers.map((n) => task(`r${n}`))),
  );
  return { paid, options: { model, subagents: Object.fromEntries(numbers.map((n) => [`r${n}`, payer(n)])) } };
}

describe("a session whose sub-agents wait", () => {
  test("Condukt 5: what is said meanwhile is kept, and read when they are done", async () => {
    await using base = database();
    const { paid, options } = payers(2);
    const { pending } = waiting(await elsewhere(base, options).run("go"));
    for (const words of ["one", "two"])
      expect(waiting(await elsewhere(base, options).run(words)).pending).toEqual(pending);
    for (const { callId } of pending) await elsewhere(base, options).decide(callId, { approve: true });
    const { messages } = await elsewhere(base, options).resume();
    expect(saidIn(messages)).toEqual(["go", "one", "two"]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "user", "assistant"]);
    expect(faults(messages)).toEqual([]);
    expect(paid()).toEqual([0, 1]);
  });

  test("Mastra 1: when nobody answers in time, it is a no", async () => {
    await using base = database();
    const { paid, options } = payers(2);
    const { pending } = waiting(await elsewhere(base, options).run("go", { approvalTimeoutMs: 1 }));
    await sleep(5);
    const late = elsewhere(base, options);
    for (const { callId } of pending)
      await expect(late.decide(callId, { approve: true })).rejects.toMatchObject({ code: "DECISION_EXPIRED" });
    expect((await late.resume()).output).toMatch(/denied: nobody answered.*denied: nobody answered/s);
    expect(paid()).toEqual([]);
  });

  test("Mastra 3: once it is cleared, nothing of it can be decided or goes on", async () => {
    const { paid, options } = payers(2);
    const session = new Agent({ name: "x", ...options }).session();
    const { pending } = waiting(await session.run("go"));
    await session.clear();
    expect(await session.pending()).toEqual([]);
    for (const { callId } of pending)
      await expect(session.decide(callId, { approve: true })).rejects.toMatchObject({ code: "DECISION_UNKNOWN" });
    const { messages } = await session.run("afresh", { model: scriptedModel(["Hello."]) });
    expect(saidIn(messages)).toEqual(["afresh"]);
    expect(paid()).toEqual([]);
  });

  test("LangGraph 4: one at a time works, and all may wait at once", async () => {
    const { paid, options } = payers(3);
    const session = new Agent({ name: "x", ...options, subagentLimits: { concurrency: 1 } }).session();
    const { pending } = waiting(await session.run("go"));
    expect(pending.map(({ input }) => input)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    for (const { callId } of [...pending].reverse()) await session.decide(callId, { approve: true });
    expect((await session.resume()).output).toBe("paid 0, paid 1, paid 2");
    expect(paid()).toEqual([0, 1, 2]);
  });
});

describe("Condukt 12: what happens inside a sub-agent is seen", () => {
  const options = () => ({
    model: scriptedModel([asks(task("lead")), "end"]),
    subagents: {
      lead: {
        model: scriptedModel([asks(task("clerk")), "lead is done"]),
        subagents: {
          clerk: {
            model: scriptedModel([asks("look"), { text: "clerk is done", pieces: ["clerk ", "is done"] }]),
            tools: [
              tool("look", (_, ctx) => {
                ctx.progress("looking");
                return "a tree";
              }),
            ],
          },
        },
      },
    },
  });

  test("by who watches the run of the session: text, progress, calls and ends, each with its place", async () => {
    const store = memoryStore();
    const session = new Agent({ name: "x", ...options(), store }).session({ id: "s" });
    const { events, result } = await watched(session.run("go"));
    expect(events.filter((event) => "seq" in event)).toEqual(await store.read("s"));
    const clerk = `${result.run}/1/1/1/1`;
    const inside = events.filter(({ key }) => isIn(clerk, key));
    const text = inside.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
    expect(text).toEqual(["clerk ", "is done"]);
    expect(inside.filter(({ type }) => type === "tool-output")).toMatchObject([
      { key: `${clerk}/1/1`, text: "looking" },
    ]);
    expect(ofType(inside, "tool-end").map(({ key }) => key)).toEqual([`${clerk}/1/1`, clerk]);
    expect(ofType(inside, "run-end")).toMatchObject([{ key: clerk, output: "clerk is done" }]);
  });

  test("by the agent's handleEvent, which is told of whose session it is", async () => {
    const seen: [RunEvent, string | undefined][] = [];
    const handleEvent = (event: RunEvent, { session }: { session: { id: string } | undefined }) =>
      seen.push([event, session?.id]);
    const store = memoryStore();
    const agent = new Agent({ name: "x", ...options(), store, handleEvent });
    await agent.session({ id: "s" }).run("go");
    expect(seen.map(([event]) => event).filter((event) => "seq" in event)).toEqual(await store.read("s"));
    expect(new Set(seen.map(([, id]) => id))).toEqual(new Set(["s"]));
  });
});

describe("AI SDK 10 and LangGraph 4: many wait, beside and inside each other", () => {
  /** Waits for itself, in two sub-agents (one with two calls), in a sub-agent of one of them, and for a free answer. */
  function world() {
    const { paid, pay } = paying();
    const asked: string[] = [];
    const once = tool("once", ({ who }: any) => asked.push(who) && "done before");
    const size = tool("size", () => {
      throw new SnapshotSignal("which size?");
    });
    const tools = [pay, once, size];
    const pays = (n: number): [string, unknown] => ["pay", { n }];
    /** What it does first, then what waits, then what it read. */
    const inner = (who: string, ...calls: Parameters<typeof asks>) =>
      answering(
        ({ prompt }) => [asks(["once", { who }]), asks(...calls)][(prompt.length - 1) / 2] ?? retells({ prompt }),
      );
    const clerk = { model: inner("clerk", pays(4)), tools };
    const subagents = {
      a: { model: inner("a", pays(1), pays(2)), tools },
      b: { model: inner("b", pays(3), task("clerk")), tools, subagents: { clerk } },
      c: { model: inner("c", "size"), tools },
    };
    const model = inner("itself", pays(0), task("a"), task("b"), task("c"));
    return { paid, asked, options: { model, tools, subagents } };
  }

  type Answer = [rank: number, round: number, decision: "approve" | "deny"];
  const answer = fc.tuple(fc.nat(1000), fc.nat(3), fc.constantFrom<"approve" | "deny">("approve", "deny"));

  test("decided in any order and any subset, each time by another process: each is asked about once and done once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(answer, answer, answer, answer, answer, answer), async (answers: Answer[]) => {
        await using base = database();
        const { paid, asked, options } = world();
        let result = await elsewhere(base, options).run("go");
        const all = waiting(result).pending;
        expect(all).toHaveLength(6);
        const numberOf = (input: any) => input?.n ?? 5;
        const plan = all
          .map((call) => ({ call, answer: answers[numberOf(call.input)]! }))
          .sort((x, y) => x.answer[1] - y.answer[1] || x.answer[0] - y.answer[0]);
        let left = plan;
        for (const round of new Set(plan.map(({ answer }) => answer[1]))) {
          const now = left.filter(({ answer }) => answer[1] === round);
          left = left.filter(({ answer }) => answer[1] !== round);
          for (const { call, answer } of now) {
            const yes: Decision = call.name === "size" ? { value: 0 } : { approve: true };
            await elsewhere(base, options).decide(call.callId, answer[2] === "approve" ? yes : { deny: "no" });
          }
          result = await elsewhere(base, options).resume();
          const open = result.isInterrupted() ? result.pending.map(({ callId }) => callId).sort() : [];
          expect(open).toEqual(left.map(({ call }) => call.callId).sort());
          const done = plan.filter(({ answer }) => answer[1] <= round && answer[2] === "approve");
          expect(paid()).toEqual(
            done.flatMap(({ call }) => (call.name === "pay" ? [numberOf(call.input)] : [])).sort(),
          );
        }
        expect(result.status).toBe("success");
        const history = await elsewhere(base, options).history();
        expect(faults(history)).toEqual([]);
        const said = (n: number) =>
          answers[n]![2] === "deny" ? /denied: no/ : n === 5 ? /0/ : new RegExp(`paid ${n}`);
        const read = Object.values(results(history)).slice(1);
        const expected = [[0], [1, 2], [3, 4], [5]];
        for (const [index, numbers] of expected.entries())
          for (const n of numbers) expect(read[index]).toMatch(said(n));
        expect(asked.sort()).toEqual(["a", "b", "c", "clerk", "itself"]);
        const ends = ofType(await base.open().read("s"), "tool-end").map(({ key }) => key);
        expect(new Set(ends).size).toBe(ends.length);
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  test("a session with calls that wait inside is forked, and answered two ways", async () => {
    const { paid, options } = world();
    const session = new Agent({ name: "x", ...options }).session();
    waiting(await session.run("go"));
    const fork = await session.fork();
    for (const [one, decision] of [
      [session, { approve: true }],
      [fork, { deny: "not here" }],
    ] as const)
      for (const { callId, name } of await one.pending())
        await one.decide(callId, name === "size" ? { value: "" } : decision);
    const [yes, no] = [await session.resume(), await fork.resume()];
    expect([yes.status, no.status]).toEqual(["success", "success"]);
    expect(paid()).toEqual([0, 1, 2, 3, 4]);
    expect(yes.output).toContain("paid 4");
    expect(no.output).toContain("not here");
    expect(no.output).not.toContain("paid");
  });
});

describe("LangGraph 5: a program cannot catch that its sub-agent waits", () => {
  test("neither with try, nor with allSettled, nor with finally", async () => {
    const { paid, pay } = paying();
    const code = `
      const seen = [];
      try { seen.push(await subagents.a("pay")); } catch { seen.push("caught"); } finally { seen.push("finally"); }
      const [other] = await Promise.allSettled([subagents.a("pay again")]);
      return [...seen, JSON.stringify(other)].join(" / ");`;
    const inner = answering(({ prompt }) =>
      prompt.length === 1 ? asks(["pay", { n: saidIn(prompt)[0] === "pay" ? 1 : 2 }]) : retells({ prompt }),
    );
    const model = scriptedModel([program(code), "ok"]);
    const session = new Agent({
      name: "x",
      model,
      mode,
      subagents: { a: { model: inner, tools: [pay], mode: "tools" } },
    }).session();
    let result = await session.run("go");
    for (const n of [1, 2]) {
      const { pending } = waiting(result);
      expect(pending).toMatchObject([{ name: "pay", input: { n } }]);
      expect(model.requests).toHaveLength(1);
      await session.decide(pending[0]!.callId, { approve: true });
      result = await session.resume();
    }
    expect(result.output).toBe("ok");
    expect(retells(model.requests[1]!)).toContain('paid 1 / finally / {"status":"fulfilled","value":"paid 2"}');
    expect(paid()).toEqual([1, 2]);
  });
});

describe("Mastra 3: a decision about what waits inside", () => {
  test.each<[string, (callId: string) => string]>([
    ["of the call around it", (callId) => callId.split("/").slice(0, 3).join("/")],
    ["of the iteration inside", (callId) => callId.split("/").slice(0, 4).join("/")],
    ["of the same place without what is around", (callId) => [callId.split("/")[0], 1, 1].join("/")],
    ["of a call beside it", (callId) => callId.replace(/\d+$/, "9")],
    ["of another sub-agent", (callId) => callId.replace("/1/1/1/1", "/1/2/1/1")],
  ])("does not take an id %s", async (_, other) => {
    const { paid, pay } = paying();
    const store = memoryStore();
    const subagents = { a: { model: scriptedModel([asks(["pay", { n: 1 }]), retells]), tools: [pay] } };
    const model = scriptedModel([asks(task("a")), "ok"]);
    const session = new Agent({ name: "x", model, subagents, store }).session({ id: "s" });
    const { pending } = waiting(await session.run("go"));
    const before = await store.read("s");
    const id = other(pending[0]!.callId);
    expect(id).not.toBe(pending[0]!.callId);
    for (const decision of [{ approve: true }, { deny: "no" }, { value: 0 }] as Decision[])
      await expect(session.decide(id, decision)).rejects.toMatchObject({ code: "DECISION_UNKNOWN" });
    expect(await store.read("s")).toEqual(before);
    expect(waiting(await session.resume()).pending).toEqual(pending);
    expect(paid()).toEqual([]);
  });
});

test("Mastra 8: any runs with sub-agents, ended, aborted and answered by others, are read back as they were", async () => {
  const quick = tool("quick", () => sleep(1).then(() => "quick"));
  const throws = tool("throws", () => {
    throw new Error("no");
  });
  const ask = tool("ask", () => {
    throw new SnapshotSignal("which?");
  });
  const tools = [quick, throws, ask];
  const calls = fc.array(fc.constantFrom("quick", "throws", "task", "ask"), { minLength: 1, maxLength: 3 });
  const runs = fc.array(fc.record({ calls, abortAt: fc.option(fc.nat(60)) }), { minLength: 1, maxLength: 3 });

  /** A sub-agent does what the run around does, but gives no tasks. */
  function optionsOf(played: string[]) {
    const inner = answering(({ prompt }) =>
      prompt.length === 1 ? asks(...played.map((name) => (name === "task" ? "quick" : name))) : "inner end",
    );
    const model = answering(({ prompt }) =>
      prompt.at(-1).role === "user" ? asks(...played.map((name) => (name === "task" ? task("a") : name))) : "the end",
    );
    return { model, tools, subagents: { a: { model: inner, tools } } };
  }

  await fc.assert(
    fc.asyncProperty(runs, async (all) => {
      await using base = database();
      let before: readonly unknown[] = [];
      for (const [index, { calls, abortAt }] of all.entries()) {
        const options = optionsOf(calls);
        const session = elsewhere(base, options);
        const run = session.run(`go ${index}`);
        let count = 0;
        if (abortAt !== null) for await (const _ of run) if (++count === abortAt) session.abort();
        let result = await run;
        for (let left = 9; result.isInterrupted() && left > 0; left--) {
          expect(faults(await elsewhere(base, options).history())).toEqual([]);
          await elsewhere(base, options).decide(result.pending[0]!.callId, { value: 0 });
          result = await elsewhere(base, options).resume();
        }
        const history = await elsewhere(base, options).history();
        expect(history).toEqual(result.messages);
        expect(history.slice(0, before.length)).toEqual(before);
        expect(faults(history)).toEqual([]);
        expect(saidIn(history)).toEqual(all.slice(0, index + 1).map((_, n) => `go ${n}`));
        before = history;
      }
      const kept = await base.open().read("s");
      const keys = (type: Entry["type"]) =>
        ofType(kept, type)
          .map(({ key }) => key)
          .sort();
      // What waits when the run around it is aborted ends with that run: nobody can decide about it any more.
      const left = (begun: Entry["type"], ended: Entry["type"]) => {
        const ends = keys(ended);
        return keys(begun).filter((key) => !ends.includes(key));
      };
      const waited = keys("tool-pause");
      expect(waited).toEqual(expect.arrayContaining(left("tool-call", "tool-end")));
      for (const run of left("run-start", "run-end")) expect(waited.some((key) => isIn(run, key))).toBe(true);
      expect(new Set(keys("tool-end")).size).toBe(keys("tool-end").length);
      expect(await elsewhere(base, optionsOf([])).pending()).toEqual([]);
    }),
    { numRuns: 20 },
  );
}, 60_000);

test("Mastra 9: giant results inside, and of a sub-agent, are whole in the log and a preview for who reads them", async () => {
  const giant = (of: string) => Array.from({ length: 20_000 }, (_, n) => `${of} row ${n}`).join("\n");
  const [tree, essay] = [giant("tree"), giant("essay")];
  const inner = scriptedModel([asks("dump"), essay]);
  const reads = ({ prompt }: { prompt: any[] }) => {
    const [, call] = /read_result\(\{ "call": "([^"]+)"/.exec(results(prompt).call_1_1!)!;
    return asks(["read_result", { call, grep: "essay row 10000" }], ["read_result", { call: `${call}/1/1` }]);
  };
  const model = scriptedModel([asks(task("a")), reads, "ok"]);
  const store = memoryStore();
  const subagents = { a: { model: inner, tools: [tool("dump", () => tree)] } };
  const session = new Agent({ name: "x", model, subagents, store }).session({ id: "s" });
  expect((await session.run("go")).output).toBe("ok");
  const kept = await store.read("s");
  expect(
    ofType(kept, "tool-end")
      .map(({ output }) => output)
      .slice(0, 2),
  ).toEqual([tree, essay]);
  for (const { prompt } of [...inner.requests, ...model.requests])
    expect(JSON.stringify(prompt).length).toBeLessThan(tree.length / 5);
  const read = results(model.requests[2]!.prompt);
  expect(read.call_2_1).toContain("essay row 10000");
  expect(read.call_2_2).toMatch(/^! /); // what is inside is not of this conversation
});

test("LangGraph 1 and 2: a sub-agent that fails ends no other, and each call, inside and around, has one end", async () => {
  const work = tool("work", ({ n }: any) => {
    if (n === 2) throw new Error("no line");
    return sleep(n).then(() => `worked ${n}`);
  });
  const calls = [1, 2, 3].map((n): [string, unknown] => ["work", { n }]);
  const inner = () => ({ model: scriptedModel([asks(...calls), retells]), tools: [work] });
  const fails = { model: scriptedModel([asks(...calls), asks("work")]), tools: [work], iterations: 1 };
  const model = scriptedModel([asks(task("a"), task("b"), task("c")), "ok"]);
  const session = new Agent({ name: "x", model, subagents: { a: inner(), b: fails, c: inner() } }).session();
  const { events, result } = await watched(session.run("go"));
  expect(result.output).toBe("ok");
  const read = results(model.requests[1]!.prompt);
  for (const id of ["call_1_1", "call_1_3"]) expect(read[id]).toMatch(/^worked 1, ! .*no line.*, worked 3$/s);
  expect(read.call_1_2).toMatch(/^! /);
  const ends = ofType(events, "tool-end").map(({ key }) => key);
  expect(ends).toHaveLength(12);
  expect(ends.sort()).toEqual(
    ofType(events, "tool-call")
      .map(({ key }) => key)
      .sort(),
  );
});

describe("LangGraph 6: an abort of a session beside sub-agents that end by themselves", () => {
  test("at any moment: one end of each run, no call without a result, and no error that nobody caught", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on("unhandledRejection", note);
    for (let after = 1; after < 60; after += 2) {
      const quick = tool("quick", () => sleep(after % 3));
      const inner = () => ({ model: scriptedModel([asks("quick", "quick"), "done"]), tools: [quick] });
      const store = memoryStore();
      const model = scriptedModel([asks(task("a"), task("b"), task("c")), "ok"]);
      const agent = new Agent({ name: "x", model, subagents: { a: inner(), b: inner(), c: inner() }, store });
      const session = agent.session({ id: "s" });
      const run = session.run("go");
      let count = 0;
      for await (const _ of run) if (++count === after) session.abort();
      expect(["aborted", "text"]).toContain((await run).stopReason);
      const kept = await store.read("s");
      const ends = ofType(kept, "run-end").map(({ key }) => key);
      expect(ends.sort()).toEqual(
        ofType(kept, "run-start")
          .map(({ key }) => key)
          .sort(),
      );
      expect(faults(await session.history())).toEqual([]);
      expect((await session.run("again", { model: scriptedModel(["Here."]) })).output).toBe("Here.");
    }
    await sleep(10);
    process.off("unhandledRejection", note);
    expect(uncaught).toEqual([]);
  });
});

describe("LangGraph 7: one definition of sub-agents", () => {
  const words = ({ prompt }: { prompt: any[] }) => saidIn(prompt).at(-1)!;

  /** Everything is shared: agent, models, tools, roles and store. */
  function shared(more: object) {
    const look = tool(
      "look",
      async ({ n }: any, { assigns, callId }) => {
        await sleep(n % 5);
        return `${n} ${assigns.n ?? "none"} ${callId.split("/").length}`;
      },
      more,
    );
    const role = (next: string) => ({
      model: answering(({ prompt }) => {
        if (prompt.at(-1).role !== "user") return retells({ prompt });
        return next === "look" ? asks(["look", { n: Number(words({ prompt })) }]) : asks(task(next, words({ prompt })));
      }),
      tools: [look],
    });
    const subagents = { a: { ...role("b"), subagents: { b: role("look") } }, c: role("look") };
    const model = answering(({ prompt }) =>
      prompt.at(-1).role === "user"
        ? asks(task("a", words({ prompt })), task("c", `${Number(words({ prompt })) + 1000}`))
        : retells({ prompt }),
    );
    return new Agent({ name: "x", model, subagents, store: memoryStore() });
  }

  const numbers = Array.from({ length: 100 }, (_, n) => n);

  test("100 sessions and 100 runs of it at once mix nothing", async () => {
    const agent = shared({});
    const both = await Promise.all(
      numbers.flatMap((n) => [
        agent.session({ id: `s${n}` }).run(`${n}`, { assigns: { n: `outer ${n}` } }),
        agent.run(`${n}`, { store: memoryStore() }),
      ]),
    );
    expect(both.map(({ output }) => output)).toEqual(
      numbers.flatMap((n) => Array(2).fill(`${n} none 7, ${n + 1000} none 5`)),
    );
    for (const n of numbers) {
      const text = JSON.stringify(await agent.options.store!.read(`s${n}`));
      for (const [, other] of text.matchAll(/"text":"(\d+)"/g)) expect(Number(other) % 1000).toBe(n);
    }
  });

  test("100 sessions whose sub-agents wait: each asks for its own, and is answered by itself", async () => {
    const agent = shared({ approval: true });
    const outputs = await Promise.all(
      numbers.map(async (n) => {
        const session = agent.session({ id: `s${n}` });
        const { pending } = waiting(await session.run(`${n}`));
        expect(pending.map(({ input }) => (input as any).n).sort((x, y) => x - y)).toEqual([n, n + 1000]);
        await sleep((n * 7) % 5);
        for (const { callId } of n % 2 ? pending : [...pending].reverse())
          await session.decide(callId, n % 3 ? { approve: true } : { value: `mine ${n}` });
        return String((await session.resume()).output);
      }),
    );
    for (const [n, output] of outputs.entries())
      expect(output).toMatch(
        n % 3 ? new RegExp(`^${n} none .*, ${n + 1000} none `) : new RegExp(`^mine ${n}, mine ${n}$`),
      );
  });
});

test("LangGraph 10: what a sub-agent, and the run around it, go on from is acknowledged before", async () => {
  const { store, acknowledged } = slowStore();
  const missing: string[] = [];
  const demand = (what: string) => acknowledged.includes(what) || missing.push(what);
  const after = (place: () => string, step: ReturnType<typeof asks> | string) => () => {
    demand(place());
    return step;
  };
  let call = "";
  const around = () => call.split("/").slice(0, 3).join("/");
  const note = tool("note", (_, { callId }) => {
    call = callId;
    demand(`tool-start ${callId}`);
    demand(`tool-start ${around()}`);
    return "noted";
  });
  const inner = scriptedModel([asks("note"), after(() => `tool-end ${call}`, "done")]);
  const model = scriptedModel([asks(task("a")), after(() => `tool-end ${around()}`, "ok")]);
  const subagents = { a: { model: inner, tools: [note] } };
  const run = new Agent({ name: "x", model, subagents, store }).session({ id: "s" }).run("go");
  for await (const event of run) if ("seq" in event) demand(`${event.type} ${event.key}`);
  const result = await run;
  expect(result.output).toBe("ok");
  demand(`run-end ${around()}`);
  demand(`run-end ${result.run}`);
  expect(missing).toEqual([]);
});
