import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, ofType, scriptedModel, tool, watched } from "./support.ts";

const nothing = tool("nothing", () => "nothing");

describe("the limit of iterations", () => {
  test("is ten by default, and then the run is an error, never a success", async () => {
    const model = scriptedModel(Array(11).fill(asks("nothing")));
    const { events, result } = await watched(execute({ model, tools: [nothing], prompt: "go" }));
    expect(model.played).toBe(10);
    expect(result).toMatchObject({ status: "error", stopReason: "iterations", error: { code: "ITERATIONS_EXCEEDED" } });
    expect(result.iterations).toHaveLength(10);
    expect(ofType(events, "run-end")[0]).toMatchObject({ status: "error", stopReason: "iterations" });
    expect(faults(result.messages)).toEqual([]);
  });

  test.each([1, 2, 37])("may be %d", async (iterations) => {
    const model = scriptedModel(Array(iterations + 1).fill(asks("nothing")));
    const result = await execute({ model, tools: [nothing], prompt: "go", iterations });
    expect(model.played).toBe(iterations);
    expect(result.stopReason).toBe("iterations");
  });

  test("an answer in the last one is a success", async () => {
    const model = scriptedModel([asks("nothing"), "ok"]);
    expect((await execute({ model, tools: [nothing], prompt: "go", iterations: 2 })).output).toBe("ok");
  });

  test("counts the whole run, also when it goes on in another process", async () => {
    const wait = tool("wait", () => 1, { approval: true });
    const model = scriptedModel([asks("nothing"), asks("wait"), asks("nothing"), asks("nothing")]);
    const options = { model, tools: [nothing, wait], iterations: 3 };
    const first = await execute({ ...options, prompt: "go" });
    if (!first.isInterrupted()) throw new Error("the run does not wait");
    const result = await execute({ ...options, log: first.snapshot.resolve(first.pending[0]!.callId, 1) });
    expect(model.played).toBe(3);
    expect(result.iterations).toHaveLength(3);
    expect(result.stopReason).toBe("iterations");
  });

  test("a session that reached it goes on with the next prompt", async () => {
    const store = memoryStore();
    const model = scriptedModel([asks("nothing"), "went on"]);
    const options = { model, tools: [nothing], store, session: "s", iterations: 1 };
    expect((await execute({ ...options, prompt: "go" })).stopReason).toBe("iterations");
    expect((await execute({ ...options, prompt: "go on" })).output).toBe("went on");
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });
});

describe("the iterations of a result", () => {
  test("tell what was asked, said and spent", async () => {
    const model = scriptedModel([{ ...asks("nothing"), text: "Let me see." }, "ok"]);
    const result = await execute({ model, tools: [nothing], prompt: "go" });
    expect(JSON.parse(JSON.stringify(result.iterations))).toMatchObject([
      {
        id: `${result.run}/1`,
        index: 1,
        text: "Let me see.",
        calls: [{ id: "call_1_1", name: "nothing", input: {} }],
        status: { type: "continued" },
      },
      { id: `${result.run}/2`, index: 2, text: "ok", calls: [], status: { type: "text" } },
    ]);
    expect(result.iteration).toBe(result.iterations[1]);
    expect(result.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  test("cost is the sum of what the prices say, and undefined where they say nothing", async () => {
    const model = scriptedModel([asks("nothing"), "ok"]);
    const prices = (name: string, usage: { inputTokens: number }) =>
      name === "scripted:script" ? usage.inputTokens : 0;
    const options = { tools: [nothing], prompt: "go" };
    expect((await execute({ ...options, model, prices })).cost).toBe(20);
    expect((await execute({ ...options, model: scriptedModel(["ok"]) })).cost).toBeUndefined();
  });

  test("context tells the tokens of the last request by part", async () => {
    const result = await execute({
      model: scriptedModel(["ok"]),
      instructions: "x".repeat(400),
      tools: [nothing],
      prompt: "y".repeat(4000),
    });
    expect(result.context.instructions).toBe(100);
    expect(result.context.messages).toBeGreaterThan(1000);
    expect(result.context.total).toBe(result.context.instructions + result.context.tools + result.context.messages);
  });
});
