import { describe, expect, test } from "vitest";
import type { ExecuteOptions, Prices } from "../../src/index.ts";
import { asks, execute, ofType, scriptedModel, tool, watched } from "./support.ts";

const nothing = tool("nothing", () => "nothing");
const go = { tools: [nothing], prompt: "go" };
const usage = { inputTokens: 1_000_000, outputTokens: 100_000 };
const known = { provider: "anthropic", modelId: "claude-sonnet-4-5" };
const steps = [{ ...asks("nothing"), usage }, { ...asks("nothing"), usage }, "ok"];

describe("a budget in dollars", () => {
  test("ends the run by given prices", async () => {
    const model = scriptedModel(steps);
    const prices: Prices = (_, { inputTokens, outputTokens }) => inputTokens * 1e-6 + outputTokens * 5e-6;
    const result = await execute({ ...go, model, prices, budget: { usd: 2 } });
    expect(model.played).toBe(2);
    expect(result).toMatchObject({ stopReason: "budget", error: { code: "BUDGET_EXCEEDED" }, cost: 3 });
    const by = { "scripted:script": 3 };
    expect(result.isError() && result.error.data).toEqual({ limit: "usd", max: 2, used: 3, by });
    expect(result.isError() && result.error.message).toBe("The budget of this run, $2.00, is used up");
  });

  test("takes the prices of @pydantic/genai-prices where none are given", async () => {
    const model = scriptedModel(steps, known);
    const result = await execute({ ...go, model, budget: { usd: 1 } });
    expect(model.played).toBe(1);
    expect(result).toMatchObject({ stopReason: "budget", error: { data: { limit: "usd", max: 1 } } });
    expect(result.cost).toBeGreaterThan(1);
  });

  test("a model without a price is not called at all", async () => {
    const model = scriptedModel(steps);
    const { events, result } = await watched(execute({ ...go, model, budget: { usd: 1 } }));
    expect(model.requests).toEqual([]);
    expect(ofType(events, "model-start")).toEqual([]);
    expect(result).toMatchObject({
      status: "error",
      error: { code: "BUDGET_PRICE_UNKNOWN", data: { model: "scripted:script" } },
    });
  });

  test.each<[string, Prices]>([
    ["undefined", () => undefined],
    ["no number", () => Number.NaN],
  ])("prices that give %s do not know", async (_, prices) => {
    const model = scriptedModel(steps);
    const result = await execute({ ...go, model, prices, budget: { usd: 1 } });
    expect(result).toMatchObject({ error: { code: "BUDGET_PRICE_UNKNOWN" } });
    expect(model.requests).toEqual([]);
  });

  test("nor is a fallback without a price", async () => {
    const first = scriptedModel([{ error: Object.assign(new Error("busy"), { statusCode: 503 }) }], known);
    const second = scriptedModel(["ok"]);
    const options: ExecuteOptions = { ...go, model: [first, second], modelLimits: { attempts: 1 }, budget: { usd: 1 } };
    expect(await execute(options)).toMatchObject({ error: { code: "BUDGET_PRICE_UNKNOWN" } });
    expect(second.requests).toEqual([]);
  });
});

describe("cost", () => {
  test("is there without a budget when genai is named", async () => {
    const usage = { inputTokens: 100_000, outputTokens: 10_000 };
    const model = scriptedModel([{ text: "ok", usage }], known);
    const result = await execute({ ...go, model, prices: "genai" });
    expect(result.cost).toBeCloseTo(0.45); // $3 for a million tokens in, $15 for a million out
  });

  test("is undefined for a model that the package does not know, and without prices", async () => {
    expect((await execute({ ...go, model: scriptedModel(["ok"]), prices: "genai" })).cost).toBeUndefined();
    expect((await execute({ ...go, model: scriptedModel(["ok"], known) })).cost).toBeUndefined();
  });

  test.each([["genai2"], [5], [{}]])("prices %j are refused", async (prices) => {
    const run = execute({ ...go, model: scriptedModel([]), prices: prices as any });
    await expect(run).rejects.toThrow(/prices must be a function, or "genai"/);
  });
});
