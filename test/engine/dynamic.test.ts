import { describe, expect, test } from "vitest";
import { type DynamicContext, Exit } from "../../src/index.ts";
import { asks, execute, requestText, results, scriptedModel, sleep, tool } from "./support.ts";

const nothing = tool("nothing", () => "nothing");

describe("dynamic values", () => {
  test("are asked in every iteration, and see run, iteration, messages and assigns", async () => {
    const seen: Partial<DynamicContext>[] = [];
    const model = scriptedModel([asks("nothing"), "ok"]);
    const instructions = ({ run, iteration, messages, assigns }: DynamicContext) => {
      seen.push({ run, iteration, assigns, messages: [...messages] });
      return `step ${iteration}`;
    };
    const result = await execute({ model, instructions, tools: [nothing], assigns: { a: 1 }, prompt: "go" });
    expect(seen.map(({ run, iteration, assigns }) => [run, iteration, assigns])).toEqual([
      [result.run, 1, { a: 1 }],
      [result.run, 2, { a: 1 }],
    ]);
    expect(seen.map(({ messages }) => messages!.map(({ role }) => role))).toEqual([
      ["user"],
      ["user", "assistant", "tool"],
    ]);
    expect(model.requests.map(({ prompt }) => prompt[0].content)).toEqual(["step 1", "step 2"]);
  });

  test("tools may come and go", async () => {
    const once = tool("once", () => "done");
    const model = scriptedModel([asks("once"), asks("once"), "ok"]);
    const tools = async ({ iteration }: DynamicContext) => (iteration === 1 ? [once, nothing] : [nothing]);
    await execute({ model, tools, prompt: "go" });
    expect(model.requests.map(({ tools }) => tools!.map(({ name }) => name))).toEqual([
      ["once", "nothing"],
      ["nothing"],
      ["nothing"],
    ]);
    expect(results(model.requests[2]!.prompt).call_2_1).toContain('There is no tool "once". The tools are: nothing');
  });

  test("exits, model, temperature and reasoning effort too", async () => {
    const first = scriptedModel([asks("nothing")]);
    const second = scriptedModel([asks("finish")], { modelId: "second" });
    const finish = new Exit({ name: "finish" });
    const result = await execute({
      model: ({ iteration }) => (iteration === 1 ? first : second),
      exits: async ({ iteration }) => (iteration === 1 ? [] : [finish]),
      temperature: ({ iteration }) => iteration / 10,
      tools: [nothing],
      prompt: "go",
    });
    expect(result.is(finish)).toBe(true);
    expect(first.requests[0]!.tools!.map(({ name }) => name)).toEqual(["nothing"]);
    expect(second.requests[0]!.tools!.map(({ name }) => name)).toEqual(["nothing", "finish"]);
    expect([first.requests[0]!.temperature, second.requests[0]!.temperature]).toEqual([0.1, 0.2]);
  });

  test("that give nothing mean what is left out", async () => {
    const model = scriptedModel(["ok"]);
    const nothingAtAll = () => undefined as any;
    const options = { instructions: nothingAtAll, tools: nothingAtAll, exits: nothingAtAll, temperature: nothingAtAll };
    const result = await execute({ model, ...options, prompt: "go" });
    expect(result.output).toBe("ok");
    expect(model.requests[0]!.tools).toBeUndefined();
    expect("temperature" in model.requests[0]!).toBe(false);
  });

  test.each([
    ["instructions", () => 5, "OPTIONS_INVALID"],
    ["tools", () => "nothing", "OPTIONS_INVALID"],
    ["tools", () => [{ name: "x" }], "TOOL_INVALID"],
    ["tools", () => [nothing, nothing], "DUPLICATE_TOOL"],
    ["exits", () => ({}), "OPTIONS_INVALID"],
    ["exits", () => [{}], "OPTIONS_INVALID"],
    ["exits", () => [new Exit({ name: "nothing" })], "DUPLICATE_TOOL"],
    ["model", () => [], "MODEL_MISSING"],
    ["model", () => ({}), "OPTIONS_INVALID"],
  ])("%s that give nonsense end the run with an error that says so: %s", async (name, give, code) => {
    const options: any = { model: scriptedModel(["ok"]), tools: [nothing], prompt: "go", [name]: give };
    expect(await execute(options)).toMatchObject({ status: "error", error: { code } });
  });

  test.each(["instructions", "tools", "exits", "model", "temperature", "reasoningEffort"])(
    "%s that throw end the run with their reason",
    async (name) => {
      for (const fail of [
        () => {
          throw new Error("no luck");
        },
        () => sleep(1).then(() => Promise.reject(new Error("no luck"))),
      ]) {
        const options: any = { model: scriptedModel(["ok"]), prompt: "go", [name]: fail };
        const result = await execute(options);
        expect(result).toMatchObject({ status: "error", error: { message: expect.stringContaining("no luck") } });
      }
    },
  );

  test("the same instructions and tools give the same bytes in every request", async () => {
    const model = scriptedModel([asks("nothing"), asks("nothing"), "ok"]);
    const instructions = () => "Be brief.";
    await execute({ model, instructions, tools: () => [nothing], prompt: "go" });
    const heads = model.requests.map(({ prompt, tools }) => JSON.stringify([prompt[0], prompt[1], tools]));
    expect(new Set(heads).size).toBe(1);
    expect(requestText(model, 2).startsWith(requestText(model, 1).slice(0, -1))).toBe(true);
  });
});
