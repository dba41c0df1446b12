import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/index.ts";
import { asks, execute, ofType, requestText, scriptedModel, tool, waiting, watched } from "./support.ts";

const nothing = tool("nothing", () => "nothing", { idempotent: true });
const risky = tool("risky", () => "done", { approval: true });
const tools = [nothing, risky];
const ended = (limit: string) => ({ stopReason: "budget", error: { code: "BUDGET_EXCEEDED", data: { limit } } });
const paid = (...calls: string[]) => ({ ...asks(...calls), usage: { inputTokens: 100, outputTokens: 0 } });

async function interrupted(budget: object, ...steps: ReturnType<typeof paid>[]) {
  const result = waiting(
    await execute({ model: scriptedModel([...steps, paid("risky")]), tools, prompt: "go", budget }),
  );
  return result.snapshot.decide(result.pending[0]!.callId, { approve: true });
}

describe("what the log has counts", () => {
  test("calls", async () => {
    const log = await interrupted({ calls: 2 }, paid("nothing"));
    const result = await execute({ model: scriptedModel([asks("nothing"), "ok"]), tools, log, budget: { calls: 2 } });
    expect(result).toMatchObject(ended("calls"));
    expect(result.isError() && result.error.data).toMatchObject({ used: 2, by: { nothing: 1, risky: 1 } });
  });

  test("iterations, the open one once", async () => {
    const log = await interrupted({ iterations: 3 }, paid("nothing"));
    const model = scriptedModel([asks("nothing"), "ok"]);
    const result = await execute({ model, tools, log, budget: { iterations: 3 } });
    expect(model.played).toBe(1);
    expect(result).toMatchObject({ ...ended("iterations"), error: { data: { used: 3 } } });
  });

  test("tokens, and dollars by the prices of now", async () => {
    const log = await interrupted({}, paid("nothing"));
    const model = scriptedModel([paid("nothing"), "ok"]);
    const tokens = await execute({ model, tools, log, budget: { tokens: 300 } });
    expect(tokens).toMatchObject({ ...ended("tokens"), error: { data: { used: 300 } } });

    const prices = (_: string, usage: { inputTokens: number }) => usage.inputTokens / 1000;
    const next = scriptedModel([paid("nothing"), "ok"]);
    const usd = await execute({ model: next, tools, log, prices, budget: { usd: 0.3 } });
    expect(usd).toMatchObject({ ...ended("usd"), error: { data: { max: 0.3 } } });
    expect(next.played).toBe(1);
  });

  test("an answer that the log has is acted on, also when it was one too many", async () => {
    const log = await interrupted({ tokens: 200 }, paid("nothing"));
    const model = scriptedModel([]);
    const { events, result } = await watched(execute({ model, tools, log, budget: { tokens: 200 } }));
    expect(ofType(events, "tool-end")).toMatchObject([{ name: "risky", output: "done" }]);
    expect(result).toMatchObject(ended("tokens"));
  });

  test("a run that ended by its budget is replayed as it was, under any budget", async () => {
    const options = { tools, prompt: "go", budget: { iterations: 1 } };
    const { events } = await watched(execute({ ...options, model: scriptedModel([asks("nothing")]) }));
    const log = events.filter((event) => "seq" in event) as Entry[];
    const model = scriptedModel([]);
    const result = await execute({ model, tools, log, budget: { iterations: 9, seconds: 1 } });
    expect(result).toMatchObject({ status: "error", ...ended("iterations") });
  });

  test("with a new prompt, a new run begins with a whole budget", async () => {
    const options = { tools, prompt: "go", budget: { iterations: 1 } };
    const { events } = await watched(execute({ ...options, model: scriptedModel([asks("nothing")]) }));
    const log = events.filter((event) => "seq" in event) as Entry[];
    const next = await execute({ ...options, model: scriptedModel(["ok"]), log, prompt: "and now?" });
    expect(next.output).toBe("ok");
  });
});

describe("what the model was told", () => {
  test("a resumed run tells the same, and not once more", async () => {
    const budget = { calls: 4, soft: 0.5 };
    const log = await interrupted(budget, paid("nothing", "nothing"));
    expect(JSON.stringify(log.entries)).toContain("Left: 2 of 4 calls");
    const model = scriptedModel([asks("nothing"), "ok"]);
    const result = await execute({ model, tools, log, budget });
    expect(result.output).toBe("ok");
    expect(requestText(model, 1).split("Most of the budget")).toHaveLength(2);
  });

  test("a raised limit is told of again", async () => {
    const log = await interrupted({ calls: 2, soft: 0.5 }, paid("nothing"));
    const model = scriptedModel([asks("nothing"), "ok"]);
    await execute({ model, tools, log, budget: { calls: 4, soft: 0.5 } });
    expect(requestText(model, 0)).toContain("Left: 1 of 2 calls");
    expect(requestText(model, 0)).toContain("Left: 2 of 4 calls");
  });
});

test("cut anywhere, a run comes to the same end, and its budget is never used twice", async () => {
  const budget = { calls: 3, iterations: 5 };
  const steps = [paid("nothing"), paid("nothing"), paid("nothing", "nothing"), paid("nothing")];
  const whole = await watched(execute({ model: scriptedModel(steps), tools, prompt: "go", budget }));
  expect(whole.result).toMatchObject(ended("calls"));
  const entries = whole.events.filter((event) => "seq" in event) as Entry[];
  for (let length = 2; length < entries.length; length++) {
    const log = entries.slice(0, length);
    const answered = ofType(log, "model-response").length;
    const { result } = await watched(execute({ model: scriptedModel(steps.slice(answered)), tools, log, budget }));
    const last = log.at(-1)!;
    // A call that had started is made again, and that is an attempt more.
    const isInDoubt = ofType(log, "tool-start").length > ofType(log, "tool-end").length;
    expect(`${last.type} ${result.stopReason}`).toBe(`${last.type} budget`);
    if (!isInDoubt) expect(result.isError() && result.error.data).toMatchObject({ limit: "calls", used: 3 });
  }
});
