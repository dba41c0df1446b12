import { describe, expect, test } from "vitest";
import { z } from "zod";
import { execute as run, Tool } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, ofType, requestText, results, scriptedModel, tool, watched } from "./support.ts";

describe("a call", () => {
  test("text goes to the model verbatim, everything else as JSON, nothing as nothing", async () => {
    const model = scriptedModel([asks("text", "list", "nothing", "none", "zero", "date"), "ok"]);
    const tools = [
      tool("text", () => 'say "hi"'),
      tool("list", () => [1, { a: 2 }]),
      tool("nothing", () => undefined),
      tool("none", () => null),
      tool("zero", () => 0),
      tool("date", () => ({ at: new Date(0) })),
    ];
    await execute({ model, tools, prompt: "go" });
    expect(Object.values(results(model.requests[1]!.prompt))).toEqual([
      'say "hi"',
      '[1,{"a":2}]',
      "",
      "null",
      "0",
      '{"at":"1970-01-01T00:00:00.000Z"}',
    ]);
  });

  test("is called through the tool's own execute", async () => {
    class Loud extends Tool {
      override async execute(...given: Parameters<Tool["execute"]>): Promise<any> {
        return `${await super.execute(...given)}!`;
      }
    }
    const loud = new Loud({ name: "loud", input: z.object({ text: z.string() }), handler: ({ text }) => text });
    const model = scriptedModel([asks(["loud", { text: "hey" }]), "ok"]);
    await execute({ model, tools: [loud], prompt: "go" });
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "hey!" });
  });

  test("an unknown tool: the error lists what there is, exits too, and says what may have been meant", async () => {
    const { Exit } = await import("../../src/index.ts");
    const model = scriptedModel([asks("serch"), asks("finish")]);
    const exits = [new Exit({ name: "finish" })];
    const result = await run({ model, tools: [tool("search", () => 1), tool("other", () => 1)], exits, prompt: "go" });
    expect(results(model.requests[1]!.prompt).call_1_1).toBe(
      '! There is no tool "serch". The tools are: search, other. The exits are: finish\nDid you mean "search"?',
    );
    expect(result.isSuccess()).toBe(true);
  });

  test("a name in other capitals is another name", async () => {
    const model = scriptedModel([asks("Search"), "ok"]);
    await execute({ model, tools: [tool("search", () => 1)], prompt: "go" });
    expect(results(model.requests[1]!.prompt).call_1_1).toContain('There is no tool "Search"');
  });

  test("an alias calls its tool; the conversation keeps the name that the model used", async () => {
    const model = scriptedModel([asks("find"), "ok"]);
    const search = tool("search", () => "found", { aliases: ["find"] });
    const { events } = await watched(execute({ model, tools: [search], prompt: "go" }));
    expect(ofType(events, "tool-call")[0]).toMatchObject({ name: "search" });
    expect(model.requests[0]!.tools!.map(({ name }) => name)).toEqual(["search"]);
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "found" });
  });

  test("input that is no JSON is an error that the model reads, and nothing runs", async () => {
    let calls = 0;
    const model = scriptedModel([asks(["write", '{"path": "a']), "ok"]);
    await execute({ model, tools: [tool("write", () => calls++)], prompt: "go" });
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(
      /^! The input of this call of "write" is not valid JSON/,
    );
    expect(calls).toBe(0);
  });

  test("input that does not fit is an error with its path", async () => {
    const add = tool("add", ({ a }) => a, { input: z.object({ a: z.number() }) });
    const model = scriptedModel([asks(["add", { a: "1" }]), "ok"]);
    await execute({ model, tools: [add], prompt: "go" });
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! Tool "add" received invalid input: a: /);
  });

  test("a retry runs the handler again, and each attempt is in the log", async () => {
    let calls = 0;
    const flaky = tool(
      "flaky",
      (_, { attempt }) => {
        if (++calls < 3) throw new Error(`no ${calls}`);
        return `attempt ${attempt}`;
      },
      { retry: ({ attempt }) => attempt < 3 },
    );
    const model = scriptedModel([asks("flaky"), "ok"]);
    const { events } = await watched(execute({ model, tools: [flaky], prompt: "go" }));
    expect(ofType(events, "tool-start").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(ofType(events, "tool-end")).toHaveLength(1);
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "attempt 3" });
  });

  test("a retry of three attempts is three calls in every iteration", async () => {
    let calls = 0;
    const broken = tool(
      "broken",
      () => {
        calls++;
        throw new Error("no");
      },
      { retry: ({ attempt }) => attempt < 3 },
    );
    const model = scriptedModel([asks("broken"), asks("broken"), asks("broken"), asks("broken"), "ok"]);
    await execute({ model, tools: [broken], prompt: "go" });
    expect(calls).toBe(12);
  });

  test("an output that does not fit is a warning in the log; strict, it fails the call", async () => {
    const tools = (["warn", "strict", "off"] as const).map((outputValidation) =>
      tool(outputValidation, () => 1, { output: z.string(), outputValidation }),
    );
    const model = scriptedModel([asks("warn", "strict", "off"), "ok"]);
    const { events } = await watched(execute({ model, tools, prompt: "go" }));
    const ends = Object.fromEntries(ofType(events, "tool-end").map((end) => [end.name, end]));
    expect(ends.warn).toMatchObject({ output: 1, warnings: [expect.stringContaining('Tool "warn" gave an output')] });
    expect(ends.strict).toMatchObject({ error: { code: "TOOL_OUTPUT_INVALID" } });
    expect(ends.off!.warnings).toBeUndefined();
  });

  test("content is what the model is shown, the value is what the log has", async () => {
    const { ok } = await import("../../src/index.ts");
    const shot = tool("shot", () => ok({ bytes: 3 }, { content: [{ type: "text", text: "a picture" }] }));
    const model = scriptedModel([asks("shot"), "ok"]);
    const { events } = await watched(execute({ model, tools: [shot], prompt: "go" }));
    expect(ofType(events, "tool-end")[0]!.output).toEqual({ bytes: 3 });
    expect(requestText(model, 1)).toContain("a picture");
    expect(requestText(model, 1)).not.toContain("bytes");
  });

  test("static values reach the handler and the log, and not the model", async () => {
    const find = tool("find", (input) => input, {
      input: z.object({ query: z.string(), limit: z.number() }),
      staticInputValues: { limit: 3 },
    });
    const model = scriptedModel([asks(["find", { query: "x", limit: 99 }]), "ok"]);
    const { events } = await watched(execute({ model, tools: [find], prompt: "go" }));
    expect(JSON.stringify(model.requests[0]!.tools)).not.toContain("limit");
    expect(ofType(events, "tool-call")[0]!.input).toEqual({ query: "x", limit: 3 });
    expect(results(model.requests[1]!.prompt).call_1_1).toBe('{"query":"x","limit":3}');
  });

  test("a provider id that comes again in a later answer has a result of its own", async () => {
    const echo = tool("echo", ({ n }) => n);
    const again = (n: number) => ({ toolCalls: [{ id: "same", name: "echo", input: { n } }] });
    const store = memoryStore();
    const options = { tools: [echo], store, session: "s" };
    const model = scriptedModel([again(1), again(2), "ok"]);
    const first = await execute({ ...options, model, prompt: "go" });
    const values = (messages: readonly any[]) =>
      messages.flatMap(({ role, content }) => (role === "tool" ? [content[0].output.value] : []));
    expect(values(model.requests[2]!.prompt)).toEqual(["1", "2"]);
    const next = await execute({ ...options, model: scriptedModel(["ok"]), prompt: "next" });
    expect(next.messages.slice(0, first.messages.length)).toEqual(first.messages);
  });

  test("two calls of one provider id have two results", async () => {
    const echo = tool("echo", ({ n }) => n);
    const model = scriptedModel([{ toolCalls: [1, 2].map((n) => ({ id: "same", name: "echo", input: { n } })) }, "ok"]);
    const { events } = await watched(execute({ model, tools: [echo], prompt: "go" }));
    expect(ofType(events, "tool-end").map(({ output }) => output)).toEqual([1, 2]);
    const { content } = model.requests[1]!.prompt.at(-1);
    expect(content.map(({ output }: any) => output.value)).toEqual(["1", "2"]);
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });
});

describe("what a handler does to its values", () => {
  test("changing the input changes neither the log nor the conversation", async () => {
    const eager = tool("eager", (input) => {
      input.list.push("mine");
      input.secret = true;
      return "done";
    });
    const model = scriptedModel([asks(["eager", { list: ["asked"] }]), "ok"]);
    const { events, result } = await watched(
      execute({
        model,
        tools: [eager],
        prompt: "go",
        hooks: { onBeforeTool: ({ input }) => void input.list.push("hook") },
      }),
    );
    expect(ofType(events, "tool-call")[0]!.input).toEqual({ list: ["asked", "hook"] });
    expect(ofType(events, "model-response")[0]!.content).toMatchObject([{ input: { list: ["asked"] } }]);
    expect(result.messages[1]!.content).toMatchObject([{ input: { list: ["asked"] } }]);
  });

  test("changing an output later changes neither the log nor what was answered", async () => {
    const seen: string[] = [];
    const add = tool("add", () => {
      seen.push("x");
      return { seen };
    });
    const model = scriptedModel([asks("add"), asks("add"), "ok"]);
    const { events } = await watched(execute({ model, tools: [add], prompt: "go" }));
    expect(ofType(events, "tool-end").map(({ output }) => output)).toEqual([{ seen: ["x"] }, { seen: ["x", "x"] }]);
  });

  test("assigns of the log are not the handler's to change", async () => {
    const { ok } = await import("../../src/index.ts");
    const grow = tool("grow", (_, ctx) => {
      ctx.assigns.list?.push("changed in place");
      return ok(1, { assigns: { list: ["fresh"] } });
    });
    const model = scriptedModel([asks("grow"), asks("grow"), "ok"]);
    const { events } = await watched(execute({ model, tools: [grow], prompt: "go" }));
    expect(ofType(events, "tool-end").map(({ assigns }) => assigns)).toEqual([
      { list: ["fresh"] },
      { list: ["fresh"] },
    ]);
  });
});
