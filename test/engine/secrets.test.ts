import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Exit, fail, ok, SnapshotSignal, ThinkSignal, type ToolContext } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, results, scriptedModel, tool, waiting, watched } from "./support.ts";

const VALUE = "s3cr3t-value-of-a-token";
const secrets = { TOKEN: { static: VALUE } };

/** Everything that left the run: requests, events, log, result. */
async function leaks(handler: Parameters<typeof tool>[1], more: object = {}): Promise<{ all: string; read: any }> {
  const model = scriptedModel([asks("odd"), "ok"]);
  const store = memoryStore();
  const options = { model, tools: [tool("odd", handler)], prompt: "go", store, session: "s", secrets, ...more };
  const { events, result } = await watched(execute(options as any));
  const parts = [model.requests, events, await store.read("s"), result, (result as any).snapshot, result.messages];
  const all = parts.map((part) => `${JSON.stringify(part)} ${inspect(part, { depth: 20 })}`).join("\n");
  return { all, read: model.requests[1] && results(model.requests[1].prompt).call_1_1 };
}

describe("a secret never leaves the run", () => {
  test.each<[string, (ctx: any) => unknown]>([
    ["in a result", () => `the token is ${VALUE}`],
    ["in a key of a result", () => ({ [VALUE]: 1 })],
    ["in a list, a map, an error and a date's company", () => [new Map([["k", VALUE]]), new Error(VALUE), new Date(0)]],
    ["in content", () => ok(1, { content: [{ type: "text", text: VALUE }] })],
    ["in assigns", () => ok(1, { assigns: { token: VALUE } })],
    [
      "in an error",
      () => {
        throw new Error(`bad token ${VALUE}`);
      },
    ],
    [
      "in an error's data",
      () => {
        throw Object.assign(new Error("bad"), { code: VALUE });
      },
    ],
    ["in a failure", () => fail({ token: VALUE })],
    [
      "in a think",
      () => {
        throw new ThinkSignal(VALUE, { token: VALUE });
      },
    ],
    [
      "in a pause",
      () => {
        throw new SnapshotSignal(`enter ${VALUE}`, { token: VALUE });
      },
    ],
    ["in progress", ({ progress }) => progress(`using ${VALUE}`)],
    ["as all of them", ({ secrets }) => secrets],
    ["as the context", (ctx) => ({ ...ctx.secrets, text: String(ctx.secrets) })],
  ])("%s", async (_, handler) => {
    const { all } = await leaks((_, ctx) => {
      expect(ctx.secrets.get("TOKEN")).toBe(VALUE);
      return handler(ctx) as any;
    });
    expect(all).not.toContain(VALUE);
    expect(all).toMatch(/\[REDACTED:TOKEN\]|TOKEN/);
  });

  test("in what the user says, before, meanwhile and after", async () => {
    const { all } = await leaks(() => 1, { prompt: `my token is ${VALUE}`, messages: [`use ${VALUE}`] });
    expect(all).not.toContain(VALUE);
    const model = scriptedModel(["ok", "ok"]);
    const run = execute({ model, prompt: "go", secrets });
    run.steer(`it is ${VALUE}`);
    run.followUp(`again: ${VALUE}`);
    expect(JSON.stringify([(await run).messages, model.requests])).not.toContain(VALUE);
  });

  test("in instructions, also dynamic ones", async () => {
    for (const instructions of [`Use ${VALUE}.`, () => `Use ${VALUE}.`]) {
      expect((await leaks(() => 1, { instructions })).all).not.toContain(VALUE);
    }
  });

  test("in what a model says that has seen it elsewhere", async () => {
    const finish = new Exit({ name: "finish", schema: z.object({ said: z.string() }) });
    const model = scriptedModel([
      { ...asks(["odd", { text: VALUE }]), text: `I know ${VALUE}` },
      asks(["finish", { said: VALUE }]),
    ]);
    const seen: unknown[] = [];
    const result = await execute({
      model,
      tools: [tool("odd", (input) => void seen.push(input))],
      exits: [finish],
      prompt: "go",
      secrets,
      hooks: { onExit: ({ result }) => void seen.push(result) },
    });
    expect(result.is(finish) && result.output.said).toBe("[REDACTED:TOKEN]");
    expect(JSON.stringify([result, model.requests, seen])).not.toContain(VALUE);
  });

  test("in the error of the run, and what it was made from", async () => {
    const hooks = {
      onIterationStart: () => {
        throw new Error(`cannot use ${VALUE}`);
      },
    };
    const result = await execute({ model: scriptedModel([]), prompt: "go", secrets, hooks });
    expect(result).toMatchObject({ status: "error", error: { message: expect.stringContaining("[REDACTED:TOKEN]") } });
    expect(inspect(result, { depth: 20 })).not.toContain(VALUE);
  });

  test("in a reason to abort", async () => {
    const run = execute({ model: scriptedModel(["ok"]), prompt: "go", secrets });
    run.abort(`stop ${VALUE}`);
    expect(inspect(await run, { depth: 20 })).not.toContain(VALUE);
  });
});

test("a static value that is a secret reaches the handler, and nobody who approves or reads", async () => {
  const seen: unknown[] = [];
  const post = tool("post", (input) => void seen.push(input), {
    input: z.object({ text: z.string(), token: z.string() }),
    staticInputValues: { token: (ctx: ToolContext) => ctx.secrets.get("TOKEN") },
    approval: true,
  });
  const options = { model: scriptedModel([asks(["post", { text: "hi" }]), "ok"]), tools: [post], secrets };
  const { pending, snapshot } = waiting(await execute({ ...options, prompt: "go" }));
  expect(pending[0]!.input).toEqual({ text: "hi", token: "[REDACTED:TOKEN]" });
  expect(JSON.stringify(snapshot)).not.toContain(VALUE);
  const log = JSON.parse(JSON.stringify(snapshot.decide(pending[0]!.callId, { approve: true })));
  expect((await execute({ ...options, log })).status).toBe("success");
  expect(seen).toEqual([{ text: "hi", token: VALUE }]);
});
