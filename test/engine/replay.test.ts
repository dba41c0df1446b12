import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Entry } from "../../src/core/log.ts";
import { Exit, ListenExit } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, ofType, results, scriptedModel, tool, waiting } from "./support.ts";

const finish = new Exit({ name: "finish", schema: z.object({ when: z.string().transform((text) => new Date(text)) }) });

function counted() {
  let calls = 0;
  const count = tool("count", () => ({ calls: ++calls, at: new Date(0) }));
  return { count, made: () => calls };
}

/** A run and its log, written to a store and read back. */
async function logged(options: Parameters<typeof execute>[0]) {
  const store = memoryStore();
  const result = await execute({ ...options, store, session: "s" });
  return { result, store, entries: JSON.parse(JSON.stringify(await store.read("s"))) as Entry[] };
}

describe("the same log", () => {
  test("gives the same result, with no call of a model or a tool", async () => {
    const { count, made } = counted();
    const script = [asks("count"), asks(["finish", { when: "2026-01-01" }])];
    const exits = [finish];
    const { result, entries } = await logged({ model: scriptedModel(script), tools: [count], exits, prompt: "go" });
    const model = scriptedModel([]);
    const again = await execute({ model, tools: [count], exits, log: entries });
    expect(made()).toBe(1);
    expect(model.played).toBe(0);
    expect(again).toMatchObject({ run: result.run, status: "success", stopReason: "exit", output: result.output });
    expect(again.is(finish) && again.output.when).toEqual(new Date("2026-01-01"));
    expect(again.messages).toEqual(result.messages);
    expect(JSON.stringify(again.iterations)).toBe(JSON.stringify(result.iterations));
    expect(again.usage).toEqual(result.usage);
  });

  test.each([
    ["text", ["ok"], {}],
    ["listen", ["Hello."], { exits: [ListenExit] }],
    ["an error of the model", [{ error: Object.assign(new Error("bad key"), { statusCode: 401 }) }], {}],
    ["the limit", [asks("count"), asks("count")], { iterations: 2 }],
    ["a missing exit", ["one", "two"], { exits: [finish] }],
  ])("whatever the end was: %s", async (_, script, more: any) => {
    const { count } = counted();
    const options = { tools: [count], ...more };
    const { result, entries } = await logged({ model: scriptedModel(script as any), prompt: "go", ...options });
    const again = await execute({ model: scriptedModel([]), log: entries, ...options });
    const { status, stopReason, output, error } = result as any;
    expect(again).toMatchObject({ status, stopReason });
    expect((again as any).output).toEqual(output);
    expect((again as any).error?.toJSON()).toEqual(error?.toJSON());
  });

  test("writes nothing", async () => {
    const { result, store, entries } = await logged({ model: scriptedModel(["ok"]), prompt: "go" });
    const again = await execute({ model: scriptedModel([]), store, session: "s" });
    expect(again.run).toBe(result.run);
    expect(await store.read("s")).toEqual(entries);
  });

  test("of an exit that is not given any more still says its name", async () => {
    const { entries } = await logged({
      model: scriptedModel([asks(["finish", { when: "2026-01-01" }])]),
      exits: [finish],
      prompt: "go",
    });
    const again = await execute({ model: scriptedModel([]), log: entries });
    expect(again).toMatchObject({ status: "success", exit: { name: "finish" } });
  });
});

describe("a log that was cut", () => {
  test("anywhere: the run goes on to the same end; finished model and tool calls are not made again", async () => {
    const script = [asks("count", "count"), asks("count"), asks(["finish", { when: "2026-01-01" }])];
    const first = counted();
    const { result, entries } = await logged({
      model: scriptedModel(script),
      tools: [first.count],
      exits: [finish],
      prompt: "go",
    });
    for (let length = 2; length <= entries.length; length++) {
      const log = entries.slice(0, length);
      const answered = ofType(log, "model-response").length;
      const ended = ofType(log, "tool-end").length;
      const open = ofType(log, "tool-start").length - ended;
      const { count, made } = counted();
      const model = scriptedModel(script.slice(answered));
      const tools = [count.with({ idempotent: true })];
      const again = await execute({ model, tools, exits: [finish], log });
      expect([length, again.status, again.run]).toEqual([length, "success", result.run]);
      expect([length, model.played]).toEqual([length, script.length - answered]);
      expect([length, made()]).toEqual([length, 3 - ended]);
      expect([length, open <= 2]).toEqual([length, true]);
      expect(again.messages.map(({ role }) => role)).toEqual(result.messages.map(({ role }) => role));
    }
  });

  test("before the first message: the prompt is given again", async () => {
    const { entries } = await logged({ model: scriptedModel(["ok"]), prompt: "go" });
    const model = scriptedModel(["ok"]);
    await execute({ model, log: entries.slice(0, 1), prompt: "go" });
    expect(model.requests[0]!.prompt).toMatchObject([{ role: "user", content: [{ text: "go" }] }]);
  });

  test("the same options again go on, and do not say the prompt twice; another prompt is a new message", async () => {
    const { count } = counted();
    const script = [asks("count"), "ok"];
    const { entries } = await logged({ model: scriptedModel(script), tools: [count], prompt: "go" });
    for (const [prompt, said] of [
      ["go", ["go"]],
      ["go on", ["go", "go on"]],
    ] as const) {
      const model = scriptedModel(["ok", "ok"]);
      const log = entries.slice(0, 7); // the first call has ended
      const again = await execute({ model, tools: [count], log, prompt });
      const users = again.messages.filter(({ role }) => role === "user") as any[];
      expect(users.map(({ content }) => content[0].text)).toEqual(said);
      expect(again.messages.map(({ role }) => role).slice(0, 3)).toEqual(["user", "assistant", "tool"]);
    }
  });

  test("a session that was stopped between its end and saying so asks nobody again", async () => {
    for (const [script, more] of [
      [["ok"], {}],
      [[asks(["finish", { when: "2026-01-01" }])], { exits: [finish] }],
      [["one", "two"], { exits: [finish] }],
    ] as any) {
      const { result, entries } = await logged({ model: scriptedModel(script), prompt: "go", ...more });
      expect(entries.at(-1)!.type).toBe("run-end");
      const model = scriptedModel([]);
      const again: any = await execute({ model, log: entries.slice(0, -1), ...more });
      expect(again).toMatchObject({ status: result.status, stopReason: result.stopReason });
      expect(again.output).toEqual((result as any).output);
      expect(again.error?.code).toBe((result as any).error?.code);
    }
  });
});

describe("a log that does not fit", () => {
  test("a call that is another one now ends the run, and the log can still go on as it was", async () => {
    const { count, made } = counted();
    const wait = tool("wait", () => 1, { approval: true });
    const options = { tools: [count, wait], exits: [] as Exit[] };
    const model = scriptedModel([asks("count", "wait"), "ok"]);
    const store = memoryStore();
    const { snapshot } = waiting(await execute({ ...options, model, prompt: "go", store, session: "s" }));
    // Another exit takes the name of the first call: the second one would be the first.
    const exits = [new Exit({ name: "count" })];
    const diverged = await execute({ model, tools: [wait], exits, store, session: "s" });
    expect(diverged).toMatchObject({
      status: "error",
      error: {
        code: "REPLAY_DIVERGED",
        message: expect.stringContaining(`${snapshot.run}/1/1 was "count" and is now "wait"`),
      },
    });
    expect(await store.read("s")).toEqual(snapshot.entries);
    const { pending } = waiting(await execute({ ...options, model, store, session: "s" }));
    const log = snapshot.resolve(pending[0]!.callId, "answer");
    expect((await execute({ ...options, model, store, session: "s", log })).status).toBe("success");
    expect(made()).toBe(1);
  });

  test.each([
    ["no entries", [5], "OPTIONS_INVALID"],
    ["halves", [{ v: 1, seq: 0 }], "OPTIONS_INVALID"],
    ["another version", [{ v: 3, seq: 0, at: 0, key: "r", type: "run-start" }], "LOG_VERSION_UNKNOWN"],
    ["no snapshot", { v: 1 }, "SNAPSHOT_INVALID"],
    ["another snapshot", { v: 3, run: "r", entries: [] }, "LOG_VERSION_UNKNOWN"],
    ["text", "log", "OPTIONS_INVALID"],
  ])("%s: it is refused before anything starts", async (_, log: any, code) => {
    const model = scriptedModel([]);
    await expect(execute({ model, log })).rejects.toMatchObject({ code });
    expect(model.requests).toEqual([]);
  });

  test("an empty log begins a run", async () => {
    expect((await execute({ model: scriptedModel(["ok"]), log: [], prompt: "go" })).output).toBe("ok");
  });

  test("an entry of a kind that is not known is left alone", async () => {
    const { entries } = await logged({ model: scriptedModel(["ok"]), prompt: "go" });
    const odd: any = { v: 1, seq: 1, at: 0, key: entries[0]!.key, type: "from-the-future" };
    const log = [entries[0]!, odd, ...entries.slice(1)];
    expect((await execute({ model: scriptedModel([]), log })).output).toBe("ok");
  });
});

test("results that the log has are what the model reads, also after a change of the tool", async () => {
  const old = tool("echo", () => "old");
  const wait = tool("wait", () => 1, { approval: true });
  const model = scriptedModel([asks("echo", "wait"), "ok"]);
  const { snapshot, pending } = waiting(await execute({ model, tools: [old, wait], prompt: "go" }));
  const log = snapshot.resolve(pending[0]!.callId, 1);
  await execute({ model, tools: [tool("echo", () => "new"), wait], log });
  expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "old", call_1_2: "1" });
});
