import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/core/log.ts";
import { type Decision, type ExecuteOptions, Snapshot, SnapshotSignal, type Tool } from "../../../src/index.ts";
import { execute, ofType, scriptedModel, sleep, tool, waiting, watched } from "../../engine/support.ts";
import { lastReport, mode, program } from "./support.ts";

/** Through JSON, as another process would read it. */
function elsewhere(snapshot: Snapshot | undefined): Snapshot {
  return Snapshot.from(JSON.stringify(snapshot));
}

function counting(names: readonly string[], more: Record<string, Tool> = {}) {
  const calls: string[] = [];
  const note = (name: string) =>
    tool(name, async (input) => {
      calls.push(`${name} ${JSON.stringify(input)}`);
      await sleep(2);
      return `${name} done`;
    });
  return { calls, tools: [...names.map(note), ...Object.values(more)] };
}

const ask = tool("ask", (input) => {
  throw new SnapshotSignal("needs an answer", { question: input.question });
});

async function interrupted(codes: readonly string[], options: Partial<ExecuteOptions>) {
  const model = scriptedModel([...codes.map(program), "the end"]);
  const result = waiting(await execute({ model, mode, prompt: "go", ...options } as ExecuteOptions));
  return { model, result, snapshot: elsewhere(result.snapshot) };
}

async function goOn(log: Snapshot | readonly Entry[], options: Partial<ExecuteOptions>, codes: readonly string[] = []) {
  const model = scriptedModel([...codes.map(program), "the end"]);
  const { events, result } = await watched(execute({ model, mode, log, ...options } as ExecuteOptions));
  return { model, events, result, report: model.requests[0] && lastReport(model.requests[0]) };
}

describe("a program that stops for an answer", () => {
  const code = `
    const a = await one({ n: 1 });
    const seen = new Map([["a", a]]);
    const answer = await ask({ question: "Which?" });
    return [seen.get("a"), answer, await two({ n: 2 })];`;

  test("goes on at that await, in another process, with its locals; nothing finished is called again", async () => {
    const { calls, tools } = counting(["one", "two"], { ask });
    const { result, snapshot } = await interrupted([code], { tools });
    expect(result.pending).toMatchObject([{ name: "ask", reason: "snapshot", meta: { question: "Which?" } }]);
    expect(calls).toEqual(['one {"n":1}']);
    const { report, result: end } = await goOn(snapshot.resolve(result.pending[0]!.callId, { it: "is" }), { tools });
    expect(end).toMatchObject({ status: "success", output: "the end" });
    expect(calls).toEqual(['one {"n":1}', 'two {"n":2}']);
    for (const part of ["one done", "is", "two done"]) expect(report).toContain(part);
  });

  test("may be told no: the call throws where it stands", async () => {
    const { tools } = counting(["one", "two"], { ask });
    const { result, snapshot } = await interrupted([code], { tools });
    const { report } = await goOn(snapshot.reject(result.pending[0]!.callId, "nobody knows"), { tools });
    expect(report).toContain("nobody knows");
    expect(report).toMatch(/line 4/);
  });

  test("without an answer stops there again", async () => {
    const { calls, tools } = counting(["one", "two"], { ask });
    const { snapshot } = await interrupted([code], { tools });
    const { result } = await goOn(snapshot, { tools });
    expect(result.status).toBe("interrupted");
    expect(calls).toEqual(['one {"n":1}']);
  });

  test.each([
    ["try", "try { await ask({}) } catch { await two({ caught: true }) } finally { await two({ last: true }) }"],
    ["race", "await Promise.race([ask({}), one({})]); await two({ raced: true })"],
    ["any", "await Promise.any([ask({}), one({})]); await two({ any: true })"],
    ["allSettled", "await Promise.allSettled([ask({}), one({})]); await two({ settled: true })"],
    ["a timer", "await Promise.race([ask({}), new Promise((r) => setTimeout(r, 5))]); await two({ late: true })"],
  ])("cannot be swallowed by %s", async (_, body) => {
    const { calls, tools } = counting(["one", "two"], { ask });
    const { snapshot, result } = await interrupted([body], { tools });
    expect(calls.filter((call) => call.startsWith("two"))).toEqual([]);
    const again = await goOn(snapshot, { tools });
    expect(again.result.status).toBe("interrupted");
    expect(calls.filter((call) => call.startsWith("two"))).toEqual([]);
    const end = await goOn(snapshot.resolve(result.pending[0]!.callId, 1), { tools });
    expect(end.result).toMatchObject({ status: "success" });
  });

  test("lets the calls in flight finish, and knows them later", async () => {
    const { calls, tools } = counting(["one", "two"], { ask });
    const code = "return await Promise.all([one({ n: 1 }), ask({}), two({ n: 2 })]);";
    const { result, snapshot } = await interrupted([code], { tools });
    expect(calls).toHaveLength(2);
    const { report } = await goOn(snapshot.resolve(result.pending[0]!.callId, "yes"), { tools });
    expect(calls).toHaveLength(2);
    for (const part of ["one done", "yes", "two done"]) expect(report).toContain(part);
  });

  test("is approved, denied, or approved with another input", async () => {
    const pay = tool("pay", ({ amount }) => `paid ${amount}`, { approval: true });
    const code = "try { return await pay({ amount: 5 }) } catch (error: any) { return 'no: ' + error.message }";
    const decisions: [Decision, string][] = [
      [{ approve: true }, "paid 5"],
      [{ approve: true, input: { amount: 3 } }, "paid 3"],
      [{ deny: "too much" }, "no: This call was denied: too much"],
      [{ value: "settled in cash" }, "settled in cash"],
    ];
    for (const [decision, text] of decisions) {
      const { result, snapshot } = await interrupted([code], { tools: [pay] });
      const { report } = await goOn(snapshot.decide(result.pending[0]!.callId, decision), { tools: [pay] });
      expect(report).toContain(text);
    }
  });

  test("with two questions goes on when both have an answer, one after the other", async () => {
    const { calls, tools } = counting(["one", "two"], { ask });
    const code = "const both = await Promise.all([ask({ q: 1 }), ask({ q: 2 })]); return [both, await two({})];";
    const { result, snapshot } = await interrupted([code], { tools });
    expect(result.pending).toHaveLength(2);
    const half = await goOn(snapshot.resolve(result.pending[1]!.callId, "b"), { tools });
    expect(half.result.isInterrupted() && half.result.pending).toHaveLength(1);
    expect(calls).toEqual([]);
    const log = elsewhere(waiting(half.result).snapshot).resolve(result.pending[0]!.callId, "a");
    const { report } = await goOn(log, { tools });
    expect(report).toMatch(/a.*b.*two done/s);
  });

  test("has the same random numbers, times and ids before and after", async () => {
    const code = `
      const now = () => [Math.random(), Date.now(), crypto.randomUUID()].join(" ");
      const first = now();
      await one({});
      const second = now();
      await ask({ first, second });
      return "same: " + [first, second].join(" | ");`;
    const { tools } = counting(["one"], { ask });
    const { result, snapshot } = await interrupted([code], { tools });
    const input = result.pending[0]!.input as { first: string; second: string };
    const { report } = await goOn(snapshot.resolve(result.pending[0]!.callId, 1), { tools });
    expect(report).toContain(`same: ${input.first} | ${input.second}`);
  });

  test("in the third program uses what the first one made", async () => {
    const { calls, tools } = counting(["one", "two"], { ask });
    const codes = [
      "const rows = [await one({ n: 1 })]; const add = (row: string) => rows.push(row);",
      "let count = 10; add('second'); count++;",
      "add(String(await ask({}))); return [rows, count];",
    ];
    const { result, snapshot } = await interrupted(codes, { tools });
    const { report } = await goOn(snapshot.resolve(result.pending[0]!.callId, "third"), { tools });
    expect(calls).toEqual(['one {"n":1}']);
    expect(report).toMatch(/one done.*second.*third.*11/s);
  });

  test("goes on after a program that was told to think again, whose variables stay", async () => {
    const { ThinkSignal } = await import("../../../src/index.ts");
    const think = tool("think_of", () => {
      throw new ThinkSignal("look first", "words");
    });
    const { tools } = counting(["one"], { ask, think });
    const codes = ["let n = 1; await one({}); n = 2; await think_of({}); n = 3;", "return [n, await ask({})];"];
    const { result, snapshot } = await interrupted(codes, { tools });
    const { report } = await goOn(snapshot.resolve(result.pending[0]!.callId, "yes"), { tools });
    expect(report).toMatch(/2.*yes/s);
  });
});

describe("a replay", () => {
  const code = "const a = await one({ n: 1 }); await ask({}); return await two({ a });";

  async function tampered(change: (entries: any[]) => void, tools?: readonly Tool[]) {
    const counted = counting(["one", "two"], { ask });
    const { result, snapshot } = await interrupted([code], { tools: counted.tools });
    const json = JSON.parse(JSON.stringify(snapshot.resolve(result.pending[0]!.callId, 1)));
    change(json.entries);
    const before = counted.calls.length;
    const end = await goOn(Snapshot.from(json), { tools: tools ?? counted.tools });
    return { result: end.result, made: counted.calls.length - before };
  }
  const entryOf = (entries: any[], type: string) => entries.find((entry) => entry.type === type);

  test.each<[string, (entries: any[]) => void]>([
    ["another program", (entries) => void Object.assign(entryOf(entries, "program-start"), { code: "return 1" })],
    [
      "a program of the model that was changed",
      (entries) => {
        entryOf(entries, "model-response").content[0].input.code = code.replace("n: 1", "n: 2");
      },
    ],
    [
      "both",
      (entries) => {
        const other = code.replace("n: 1", "n: 2");
        entryOf(entries, "program-start").code = other;
        entryOf(entries, "model-response").content[0].input.code = other;
      },
    ],
    [
      "a call less",
      (entries) => {
        const other = "return await ask({});";
        entryOf(entries, "program-start").code = other;
        entryOf(entries, "model-response").content[0].input.code = other;
      },
    ],
    [
      "another tool",
      (entries) => {
        const other = code.replace("one(", "two(");
        entryOf(entries, "program-start").code = other;
        entryOf(entries, "model-response").content[0].input.code = other;
      },
    ],
  ])("of %s stops, and makes no call", async (_, change) => {
    const { result, made } = await tampered(change);
    expect(result).toMatchObject({ status: "error", error: { code: "REPLAY_DIVERGED" } });
    expect(made).toBe(0);
  });

  test("of a finished run makes no call and runs no program", async () => {
    const { calls, tools } = counting(["one"]);
    const model = scriptedModel([program("return await one({})"), "the end"]);
    const { events } = await watched(execute({ model, mode, tools, prompt: "go" }));
    const log = events.filter((event): event is Entry => "seq" in event);
    const again = await goOn(log, { tools });
    expect(again.result).toMatchObject({ status: "success", output: "the end" });
    expect(calls).toHaveLength(1);
  });

  test("goes by what the log says, at every place where it may end", async () => {
    const { calls, tools } = counting(["one", "two", "three"]);
    const safe = tools.map((each) => each.with({ idempotent: true }));
    const codes = [
      "const out: string[] = []; for (const n of [1, 2]) out.push(await one({ n }));",
      "out.push(...(await Promise.all([two({ n: 3 }), three({ n: 4 })]))); await new Promise((r) => setTimeout(r, 3));",
      "return out.join();",
    ];
    const model = scriptedModel([...codes.map(program), "the end"]);
    const { events } = await watched(execute({ model, mode, tools: safe, prompt: "go" }));
    const log = events.filter((event): event is Entry => "seq" in event);
    for (let length = 1; length < log.length; length++) {
      calls.length = 0;
      const prefix = log.slice(0, length);
      const left = codes.slice(ofType(prefix, "model-response").length);
      const { result, model } = await goOn(prefix, { tools: safe }, left);
      expect([length, result.status, "output" in result && result.output]).toEqual([length, "success", "the end"]);
      const over = ofType(prefix, "tool-end").length;
      expect([length, calls.length]).toEqual([length, 4 - over]);
      const last = model.requests.at(-1); // the log may have the model's last answer
      if (last)
        expect([length, lastReport(last)]).toEqual([length, expect.stringContaining("one done,one done,two done")]);
    }
  });
});

describe("a fork", () => {
  test("is another run that is answered another way; the first one stays as it was", async () => {
    const { calls, tools } = counting(["one", "two"], { ask });
    const code = "const a = await one({}); return [a, await ask({}), Math.random(), await two({})];";
    const { result, snapshot } = await interrupted([code], { tools });
    const fork = elsewhere(snapshot).fork();
    expect(fork.run).not.toBe(snapshot.run);
    expect(fork.pending).toHaveLength(1);
    const first = await goOn(snapshot.resolve(result.pending[0]!.callId, "left"), { tools });
    const second = await goOn(elsewhere(fork).resolve(fork.pending[0]!.callId, "right"), { tools });
    expect(first.report).toContain("left");
    expect(second.report).toContain("right");
    expect(calls.filter((call) => call.startsWith("one"))).toHaveLength(1);
    expect(second.result.run).toBe(fork.run);
    expect(ofType(second.events, "tool-start").every(({ key }) => key.startsWith(`${fork.run}/`))).toBe(true);
    const random = /0\.\d+/;
    expect(random.exec(second.report!)![0]).toBe(random.exec(first.report!)![0]);
  });
});

test("a program goes on after one whose tools are offered no more", async () => {
  const { tools } = counting(["first", "second"]);
  const [first, second] = tools;
  const options = { tools: ({ iteration }: { iteration: number }) => [iteration === 1 ? first! : second!, ask] };
  const codes = ["let a = await first({ n: 1 });", "return [a, await second({ n: 2 }), await ask({})];"];
  const { result, snapshot } = await interrupted(codes, options);
  const { report } = await goOn(snapshot.resolve(result.pending[0]!.callId, "yes"), options);
  expect(report).toMatch(/first done.*second done.*yes/s);
});
