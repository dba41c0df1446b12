import { describe, expect, test } from "vitest";
import { channel } from "../../src/core/context.ts";
import { pastUse } from "../../src/engine/budget/past-use.ts";
import { type BudgetLimits, type Entry, type ExecuteOptions, type ExecuteResult, Tool } from "../../src/index.ts";
import { asks, execute, ofType, requestText, results, scriptedModel, tool, watched } from "./support.ts";

const nothing = tool("nothing", () => "nothing");
const paid = (...calls: string[]) => ({ ...asks(...calls), usage: { inputTokens: 100, outputTokens: 0 } });

/** A tool whose handler runs another agent with the budget of its caller. */
function helper(options: Partial<ExecuteOptions>, ends: ExecuteResult[] = []): Tool<any, any, any> {
  return new Tool({
    name: "helper",
    handler: async (_: unknown, ctx) => {
      const { budget } = (ctx as any)[channel];
      const shared = { ...options, tools: [nothing], prompt: "help", [channel]: { budget } } as ExecuteOptions;
      const result = await execute(shared);
      ends.push(result);
      if (result.isError()) throw result.error;
      return result.output as string;
    },
  });
}

async function family(budget: BudgetLimits, child: Partial<ExecuteOptions>, ...own: any[]) {
  const ends: ExecuteResult[] = [];
  const model = scriptedModel([asks("helper"), ...own, "ok"]);
  const run = execute({ model, tools: [helper(child, ends), nothing], prompt: "go", budget });
  return { model, ends, ...(await watched(run)) };
}

describe("a run that a call starts draws from the budget of its caller", () => {
  test("calls: the one of the caller and those of the child", async () => {
    const child = scriptedModel([asks("nothing"), asks("nothing"), "helped"]);
    const { ends, result } = await family({ calls: 2 }, { model: child }, asks("nothing"));
    expect(ends[0]).toMatchObject({ stopReason: "budget", error: { code: "BUDGET_EXCEEDED" } });
    expect(ends[0]!.isError() && ends[0]!.error.message).toMatch(/shares with the run that started it, 2 calls/);
    expect(ends[0]!.isError() && ends[0]!.error.data).toMatchObject({ used: 2, by: { helper: 1, nothing: 1 } });
    expect(result).toMatchObject({ stopReason: "budget", error: { data: { limit: "calls", used: 2 } } });
  });

  test("tokens: what the child took is gone", async () => {
    const child = scriptedModel([paid("nothing"), { text: "helped", usage: { inputTokens: 150, outputTokens: 0 } }]);
    const { ends, result } = await family({ tokens: 200 }, { model: child });
    expect(ends[0]!.output).toBe("helped");
    expect(result).toMatchObject({ stopReason: "budget", error: { data: { limit: "tokens", used: 265 } } });
    expect(results(result.messages).call_1_1).toBe("helped"); // what was done stays
  });

  test("iterations: of both", async () => {
    const child = scriptedModel([asks("nothing"), asks("nothing"), "helped"]);
    const { ends, result } = await family({ iterations: 3 }, { model: child });
    expect(child.played).toBe(2);
    expect(ends[0]).toMatchObject({ stopReason: "budget" });
    const by = { [result.run]: 1, [ends[0]!.run]: 2 };
    expect(result).toMatchObject({ stopReason: "budget", error: { data: { limit: "iterations", by } } });
  });

  test("usd: by the caller's prices where the child has none", async () => {
    const child = scriptedModel([paid("nothing"), "helped"]);
    const ends: ExecuteResult[] = [];
    const prices = (_: string, usage: { inputTokens: number }) => usage.inputTokens / 1000;
    const options = { tools: [helper({ model: child }, ends)], prompt: "go", prices, budget: { usd: 0.1 } };
    const result = await execute({ ...options, model: scriptedModel([asks("helper"), "ok"]) });
    expect(ends[0]).toMatchObject({ stopReason: "budget", error: { data: { limit: "usd", max: 0.1 } } });
    expect(ends[0]!.cost).toBeCloseTo(0.1);
    expect(result).toMatchObject({ stopReason: "budget", error: { data: { limit: "usd" } } });
  });

  test("seconds: the child stops with its caller", async () => {
    const child = scriptedModel([{ text: "late", delayMs: 60_000 }]);
    const { result } = await family({ seconds: 0.2 }, { model: child });
    expect(result).toMatchObject({ stopReason: "budget", error: { data: { limit: "seconds" } } });
  });

  test("limits of its own end it alone, and its caller goes on", async () => {
    const child = scriptedModel([asks("nothing", "nothing"), "helped"]);
    const { ends, result } = await family({ calls: 10 }, { model: child, budget: { calls: 1 } }, asks("nothing"));
    expect(ends[0]).toMatchObject({ stopReason: "budget", error: { data: { limit: "calls", max: 1, used: 1 } } });
    expect(results(result.messages).call_1_1).toMatch(/^! The budget of this run, 1 call, is used up/);
    expect(result.output).toBe("ok");
  });

  test("a child with a wider limit has no more than its caller", async () => {
    const child = scriptedModel([asks("nothing", "nothing"), "helped"]);
    const { ends } = await family({ calls: 2 }, { model: child, budget: { calls: 100 } });
    expect(ends[0]).toMatchObject({ stopReason: "budget", error: { data: { max: 2 } } });
  });

  test("each is told what is left of the tightest, once", async () => {
    const child = scriptedModel([asks("nothing", "nothing"), asks("nothing"), "helped"]);
    const { model } = await family({ calls: 5, soft: 0.5 }, { model: child, budget: { calls: 100 } });
    expect(requestText(child, 1)).toContain("Left: 2 of 5 calls");
    expect(requestText(child, 2).split("Left: ")).toHaveLength(2);
    expect(requestText(model, 1)).toContain("Left: 1 of 5 calls");
  });
});

test("what runs in calls have used counts with the log of their caller: their keys begin with its own", async () => {
  const at = 1_000;
  const run = "run_a";
  const usage = { inputTokens: 90, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const answer = { type: "model-response", model: "m:m", content: [], finishReason: "stop", usage, durationMs: 1 };
  const bodies: [string, object][] = [
    ["run_other/1", answer],
    [`${run}/1`, answer],
    [`${run}/1/1`, { type: "tool-start", name: "helper", attempt: 1 }],
    [`${run}/1/1/1`, answer],
    [`${run}/1/1/1/1`, { type: "tool-start", name: "look", attempt: 1 }],
    [`${run}/1/1/1`, { type: "iteration-end", status: { type: "continued" }, messages: [], told: { calls: 9 } }],
    [`${run}/1/1/2`, { type: "model-start", model: "m:m", attempt: 1 }],
    [`${run}/1/1`, { type: "run-end", status: "error", stopReason: "model" }],
  ];
  const entries = bodies.map(([key, body], seq) => ({ v: 2, seq, at, key, ...body })) as Entry[];
  const { use, told } = pastUse(run, entries, () => 0.5);
  expect(use).toMatchObject({ tokens: 200, calls: 2, usd: 1, iterations: 2 });
  expect(use.by).toMatchObject({ calls: { helper: 1, look: 1 }, iterations: { [`${run}/1/1`]: 2 } });
  expect(told).toEqual({}); // that was the child
});

test("a run in a call without a budget is not counted", async () => {
  const child = scriptedModel([asks("nothing"), "helped"]);
  const model = scriptedModel([asks("helper"), "ok"]);
  const { events, result } = await watched(execute({ model, tools: [helper({ model: child })], prompt: "go" }));
  expect(result.output).toBe("ok");
  expect(ofType(events, "tool-end")[0]!.output).toBe("helped");
});
