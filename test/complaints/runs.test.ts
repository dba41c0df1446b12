/**
 * What users of other systems stumbled over (spec, "complaints"), as far as it concerns resume, aborts, exits and limits: a test is
 * named by its line. Lines that other tests prove already:
 *
 * | line | proved by |
 * |---|---|
 * | Botpress 1, AI SDK 4: who lost a race is aborted | test/modes/code/programs.test.ts "does not wait for who lost a race" |
 * | Botpress 3: a limit of calls is explicit | test/vm/limits.test.ts "calls", test/engine/budget.test.ts |
 * | Botpress 4: time counts while a tool is awaited, and its signal fires | test/engine/budget-time.test.ts, core/tool-run.test.ts |
 * | Condukt 1: a steer is in the next request, the rest is skipped | test/engine/steering.test.ts |
 * | Condukt 2: an abort stops the stream and the tools | test/engine/abort.test.ts |
 * | Condukt 3: a limit is never a success | test/engine/iterations.test.ts, budget.test.ts |
 * | AI SDK 6: to stop watching is not to stop; calls have their ends | test/engine/iterators.test.ts, abort.test.ts, history.test.ts |
 * | AI SDK 8: ids, broken input, empty answers | test/engine/model/answers.test.ts, handlers.test.ts |
 * | Mastra 8: no call vanishes and none is doubled | test/engine/any-run.test.ts, kill.test.ts |
 * | Mastra 10: a log that the client holds | test/engine/replay.test.ts |
 * | LangGraph 1, 2: an error is a result, and a call has one end | test/engine/parallel.test.ts |
 * | LangGraph 6: no listener is left | test/engine/abort.test.ts "10,000 runs with one signal" |
 * | LangGraph 10: acknowledged is kept | test/engine/store-failure.test.ts, kill.test.ts |
 */
import { describe, expect, test } from "vitest";
import { ok } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import {
  asks,
  execute,
  faults,
  never,
  ofType,
  requestText,
  results,
  scriptedModel,
  sleep,
  tool,
  waiting,
  watched,
} from "../engine/support.ts";
import { badHandlers } from "./support.ts";

describe("Condukt 2 and 4: whatever a handler does, its session takes the next prompt", () => {
  test.each(Object.keys(badHandlers))("a handler that %s", async (name) => {
    const store = memoryStore();
    const bad = tool("bad", badHandlers[name]!, { timeoutMs: 20 });
    const model = scriptedModel([asks("bad"), "It did not work.", "Here I am."]);
    const options = { model, tools: [bad], store, session: "s" };
    expect((await execute({ ...options, prompt: "go" })).output).toBe("It did not work.");
    expect((await execute({ ...options, prompt: "still there?" })).output).toBe("Here I am.");
    expect(faults(model.requests[2]!.prompt)).toEqual([]);
    expect(ofType(await store.read("s"), "tool-end")).toHaveLength(1);
  });

  test("a run that was aborted while its handler takes no notice", async () => {
    const store = memoryStore();
    const deaf = tool("deaf", () => never);
    const model = scriptedModel([asks("deaf"), "Here I am."]);
    const options = { model, tools: [deaf], store, session: "s" };
    const run = execute({ ...options, prompt: "go" });
    for await (const { type } of run) if (type === "tool-start") run.abort();
    expect((await run).stopReason).toBe("aborted");
    expect((await execute({ ...options, prompt: "still there?" })).output).toBe("Here I am.");
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });
});

describe("Condukt 5: a model that fails takes nothing with it", () => {
  test("what the user said and what was done is in the store before the model is asked again", async () => {
    const store = memoryStore();
    const pay = tool("pay", () => "paid 5");
    const seen: string[][] = [];
    const fails = async () => {
      seen.push((await store.read("s")).map(({ type }) => type));
    };
    const broken = { error: Object.assign(new Error("no credit"), { statusCode: 401 }) };
    const model = scriptedModel([asks("pay"), broken, "It was paid."]);
    const hooks = { onIterationStart: fails };
    const options = { model, tools: [pay], store, session: "s", hooks };
    const first = await execute({ ...options, prompt: "Pay 5." });
    expect(first).toMatchObject({ status: "error", stopReason: "model" });
    expect(seen[1]).toEqual(expect.arrayContaining(["message", "tool-end"]));

    const second = await execute({ ...options, prompt: "And?" });
    expect(second.output).toBe("It was paid.");
    expect(requestText(model, 2)).toContain("Pay 5.");
    expect(results(model.requests[2]!.prompt).call_1_1).toBe("paid 5");
    expect(faults(model.requests[2]!.prompt)).toEqual([]);
  });
});

describe("AI SDK 6: to stop watching is not to stop", () => {
  test("a watcher that leaves in the middle of a call changes nothing, and a later one sees the end", async () => {
    const slow = tool("slow", () => sleep(20).then(() => "done"));
    const run = execute({ model: scriptedModel([asks("slow"), "ok"]), tools: [slow], prompt: "go" });
    for await (const { type } of run) if (type === "tool-start") break;
    const { events, result } = await watched(run);
    expect(result.output).toBe("ok");
    expect(ofType(events, "tool-end")).toMatchObject([{ output: "done" }]);
  });

  test("an abort in the middle of calls gives each that listens its end, and the conversation no orphan", async () => {
    const listens = tool("listens", (_, { abortSignal }) => {
      return new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason)));
    });
    const run = execute({ model: scriptedModel([asks(...Array(8).fill("listens"))]), tools: [listens], prompt: "go" });
    let started = 0;
    const ends: string[] = [];
    for await (const event of run) {
      if (event.type === "tool-start" && ++started === 8) run.abort("enough");
      if (event.type === "tool-end") ends.push(event.key);
    }
    const result = await run;
    expect(result.stopReason).toBe("aborted");
    expect(new Set(ends).size).toBe(8);
    expect(ends).toHaveLength(8);
    expect(faults(result.messages)).toEqual([]);
  });
});

test("Mastra 10: the conversation may be the client's alone, run after run", async () => {
  const note = tool("note", ({ text }: any) => `noted ${text}`);
  let messages: any[] = [];
  for (const [round, text] of ["milk", "eggs", "bread"].entries()) {
    const model = scriptedModel([asks(["note", { text }]), `Noted ${text}.`]);
    const result = await execute({ model, tools: [note], messages, prompt: `Note ${text}.` });
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
    expect(model.requests[1]!.prompt.filter(({ role }) => role === "user")).toHaveLength(round + 1);
    messages = JSON.parse(JSON.stringify(result.messages));
  }
  expect(JSON.stringify(messages)).toMatch(/noted milk.*noted eggs.*noted bread/);
});

describe("LangGraph 6: an abort beside calls that end by themselves", () => {
  test("at any moment: one end, and no error that nobody caught", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    process.on("unhandledRejection", note);
    for (let after = 0; after < 40; after++) {
      const quick = tool("quick", () => sleep(after % 3));
      const model = scriptedModel([asks(...Array(12).fill("quick")), asks("quick"), "ok"]);
      const run = execute({ model, tools: [quick], prompt: "go" });
      let count = 0;
      const types: string[] = [];
      for await (const { type } of run) {
        types.push(type);
        if (++count === after) run.abort();
      }
      const result = await run;
      expect(types.filter((type) => type === "run-end")).toHaveLength(1);
      expect(["aborted", "text"]).toContain(result.stopReason);
      expect(faults(result.messages)).toEqual([]);
    }
    await sleep(10);
    process.off("unhandledRejection", note);
    expect(uncaught).toEqual([]);
  });
});

describe("LangGraph 7: runs that share everything that can be shared", () => {
  test("100 at once mix nothing: neither calls, nor assigns, nor secrets, nor sessions", async () => {
    const store = memoryStore();
    const hooks = {};
    const say = tool("say", async ({ n }: any, ctx) => {
      await sleep(n % 5);
      const before = ctx.assigns.n;
      return ok(`${n} ${before} ${ctx.secrets.get("KEY") === `secret-value-${n}`}`, { assigns: { said: n } });
    });
    const tools = [say];
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    const ends = await Promise.all(
      numbers.map((n) =>
        execute({
          model: scriptedModel([asks(["say", { n }]), ({ prompt }) => results(prompt).call_1_1!]),
          ...{ tools, hooks, store, session: `s${n}`, prompt: `number ${n}` },
          assigns: { n },
          secrets: { KEY: () => `secret-value-${n}` },
        }),
      ),
    );
    expect(ends.map((end) => end.output)).toEqual(numbers.map((n) => `${n} ${n} true`));
    for (const n of numbers) {
      const text = JSON.stringify(await store.read(`s${n}`));
      expect(text).toContain(`number ${n}"`);
      expect(text).not.toContain("secret-value");
      for (const [other] of text.matchAll(/number \d+"/g)) expect(other).toBe(`number ${n}"`);
    }
  });
});

test("LangGraph 8: what a run begins with does not put back what was changed since", async () => {
  const count = tool("count", (_, { assigns }) => ok(assigns.count, { assigns: { count: assigns.count + 1 } }));
  const stop = tool("stop", (_, { assigns }) => `stopped at ${assigns.count}`, { approval: true });
  const options = { tools: [count, stop], assigns: { count: 0 } };
  const first = waiting(
    await execute({ ...options, model: scriptedModel([asks("count"), asks("count"), asks("stop")]), prompt: "go" }),
  );
  const log = first.snapshot.decide(first.pending[0]!.callId, { approve: true });
  const model = scriptedModel(["ok"]);
  await execute({ ...options, model, log });
  expect(results(model.requests[0]!.prompt).call_3_1).toBe("stopped at 2");
});

test("LangGraph 10: a fork in the middle has the state of that moment, also with a call that waits", async () => {
  const state: number[] = [];
  const add = tool("add", (_, { assigns }) => {
    state.push(assigns.sum ?? 0);
    return ok("added", { assigns: { sum: (assigns.sum ?? 0) + 1 } });
  });
  const pay = tool("pay", (_, { assigns }) => `paid at ${assigns.sum}`, { approval: true });
  const options = { tools: [add, pay] };
  const first = waiting(await execute({ ...options, model: scriptedModel([asks("add"), asks("pay")]), prompt: "go" }));
  const forked = first.snapshot.fork();
  const yes = first.snapshot.decide(first.pending[0]!.callId, { approve: true });
  const no = forked.decide(forked.pending[0]!.callId, { deny: "not in this one" });
  const model = () => scriptedModel([asks("add"), "ok"]);
  const one = await execute({ ...options, model: model(), log: yes });
  const other = await execute({ ...options, model: model(), log: no });
  expect(state).toEqual([0, 1, 1]);
  expect(JSON.stringify(one.messages)).toContain("paid at 1");
  expect(JSON.stringify(other.messages)).toContain("not in this one");
  expect(other.run).not.toBe(one.run);
});
