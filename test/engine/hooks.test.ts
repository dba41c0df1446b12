import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Autonomous, Exit, type Hooks } from "../../src/index.ts";
import {
  asks,
  execute,
  faults,
  gate,
  hangs,
  ofType,
  requestText,
  results,
  scriptedModel,
  sleep,
  tool,
  watched,
} from "./support.ts";

const echo = tool("echo", (input) => input);

describe("the hooks of a run", () => {
  test("are called in their order, with the seeds' shapes", async () => {
    const order: string[] = [];
    const done = new Exit({ name: "finish", schema: z.object({ n: z.number() }) });
    const hooks: Autonomous.Hooks = {
      async onIterationStart(iteration, controller) {
        order.push(`start ${iteration.index}`);
        expect(iteration.calls).toEqual([]);
        expect(controller).toBeInstanceOf(AbortController);
      },
      async onBeforeExecution(iteration, controller) {
        order.push(`execution ${iteration.calls.map(({ name }) => name)}`);
        expect(controller).toBeInstanceOf(AbortController);
      },
      async onBeforeTool({ iteration, tool, input, controller, callId }) {
        order.push(`before ${tool.name} ${JSON.stringify(input)}`);
        expect(iteration.index).toBe(1);
        expect(controller.signal.aborted).toBe(false);
        expect(callId).toMatch(/\/1\/1$/);
      },
      async onAfterTool({ tool, input, output }) {
        order.push(`after ${tool.name} ${JSON.stringify(input)} ${JSON.stringify(output)}`);
      },
      async onExit({ exit, result }, controller) {
        order.push(`exit ${exit.name} ${JSON.stringify(result)}`);
        expect(controller).toBeInstanceOf(AbortController);
      },
      async onIterationEnd(iteration) {
        order.push(`end ${iteration.status?.type}`);
      },
    };
    const model = scriptedModel([asks(["echo", { a: 1 }]), asks(["finish", { n: 2 }])]);
    const result = await execute({ model, tools: [echo], exits: [done], prompt: "go", hooks });
    expect(result.is(done)).toBe(true);
    expect(order).toEqual([
      "start 1",
      "execution echo",
      'before echo {"a":1}',
      'after echo {"a":1} {"a":1}',
      "end continued",
      "start 2",
      "execution finish",
      'exit finish {"n":2}',
      "end exit",
    ]);
  });

  test("onBeforeTool may replace the input; the log has what was run", async () => {
    const model = scriptedModel([asks(["echo", { a: 1 }]), "ok"]);
    const hooks: Hooks = { onBeforeTool: ({ input }) => ({ input: { ...input, b: 2 } }) };
    const { events } = await watched(execute({ model, tools: [echo], prompt: "go", hooks }));
    expect(ofType(events, "tool-call")[0]!.input).toEqual({ a: 1, b: 2 });
    expect(results(model.requests[1]!.prompt).call_1_1).toBe('{"a":1,"b":2}');
  });

  test("what onBeforeTool gives is validated", async () => {
    const strict = tool("strict", () => 1, { input: z.object({ a: z.number() }) });
    const model = scriptedModel([asks(["strict", { a: 1 }]), "ok"]);
    await execute({ model, tools: [strict], prompt: "go", hooks: { onBeforeTool: () => ({ input: { a: "x" } }) } });
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! .*received invalid input: a: /);
  });

  test("onAfterTool may replace the output, also by nothing and by false", async () => {
    for (const [output, read] of [
      ["new", "new"],
      [false, "false"],
      [undefined, ""],
    ]) {
      const model = scriptedModel([asks(["echo", { a: 1 }]), "ok"]);
      await execute({ model, tools: [echo], prompt: "go", hooks: { onAfterTool: () => ({ output }) } });
      expect(results(model.requests[1]!.prompt).call_1_1).toBe(read);
    }
  });

  test("onAfterTool is not called for a failure", async () => {
    let calls = 0;
    const bad = tool("bad", () => {
      throw new Error("no");
    });
    const model = scriptedModel([asks("bad"), "ok"]);
    await execute({ model, tools: [bad], prompt: "go", hooks: { onAfterTool: () => void calls++ } });
    expect(calls).toBe(0);
  });

  test.each(["onBeforeTool", "onAfterTool"] as const)(
    "%s that throws fails the call, and the model reads why",
    async (name) => {
      const model = scriptedModel([asks("echo"), "ok"]);
      const hooks = {
        [name]: () => {
          throw new Error("not on my watch");
        },
      };
      await execute({ model, tools: [echo], prompt: "go", hooks });
      expect(results(model.requests[1]!.prompt).call_1_1).toBe("! not on my watch");
    },
  );

  test("onBeforeExecution that throws refuses the batch, and the model reads why", async () => {
    let calls = 0;
    const work = tool("work", () => calls++);
    const model = scriptedModel([asks("work", "work"), "ok"]);
    const hooks: Hooks = {
      onBeforeExecution: ({ calls }) => {
        if (calls.length > 1) throw new Error("one at a time");
      },
    };
    const result = await execute({ model, tools: [work], prompt: "go", hooks });
    expect(calls).toBe(0);
    expect(result.iterations[0]!.status).toEqual({ type: "refused", message: "one at a time" });
    expect(results(model.requests[1]!.prompt).call_1_1).toContain("one at a time");
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });

  test("onBeforeExecution that returns code ends the run: there is no program here", async () => {
    const model = scriptedModel([asks("echo")]);
    const hooks: Hooks = { onBeforeExecution: () => ({ code: "return 1" }) };
    const result = await execute({ model, tools: [echo], prompt: "go", hooks });
    expect(result).toMatchObject({ status: "error", error: { code: "HOOK_INVALID" } });
    expect(faults(result.messages)).toEqual([]);
  });

  test("onIterationStart that throws ends the run with its reason", async () => {
    const hooks: Hooks = {
      onIterationStart: () => {
        throw new Error("closed");
      },
    };
    const result = await execute({ model: scriptedModel([]), prompt: "go", hooks });
    expect(result).toMatchObject({
      status: "error",
      error: { code: "HOOK_FAILED", message: expect.stringContaining("closed") },
    });
  });

  test("onIterationEnd and onTrace that throw are warnings, also when they throw later", async () => {
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (text: string) => void warnings.push(text) };
    const hooks: any = {
      onIterationEnd: async () => {
        throw new Error("end");
      },
      onTrace: async ({ trace }: any) => {
        await sleep(0);
        if (trace.type === "run-start") throw new Error("trace");
      },
    };
    const result = await execute({ model: scriptedModel(["ok"]), prompt: "go", hooks, logger });
    await sleep(20);
    expect(result.status).toBe("success");
    expect(warnings.sort()).toEqual(["onIterationEnd threw: end", "onTrace threw: trace"]);
  });

  test("onTrace sees every event, with the number of the iteration", async () => {
    const seen: [string, number][] = [];
    const model = scriptedModel([asks("echo"), "ok"]);
    const hooks: Hooks = { onTrace: ({ trace, iteration }) => void seen.push([trace.type, iteration]) };
    await execute({ model, tools: [echo], prompt: "go", hooks });
    expect(seen).toEqual([
      ["run-start", 0],
      ["message", 0],
      ["model-start", 1],
      ["model-response", 1],
      ["tool-call", 1],
      ["tool-start", 1],
      ["tool-end", 1],
      ["iteration-end", 1],
      ["model-start", 2],
      ["model-response", 2],
      ["iteration-end", 2],
      ["run-end", 0],
    ]);
  });

  test("the controller aborts the run", async () => {
    const hooks: Hooks = { onBeforeTool: ({ controller }) => controller.abort("enough") };
    let calls = 0;
    const model = scriptedModel([asks("work")]);
    const result = await execute({ model, tools: [tool("work", () => calls++)], prompt: "go", hooks });
    expect(result).toMatchObject({
      status: "error",
      stopReason: "aborted",
      error: { message: expect.stringContaining("enough") },
    });
    expect(calls).toBe(0);
  });

  test.each(["nonsense", 5, null, [], { nothing: true }, { input: undefined }, true, () => 1])(
    "that return nonsense change nothing: %s",
    async (nonsense) => {
      const done = new Exit({ name: "finish" });
      const model = scriptedModel([asks(["echo", { a: 1 }]), asks("finish")]);
      const hooks: any = Object.fromEntries(
        [
          "onBeforeTool",
          "onAfterTool",
          "onBeforeExecution",
          "onExit",
          "onTrace",
          "onIterationStart",
          "onIterationEnd",
        ].map((name) => [name, () => nonsense]),
      );
      const result = await execute({ model, tools: [echo], exits: [done], prompt: "go", hooks });
      expect(result.is(done)).toBe(true);
      expect(results(model.requests[1]!.prompt).call_1_1).toBe('{"a":1}');
    },
  );
});

describe("a hook that never comes back", () => {
  test.each([
    "onBeforeTool",
    "onAfterTool",
    "onBeforeExecution",
    "onExit",
    "onIterationStart",
    "onIterationEnd",
  ] as const)("%s: an abort ends the run within a second, and the conversation is valid", async (name) => {
    const reached = gate();
    const done = new Exit({ name: "finish" });
    const model = scriptedModel([name === "onExit" ? asks("echo", "finish") : asks("echo")]);
    const hooks: any = { [name]: hangs(reached) };
    const run = execute({ model, tools: [echo], exits: [done], prompt: "go", hooks });
    run.then(() => {});
    await reached.passed;
    const since = Date.now();
    run.abort("enough");
    const result = await run;
    expect(Date.now() - since).toBeLessThan(1000);
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(faults(result.messages)).toEqual([]);
  });
});

test("a hook may steer", async () => {
  const model = scriptedModel([asks("echo"), "ok"]);
  const hooks: Hooks = { onAfterTool: () => void run.steer("and be brief") };
  const run = execute({ model, tools: [echo], prompt: "go", hooks });
  await run;
  expect(requestText(model, 1)).toContain("and be brief");
});
