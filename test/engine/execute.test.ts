import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Exit, execute, type RunEvent, Tool } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const add = new Tool({
  name: "add",
  description: "Adds two numbers",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  handler: ({ a, b }) => a + b,
});

describe("a run", () => {
  test("text without exits is the output", async () => {
    const result = await execute({ model: scriptedModel(["Hello."]), prompt: "Hi" });
    expect(result).toMatchObject({ status: "success", stopReason: "text", output: "Hello.", exit: undefined });
    expect(result.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  test("a call is made, and the model sees its result", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] }, "Three."]);
    const result = await execute({ model, tools: [add], prompt: "1 + 2?" });
    expect(result.output).toBe("Three.");
    expect(model.requests[1]!.prompt.at(-1)).toEqual({
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "call_1_1", toolName: "add", output: { type: "text", value: "3" } }],
    });
  });

  test("an iterator attached at once sees every entry and the deltas", async () => {
    const model = scriptedModel([{ toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] }, { pieces: ["Th", "ree."] }]);
    const run = execute({ model, tools: [add], prompt: "1 + 2?" });
    const events: RunEvent[] = [];
    for await (const event of run) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      "run-start",
      "message",
      "model-start",
      "tool-input-delta",
      "tool-input-delta",
      "model-response",
      "tool-call",
      "tool-start",
      "tool-end",
      "iteration-end",
      "model-start",
      "text-delta",
      "text-delta",
      "model-response",
      "iteration-end",
      "run-end",
    ]);
    expect((await run).output).toBe("Three.");
  });

  test("an exit ends the run with its value", async () => {
    const done = new Exit({ name: "finished", description: "All is done", schema: z.object({ sum: z.number() }) });
    const model = scriptedModel([
      { toolCalls: [{ name: "finished", input: { sum: "x" } }] },
      { toolCalls: [{ name: "finished", input: { sum: 3 } }] },
    ]);
    const result = await execute({ model, exits: [done], prompt: "go" });
    expect(result.is(done) && result.output.sum).toBe(3);
    expect(result.iterations.map(({ status }) => status?.type)).toEqual(["continued", "exit"]);
    expect(JSON.stringify(model.requests[1]!.prompt)).toContain("was not taken: sum:");
  });
});
