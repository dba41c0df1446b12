/** Typed operations: functions that an agent carries out. */
import { expect, test } from "vitest";
import { z } from "zod";
import { Agent, HaftError, Snapshot } from "../../src/index.ts";
import { asks, scriptedModel, tool } from "../engine/support.ts";

const input = z.object({ city: z.string(), days: z.number().default(1) });
const output = z.object({ degrees: z.number() });

async function thrownBy(work: Promise<unknown>): Promise<HaftError> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  if (HaftError.is(error)) return error;
  throw new Error(`no HaftError: ${error}`);
}

test("a function with types; the agent's own instructions stay, and come first", async () => {
  const model = scriptedModel([asks(["submit_result", { degrees: 20 }])]);
  const agent = new Agent({ name: "weather", model, instructions: "You know the weather." });
  const forecast = agent.operation("forecast", { input, output, instructions: "Say how warm it will be." });
  const given = await forecast({ city: "Oslo" });
  const degrees: number = given.degrees;
  expect(degrees).toBe(20);
  const [system, user] = model.requests[0]!.prompt;
  expect(system.content).toBe("You know the weather.\n\nSay how warm it will be.");
  expect(user.content[0].text).toContain('{"city":"Oslo","days":1}');
  // @ts-expect-error its input has a city
  await thrownBy(forecast({ town: "Oslo" }));
});

test("dynamic instructions of the agent stay dynamic", async () => {
  const model = scriptedModel(["ok"]);
  const agent = new Agent({ name: "a", model, instructions: async ({ iteration }) => `Iteration ${iteration}.` });
  await agent.operation("say", { instructions: "Be short." })("x");
  expect(model.requests[0]!.prompt[0].content).toBe("Iteration 1.\n\nBe short.");
});

test("an input that does not fit asks no model", async () => {
  const model = scriptedModel([]);
  const forecast = new Agent({ name: "a", model }).operation("forecast", { input, output });
  const error = await thrownBy(forecast({ city: 5 } as never));
  expect(error).toMatchObject({ code: "OPERATION_INPUT_INVALID", message: expect.stringContaining("city") });
  expect(model.requests).toHaveLength(0);
});

test("an output that does not fit goes back to the model", async () => {
  const model = scriptedModel([asks(["submit_result", { degrees: "warm" }]), asks(["submit_result", { degrees: 20 }])]);
  const forecast = new Agent({ name: "a", model }).operation("forecast", { input, output });
  expect(await forecast({ city: "Oslo" })).toEqual({ degrees: 20 });
  expect(JSON.stringify(model.requests[1]!.prompt.at(-1))).toContain("degrees");
});

test("without schemas it takes and gives text", async () => {
  const model = scriptedModel(["Hello."]);
  const say = new Agent({ name: "a", model, exits: [] }).operation("say", {});
  const text: string = await say("Say hello");
  expect(text).toBe("Hello.");
  expect(await thrownBy(say(5 as never))).toMatchObject({ code: "OPERATION_INPUT_INVALID" });
});

test("a run that fails rejects with its error", async () => {
  const model = scriptedModel([asks("look"), asks("look")]);
  const agent = new Agent({ name: "a", model, tools: [tool("look", () => 1)], iterations: 2 });
  expect(await thrownBy(agent.operation("work", { output })("x"))).toMatchObject({ code: "ITERATIONS_EXCEEDED" });
});

test("one that waits says on what, and goes on when that is decided", async () => {
  const model = scriptedModel([asks("pay"), asks(["submit_result", { degrees: 1 }])]);
  const paid: string[] = [];
  const pay = tool("pay", () => paid.push("paid"), { approval: true });
  const work = new Agent({ name: "a", model, tools: [pay] }).operation("work", { output });
  const error = await thrownBy(work("x"));
  expect(error.code).toBe("OPERATION_INTERRUPTED");
  const { pending, snapshot } = JSON.parse(JSON.stringify(error.data));
  expect(pending).toMatchObject([{ name: "pay", reason: "approval" }]);
  const log = Snapshot.from(snapshot).decide(pending[0].callId, { approve: true });
  expect(await work("x", { log })).toEqual({ degrees: 1 });
  expect(paid).toEqual(["paid"]);
});

test("per-call options win", async () => {
  const other = scriptedModel(["Other."]);
  const agent = new Agent({ name: "a", model: scriptedModel([]) });
  expect(await agent.operation("say", { temperature: 1 })("x", { model: other, temperature: 0.5 })).toBe("Other.");
  expect(other.requests[0]!.temperature).toBe(0.5);
});

test("they can be looked at, and what does not fit is said at once", () => {
  const agent = new Agent({ name: "weather", model: scriptedModel([]) });
  agent.operation("forecast", { input, output, description: "How warm" });
  agent.operation("say", {});
  expect(agent.operations).toMatchObject({
    forecast: { name: "forecast", description: "How warm", input: { required: ["city"] }, output: { type: "object" } },
    say: { input: undefined, output: undefined },
  });
  const wrong: [name: string, definition: object][] = [
    ["say", {}],
    ["", {}],
    ["x", { input: 5 }],
    ["x", { output: "text" }],
    ["x", { iterations: 0 }],
    ["x", { prompt: "x" }],
    ["x", { instruction: "x" }],
    ["x", { instructions: () => "x" }],
  ];
  for (const [name, definition] of wrong)
    expect(() => agent.operation(name, definition)).toThrow(
      expect.objectContaining({ message: expect.stringContaining("weather") }),
    );
  expect(Object.keys(agent.operations)).toEqual(["forecast", "say"]);
});
