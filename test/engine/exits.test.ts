import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DefaultExit, Exit, ListenExit, ThinkExit, ThinkSignal } from "../../src/index.ts";
import { asks, execute, faults, gate, ofType, requestText, results, scriptedModel, tool, watched } from "./support.ts";

const found = new Exit({ name: "found", description: "The answer is known", schema: z.object({ answer: z.string() }) });
const failed = new Exit({ name: "failed", schema: z.object({ reason: z.string() }), aliases: ["gave_up"] });

describe("an exit", () => {
  test("ends the run with its value, narrowed by is()", async () => {
    const model = scriptedModel([asks(["found", { answer: "42" }])]);
    const result = await execute({ model, exits: [found, failed], prompt: "go" });
    expect(result).toMatchObject({ status: "success", stopReason: "exit", output: { answer: "42" } });
    expect(result.is(found) && result.output.answer).toBe("42");
    expect(result.is(failed)).toBe(false);
    expect(faults(result.messages)).toEqual([]);
  });

  test("is taken by alias and in any capitals", async () => {
    for (const name of ["gave_up", "FAILED", "Gave_Up"]) {
      const model = scriptedModel([asks([name, { reason: "none" }])]);
      expect((await execute({ model, exits: [found, failed], prompt: "go" })).is(failed)).toBe(true);
    }
  });

  test("whose value does not fit is not taken, and the model reads why", async () => {
    const model = scriptedModel([asks(["found", { answer: 42 }]), asks(["found", { answer: "42" }])]);
    const result = await execute({ model, exits: [found], prompt: "go" });
    expect(result.iterations).toHaveLength(2);
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! Exit "found" was not taken: answer: /);
  });

  test("whose value is no JSON is not taken", async () => {
    const free = new Exit({ name: "free" });
    const model = scriptedModel([asks(["free", '{"a": "cut of']), asks(["free", { a: "whole" }])]);
    const result = await execute({ model, exits: [free], prompt: "go" });
    expect(result.output).toBe("whole");
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! .*not valid JSON/);
  });

  test("onExit that throws rejects it, and the model reads why; the next one may be taken", async () => {
    const seen: unknown[] = [];
    const model = scriptedModel([asks(["found", { answer: "?" }]), asks(["found", { answer: "42" }])]);
    const hooks = {
      onExit: ({ exit, result }: any) => {
        seen.push([exit.name, result.answer]);
        if (result.answer === "?") throw new Error("that is no answer");
      },
    };
    const result = await execute({ model, exits: [found], prompt: "go", hooks });
    expect(result.output).toEqual({ answer: "42" });
    expect(seen).toEqual([
      ["found", "?"],
      ["found", "42"],
    ]);
    expect(results(model.requests[1]!.prompt).call_1_1).toContain("that is no answer");
  });

  test("a ThinkSignal of onExit rejects it with its context", async () => {
    const model = scriptedModel([asks(["found", { answer: "?" }]), asks(["found", { answer: "42" }])]);
    const hooks = {
      onExit: ({ result }: any) => {
        if (result.answer === "?") throw new ThinkSignal("no", { missing: ["a source"] });
      },
    };
    await execute({ model, exits: [found], prompt: "go", hooks });
    expect(results(model.requests[1]!.prompt).call_1_1).toContain('{"missing":["a source"]}');
  });

  test("with calls in the same answer: the calls are made first", async () => {
    const order: string[] = [];
    const save = tool("save", async () => void order.push("saved"));
    const model = scriptedModel([asks(["found", { answer: "42" }], "save")]);
    const hooks = { onExit: () => void order.push("exit") };
    const result = await execute({ model, tools: [save], exits: [found], prompt: "go", hooks });
    expect(result.is(found)).toBe(true);
    expect(order).toEqual(["saved", "exit"]);
    expect(faults(result.messages)).toEqual([]);
  });

  test("is not taken when a call of the same answer failed: the model has not read that yet", async () => {
    const save = tool("save", () => {
      throw new Error("disk full");
    });
    const model = scriptedModel([
      asks("save", ["found", { answer: "saved" }]),
      asks(["failed", { reason: "disk full" }]),
    ]);
    const result = await execute({ model, tools: [save], exits: [found, failed], prompt: "go" });
    expect(result.is(failed)).toBe(true);
    expect(results(model.requests[1]!.prompt)).toEqual({
      call_1_1: "! disk full",
      call_1_2: expect.stringMatching(/^! Exit "found" was not taken: .*save.* failed/),
    });
  });

  test("of two in one answer the first counts", async () => {
    const model = scriptedModel([asks(["found", { answer: "42" }], ["failed", { reason: "x" }])]);
    const result = await execute({ model, exits: [found, failed], prompt: "go" });
    expect(result.is(found)).toBe(true);
    expect(faults(result.messages)).toEqual([]);
    expect(results(result.messages).call_1_2).toMatch(/^! .*already leaving by "found"/);
  });

  test("the second of two may be taken when the first does not fit", async () => {
    const model = scriptedModel([asks(["found", { answer: 1 }], ["failed", { reason: "x" }])]);
    expect((await execute({ model, exits: [found, failed], prompt: "go" })).is(failed)).toBe(true);
  });

  test("an output that cannot be written is an error, not a success", async () => {
    const odd = new Exit({
      name: "odd",
      schema: z.object({ n: z.number() }).transform(({ n }) => ({ again: () => n })),
    });
    const result = await execute({ model: scriptedModel([asks(["odd", { n: 1 }])]), exits: [odd], prompt: "go" });
    expect(result).toMatchObject({ status: "error", error: { code: "VALUE_NOT_ENCODABLE" } });
  });

  test("DefaultExit: the work is done, or cannot be done", async () => {
    const model = scriptedModel([asks(["done", { success: true, result: [1] }])]);
    const result = await execute({ model, exits: [DefaultExit], prompt: "go" });
    expect(result.is(DefaultExit) && result.output).toEqual({ success: true, result: [1] });
  });

  test("ThinkExit goes on with another iteration", async () => {
    const model = scriptedModel([asks("think"), asks(["found", { answer: "42" }])]);
    const result = await execute({ model, exits: [ThinkExit, found], prompt: "go" });
    expect(result.iterations.map(({ status }) => status?.type)).toEqual(["thinking", "exit"]);
    expect(faults(result.messages)).toEqual([]);
  });
});

describe("text without a call", () => {
  test("with exits: one reminder that names them, then an error", async () => {
    const model = scriptedModel(["I think it is 42.", "It is 42."]);
    const { events, result } = await watched(execute({ model, exits: [found, failed], prompt: "go" }));
    expect(requestText(model, 1)).toContain("Finish by calling one of: found, failed.");
    expect(ofType(events, "iteration-end").map(({ status }) => status.type)).toEqual(["reminded", "text"]);
    expect(result).toMatchObject({ status: "error", stopReason: "text", error: { code: "EXIT_MISSING" } });
  });

  test("the reminder is counted", async () => {
    const result = await execute({ model: scriptedModel(["text"]), exits: [found], prompt: "go", iterations: 1 });
    expect(result).toMatchObject({ status: "error", stopReason: "iterations" });
  });

  test("ListenExit: it is the turn of the conversation", async () => {
    const result = await execute({ model: scriptedModel(["Hello."]), exits: [ListenExit, found], prompt: "Hi" });
    expect(result.is(ListenExit) && result.output).toBe("Hello.");
  });
});

describe("exits and tools of one name", () => {
  test.each([
    ["found", []],
    ["Found", []],
    ["other", ["found"]],
    ["other", ["FOUND"]],
  ])("%s %j is an error before anything starts", async (name, aliases) => {
    const model = scriptedModel([]);
    const tools = [tool(name, () => 1, { aliases })];
    await expect(execute({ model, tools, exits: [found], prompt: "go" })).rejects.toMatchObject({
      code: "DUPLICATE_TOOL",
    });
    expect(model.requests).toEqual([]);
  });

  test("two exits of one name", async () => {
    const twin = new Exit({ name: "FOUND" });
    await expect(execute({ model: scriptedModel([]), exits: [found, twin], prompt: "go" })).rejects.toMatchObject({
      code: "DUPLICATE_EXIT",
    });
  });
});

test("a message that comes while onExit decides keeps the run going", async () => {
  const reached = gate();
  const decided = gate();
  const model = scriptedModel([asks(["found", { answer: "1" }]), asks(["found", { answer: "2" }])]);
  const onExit = ({ result }: any) => {
    if (result.answer !== "1") return undefined;
    reached.open();
    return decided.passed;
  };
  const run = execute({ model, exits: [found], prompt: "go", hooks: { onExit } });
  run.then(() => {});
  await reached.passed;
  expect(run.steer("no, the other one")).toBe(true);
  decided.open();
  expect((await run).output).toEqual({ answer: "2" });
  expect(requestText(model, 1)).toContain("no, the other one");
});
