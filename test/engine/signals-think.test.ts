import { describe, expect, test } from "vitest";
import { Exit, ThinkSignal } from "../../src/index.ts";
import {
  asks,
  execute,
  faults,
  gate,
  ofType,
  requestText,
  results,
  scriptedModel,
  sleep,
  tool,
  watched,
} from "./support.ts";

const think = tool("think_now", () => {
  throw new ThinkSignal("look again", "three results: a, b, c");
});

describe("a ThinkSignal", () => {
  test("ends the batch, and the model is called again with the context in front of it", async () => {
    const model = scriptedModel([asks("think_now"), "a it is"]);
    const { events, result } = await watched(execute({ model, tools: [think], prompt: "go" }));
    expect(result).toMatchObject({ status: "success", output: "a it is" });
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "three results: a, b, c" });
    expect(ofType(events, "iteration-end")[0]!.status).toEqual({ type: "thinking", reason: "look again" });
    expect(ofType(events, "tool-end")[0]).toMatchObject({ signal: { type: "think", reason: "look again" } });
    expect(ofType(events, "tool-end")[0]!.error).toBeUndefined();
  });

  test("calls that have not started are skipped and say so; those in flight finish", async () => {
    const flight = gate();
    let started = 0;
    const slow = tool("slow", async () => {
      started++;
      await flight.passed;
      return "slow was done";
    });
    const thinks = tool("thinks", async () => {
      setTimeout(flight.open, 30);
      throw new ThinkSignal("wait");
    });
    const model = scriptedModel([asks(...Array(7).fill("slow"), "thinks", "slow", "slow"), "ok"]);
    await execute({ model, tools: [slow, thinks], prompt: "go" });
    expect(started).toBe(7);
    const read = Object.values(results(model.requests[1]!.prompt));
    expect(read.slice(0, 7)).toEqual(Array(7).fill("slow was done"));
    expect(read[7]).toBe("wait");
    expect(read[8]).toMatch(/^! Not done: another call asked to think again \(wait\)/);
    expect(read[9]).toBe(read[8]);
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });

  test("returned instead of thrown, it is an error that says so", async () => {
    const wrong = tool("wrong", () => new ThinkSignal("look") as any);
    const model = scriptedModel([asks("wrong"), "ok"]);
    await execute({ model, tools: [wrong], prompt: "go" });
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! .*returned a ThinkSignal; signals are thrown/);
  });

  test.each([
    ["no context", [], "why"],
    ["an object", [{ a: [1] }], '{"a":[1]}'],
    ["false", [false], "false"],
    ["zero", [0], "0"],
    ["an empty text", [""], ""],
    ["something that cannot be written", [() => 1], "why"],
  ])("the context may be left out, or be anything: %s", async (_, context, read) => {
    const thinks = tool("thinks", () => {
      throw new ThinkSignal("why", ...(context as [unknown]));
    });
    const model = scriptedModel([asks("thinks"), "ok"]);
    const result = await execute({ model, tools: [thinks], prompt: "go" });
    expect(result.status).toBe("success");
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: read });
  });

  test("is never retried", async () => {
    let calls = 0;
    const thinks = tool(
      "thinks",
      () => {
        calls++;
        throw new ThinkSignal("why");
      },
      { retry: () => true },
    );
    await execute({ model: scriptedModel([asks("thinks"), "ok"]), tools: [thinks], prompt: "go" });
    expect(calls).toBe(1);
  });

  test("an exit of the same answer is not taken", async () => {
    const done = new Exit({ name: "finish" });
    const model = scriptedModel([asks("think_now", "finish"), asks("finish")]);
    const result = await execute({ model, tools: [think], exits: [done], prompt: "go" });
    expect(result.is(done)).toBe(true);
    expect(result.iterations).toHaveLength(2);
    expect(results(model.requests[1]!.prompt).call_1_2).toMatch(/^! Not done: /);
  });

  test("counts as an iteration: thinking for ever ends at the limit", async () => {
    const model = scriptedModel(Array(3).fill(asks("think_now")));
    const result = await execute({ model, tools: [think], prompt: "go", iterations: 3 });
    expect(result).toMatchObject({ status: "error", stopReason: "iterations", error: { code: "ITERATIONS_EXCEEDED" } });
  });

  test("of onIterationStart: the model is not asked, and reads the context next", async () => {
    const model = scriptedModel(["ok"]);
    const hooks = {
      onIterationStart: ({ index }: { index: number }) => {
        if (index === 1) throw new ThinkSignal("first", "mind the gap");
      },
    };
    const result = await execute({ model, prompt: "go", hooks });
    expect(result.iterations.map(({ status }) => status?.type)).toEqual(["thinking", "text"]);
    expect(requestText(model, 0)).toContain("mind the gap");
  });

  test("of onBeforeExecution: nothing of the batch is done, and the model reads the context", async () => {
    let calls = 0;
    const model = scriptedModel([asks("work", "work"), "ok"]);
    const hooks = {
      onBeforeExecution: () => {
        throw new ThinkSignal("hold", "look at the plan first");
      },
    };
    await execute({ model, tools: [tool("work", () => calls++)], prompt: "go", hooks });
    expect(calls).toBe(0);
    expect(requestText(model, 1)).toContain("look at the plan first");
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });

  test("of onBeforeTool and onAfterTool: as if the handler had thrown it", async () => {
    for (const name of ["onBeforeTool", "onAfterTool"] as const) {
      const model = scriptedModel([asks("work"), "ok"]);
      const hooks = {
        [name]: () => {
          throw new ThinkSignal("hold", `from ${name}`);
        },
      };
      await execute({ model, tools: [tool("work", () => sleep(1))], prompt: "go", hooks });
      expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: `from ${name}` });
    }
  });
});
