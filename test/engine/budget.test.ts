import { describe, expect, test } from "vitest";
import { Exit } from "../../src/index.ts";
import { asks, execute, faults, ofType, requestText, results, scriptedModel, tool, watched } from "./support.ts";

const nothing = tool("nothing", () => "nothing");
const go = { tools: [nothing], prompt: "go" };
const ended = (limit: string) => ({
  status: "error",
  stopReason: "budget",
  error: { code: "BUDGET_EXCEEDED", data: { limit } },
});

describe("a budget that does not fit is refused by name, before anything", () => {
  test.each([
    [{ call: 1 }, /budget has no "call"/],
    [{ calls: 0 }, /budget\.calls must be an integer from 1, got 0/],
    [{ calls: 1.5 }, /budget\.calls must be an integer from 1/],
    [{ iterations: -1 }, /budget\.iterations/],
    [{ tokens: "many" }, /budget\.tokens must be an integer from 1, got/],
    [{ seconds: Number.NaN }, /budget\.seconds must be a number above 0/],
    [{ usd: Number.POSITIVE_INFINITY }, /budget\.usd must be a number above 0/],
    [{ calls: 1, soft: 1.1 }, /budget\.soft must be a share above 0, at most 1/],
    [{ calls: 1, soft: 0 }, /budget\.soft/],
    [[], /budget must be an object of limits/],
    [5, /budget must be an object of limits/],
  ])("%j", async (budget, says) => {
    const model = scriptedModel([]);
    const run = execute({ ...go, model, budget: budget as any });
    await expect(run).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
    await expect(run).rejects.toThrow(says);
    expect(model.requests).toEqual([]);
  });

  test("undefined is left out", async () => {
    const run = execute({ ...go, model: scriptedModel(["ok"]), budget: { calls: undefined } });
    expect((await run).output).toBe("ok");
  });
});

describe("calls", () => {
  test("those before the limit run, the others are refused, and then the run ends", async () => {
    const seen: number[] = [];
    const pay = tool("pay", ({ amount }: any) => seen.push(amount));
    const model = scriptedModel([asks(["pay", { amount: 1 }], ["pay", { amount: 2 }], ["pay", { amount: 3 }]), "ok"]);
    const { events, result } = await watched(execute({ model, tools: [pay], prompt: "go", budget: { calls: 2 } }));
    expect(seen).toEqual([1, 2]);
    expect(model.played).toBe(1);
    expect(result).toMatchObject(ended("calls"));
    expect(result.isError() && result.error.data).toEqual({ limit: "calls", max: 2, used: 2, by: { pay: 2 } });
    expect(results(result.messages).call_1_3).toMatch(
      /^! "pay" was not called: The budget of this run, 2 calls, is used up/,
    );
    expect(faults(result.messages)).toEqual([]);
    expect(ofType(events, "tool-start")).toHaveLength(2);
    expect(ofType(events, "run-end")[0]).toMatchObject({ status: "error", stopReason: "budget" });
  });

  test("a run that needs no more than its calls is a success", async () => {
    const model = scriptedModel([asks("nothing"), asks("nothing"), "ok"]);
    expect((await execute({ ...go, model, budget: { calls: 2 } })).output).toBe("ok");
  });

  test("what is not called costs none: an unknown tool, an invalid input, a call that was denied", async () => {
    const typed = tool("typed", () => "typed", { input: { type: "object", required: ["a"] } as any });
    const risky = tool("risky", () => "risky", { approval: true });
    const model = scriptedModel([asks("none", "typed", "risky"), asks("nothing"), "ok"]);
    const tools = [typed, risky, nothing];
    const result = await execute({ model, tools, prompt: "go", approve: () => false, budget: { calls: 1 } });
    expect(result.output).toBe("ok");
  });

  test("each attempt counts, and a call is not made again without a budget for it", async () => {
    let attempts = 0;
    const flaky = tool(
      "flaky",
      () => {
        attempts++;
        throw new Error("no line");
      },
      { retry: () => true },
    );
    const model = scriptedModel([asks("flaky"), "ok"]);
    const result = await execute({ model, tools: [flaky], prompt: "go", budget: { calls: 3 } });
    expect(attempts).toBe(3);
    expect(result).toMatchObject(ended("calls"));
    expect(results(result.messages).call_1_1).toMatch(/"flaky" was not called again: .*It had failed: no line/);
  });

  test("nobody is asked about a call that could not be made", async () => {
    const asked: string[] = [];
    const risky = tool("risky", () => "done", { approval: true });
    const model = scriptedModel([asks("nothing"), asks("risky"), "ok"]);
    const approve = (call: { name: string }) => asked.push(call.name) > 0;
    const result = await execute({ model, tools: [nothing, risky], prompt: "go", approve, budget: { calls: 1 } });
    expect(asked).toEqual([]);
    expect(result).toMatchObject(ended("calls"));
  });

  test("an exit beside a refused call is not taken", async () => {
    const done = new Exit({ name: "done" });
    const slow = tool("slow", async () => "slow");
    const model = scriptedModel([asks("slow", "slow", "done")]);
    const result = await execute({ model, tools: [slow], exits: [done], prompt: "go", budget: { calls: 1 } });
    expect(result).toMatchObject(ended("calls"));
  });

  test("a program is told by an error that it can read, and the run ends all the same", async () => {
    const code = `
      const said: string[] = [];
      for (let number = 0; number < 3; number++) {
        try { said.push(await nothing()); } catch (error) { said.push((error as { code: string }).code); }
      }
      return said;`;
    const model = scriptedModel([
      (request) => ({ toolCalls: [{ name: request.tools![0]!.name, input: { code } }] }),
      "ok",
    ]);
    const result = await execute({ ...go, model, mode: "code", budget: { calls: 2 } });
    expect(model.played).toBe(1);
    expect(result).toMatchObject(ended("calls"));
    expect(JSON.stringify(result.messages)).toContain("BUDGET_EXCEEDED");
  });
});

describe("iterations", () => {
  test("the last one is acted on, and no further model call is made", async () => {
    const model = scriptedModel([asks("nothing"), asks("nothing"), asks("nothing")]);
    const { events, result } = await watched(execute({ ...go, model, budget: { iterations: 2 } }));
    expect(model.played).toBe(2);
    expect(ofType(events, "tool-end")).toHaveLength(2);
    expect(result).toMatchObject(ended("iterations"));
    expect(result.isError() && result.error.data).toMatchObject({ max: 2, used: 2, by: { [result.run]: 2 } });
    expect(faults(result.messages)).toEqual([]);
  });

  test("an answer in the last one is a success", async () => {
    const model = scriptedModel([asks("nothing"), "ok"]);
    expect((await execute({ ...go, model, budget: { iterations: 2 } })).output).toBe("ok");
  });

  test("a follow-up is not read without a budget for it", async () => {
    const model = scriptedModel(["first", "second"]);
    const run = execute({ ...go, model, budget: { iterations: 1 } });
    run.followUp("and now?");
    expect(await run).toMatchObject(ended("iterations"));
    expect(model.played).toBe(1);
  });
});

describe("tokens", () => {
  const step = { ...asks("nothing"), usage: { inputTokens: 100, outputTokens: 20 } };

  test("input and output count, and the answer that passes the limit is the last", async () => {
    const model = scriptedModel([step, step, step]);
    const result = await execute({ ...go, model, budget: { tokens: 200 } });
    expect(model.played).toBe(2);
    expect(result).toMatchObject(ended("tokens"));
    const by = { "scripted:script": 240 };
    expect(result.isError() && result.error.data).toEqual({ limit: "tokens", max: 200, used: 240, by });
    expect(result.isError() && result.error.message).toBe("The budget of this run, 200 tokens, is used up");
  });

  test("an answer that ends the run is a success, whatever it took: it is paid for", async () => {
    const model = scriptedModel([step, { text: "ok", usage: { inputTokens: 900, outputTokens: 1 } }]);
    expect((await execute({ ...go, model, budget: { tokens: 200 } })).output).toBe("ok");
  });

  test("a failed attempt counts where the provider says what it took, and is not tried again without a budget", async () => {
    const empty = { usage: { inputTokens: 150, outputTokens: 30 } };
    const model = scriptedModel([empty, "ok"]);
    const modelLimits = { backoffMs: 1 };
    const { events, result } = await watched(execute({ ...go, model, modelLimits, budget: { tokens: 100 } }));
    expect(model.played).toBe(1);
    expect(result).toMatchObject({ ...ended("tokens"), error: { data: { used: 180 } } });
    expect(ofType(events, "model-error")[0]!.usage).toMatchObject({ inputTokens: 150, outputTokens: 30 });
  });

  test("fallback attempts are by the model that took them", async () => {
    const first = scriptedModel([{ usage: { inputTokens: 40, outputTokens: 2 } }], { modelId: "first" });
    const second = scriptedModel([step, step], { modelId: "second" });
    const model = [first, second];
    const result = await execute({ ...go, model, modelLimits: { attempts: 1 }, budget: { tokens: 150 } });
    expect(result).toMatchObject(ended("tokens"));
    const { by } = (result.isError() && result.error.data) as any;
    expect(by).toEqual({ "scripted:first": 42, "scripted:second": 120 });
  });
});

describe("the model is told once what is left, when most of it is used", () => {
  test("as a message after the iteration, in plain words", async () => {
    const model = scriptedModel([asks("nothing", "nothing"), asks("nothing", "nothing"), asks("nothing"), "ok"]);
    const result = await execute({ ...go, model, budget: { calls: 5, tokens: 1000 } });
    expect(result.output).toBe("ok");
    expect(requestText(model, 1)).not.toContain("Most of the budget");
    expect(model.requests[2]!.prompt.at(-1)).toMatchObject({
      role: "user",
      content: [
        {
          type: "text",
          text: "Most of the budget of this task is used. Left: 1 of 5 calls, 970 of 1,000 tokens. Come to an end with it.",
        },
      ],
    });
    expect(requestText(model, 3).split("Most of the budget")).toHaveLength(2); // once
    expect(faults(result.messages)).toEqual([]);
  });

  test("of each limit once", async () => {
    const step = { ...asks("nothing"), usage: { inputTokens: 100, outputTokens: 0 } };
    const model = scriptedModel([step, step, step, "ok"]);
    const { events } = await watched(execute({ ...go, model, budget: { calls: 4, tokens: 370, soft: 0.5 } }));
    const told = ofType(events, "iteration-end").map((entry) => entry.told);
    expect(told).toEqual([undefined, { calls: 4, tokens: 370 }, undefined, undefined]);
  });

  test("before the last one of few", async () => {
    const model = scriptedModel([asks("nothing"), asks("nothing"), "ok"]);
    await execute({ ...go, model, budget: { iterations: 3 } });
    expect(requestText(model, 1)).not.toContain("Left");
    expect(requestText(model, 2)).toContain("Left: 1 of 3 iterations");
  });

  test("a run without a budget is told nothing, and its log has nothing of it", async () => {
    const model = scriptedModel([asks("nothing"), "ok"]);
    const { events } = await watched(execute({ ...go, model }));
    expect(requestText(model, 1)).not.toContain("budget");
    expect(JSON.stringify(events)).not.toMatch(/told|run-resume/);
  });
});
