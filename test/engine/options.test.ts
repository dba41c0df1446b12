import { describe, expect, test } from "vitest";
import { Exit } from "../../src/index.ts";
import { execute, scriptedModel, tool } from "./support.ts";

const nothing = tool("nothing", () => 1);

describe("options that do not fit reject with OPTIONS_INVALID", () => {
  const wrong: [string, unknown, RegExp?][] = [
    ["iterations", 0, /an integer from 1, got 0/],
    ["iterations", 1.5],
    ["iterations", Number.NaN],
    ["iterations", Number.POSITIVE_INFINITY],
    ["iterations", "10", /got "10"/],
    ["iterations", null],
    ["approvals", "maybe", /one of ask, interrupt, deny/],
    ["approvals", "ask", /needs an approve function/],
    ["approve", true],
    ["temperature", -1],
    ["temperature", 3, /a number from 0 to 2, or a function, got 3/],
    ["temperature", Number.NaN],
    ["temperature", "hot"],
    ["reasoningEffort", "max", /one of none, low, medium, high, dynamic/],
    ["maxOutputTokens", 0],
    ["prompt", 5],
    ["prompt", null],
    ["prompt", [5], /prompt\[0\] is no part of a user message/],
    ["prompt", [{ type: "tool-call" }]],
    ["messages", "hi"],
    ["messages", [5], /messages\[0\] must be text or a message/],
    ["messages", ["a", { role: "system", content: "x" }], /messages\[1\] has the role "system"/],
    ["messages", [{ role: "user" }], /messages\[0\].content must be text or a list of parts/],
    ["messages", [{ role: "tool", content: "x" }]],
    ["messages", [{ role: "user", content: [{ type: "reasoning", text: "x" }] }]],
    ["tools", { nothing }],
    ["tools", "all"],
    ["exits", new Exit({ name: "finish" })],
    ["exits", [{ name: "finish" }]],
    ["hooks", true],
    ["hooks", { onTool: () => {} }, /There is no hook "onTool"/],
    ["hooks", { onTrace: "yes" }, /onTrace must be a function/],
    ["mode", 5],
    ["mode", {}],
    ["sandbox", 5],
    ["cwd", 5],
    ["secrets", ["A"]],
    ["model", 5, /a provider object, a name such as/],
    ["model", {}],
    ["model", []],
    ["model", [{}]],
    ["model", null],
    ["instructions", 5],
    ["modelLimits", { attempts: 0 }, /attempts must be an integer from 1/],
    ["modelLimits", { retries: 1 }, /modelLimits has no "retries"/],
    ["modelLimits", { idleMs: 0 }],
    ["assigns", "x"],
    ["abortSignal", {}],
    ["abortSignal", "now"],
    ["store", {}],
    ["session", 5],
    ["session", ""],
    ["epoch", -1],
    ["epoch", 0.5],
    ["logger", {}],
    ["prices", {}],
    ["log", 5],
    ["tool", [nothing], /execute\(\) has no option "tool"/],
    ["__proto__x", 1],
  ];

  test.each(wrong.map(([name, value, says]) => [name, value, says] as const))("%s: %j", async (name, value, says) => {
    const model = scriptedModel([]);
    const options = { model, prompt: "go", tools: [nothing], [name]: value };
    const run = execute(options as any);
    await expect(run).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
    if (says) await expect(run).rejects.toThrow(says);
    expect(model.requests).toEqual([]);
  });

  test.each([[undefined], [null], [5], ["go"], [[]], [() => {}]])("no object of options: %s", async (options) => {
    await expect(execute(options as any)).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
  });
});

describe("tools and exits that do not fit reject with their own code", () => {
  test.each([
    ["tools", [5], "TOOL_INVALID"],
    ["tools", [{ name: "x", handler: () => 1 }], "TOOL_INVALID"],
    ["tools", [nothing, nothing], "DUPLICATE_TOOL"],
    ["tools", [nothing, tool("other", () => 1, { aliases: ["nothing"] })], "DUPLICATE_TOOL"],
    ["exits", [new Exit({ name: "a" }), new Exit({ name: "A" })], "DUPLICATE_EXIT"],
    ["exits", [new Exit({ name: "nothing" })], "DUPLICATE_TOOL"],
    ["mode", "dance", "MODE_UNKNOWN"],
    ["secrets", { A: {} }, "SECRET_SOURCE_INVALID"],
    ["secrets", { A: { env: "HAFT_TEST_SURELY_NOT_SET" } }, "SECRET_MISSING"],
  ])("%s %j: %s", async (name, value, code) => {
    const options = { model: scriptedModel([]), prompt: "go", tools: [nothing], [name]: value };
    await expect(execute(options as any)).rejects.toMatchObject({ code });
  });
});

describe("undefined is the same as left out", () => {
  test("for every option", async () => {
    const names = ["instructions", "messages", "log", "tools", "exits", "hooks", "mode", "sandbox", "cwd", "secrets"];
    const more = ["approvals", "approve", "iterations", "temperature", "reasoningEffort", "maxOutputTokens", "store"];
    const rest = ["providerOptions", "modelLimits", "assigns", "abortSignal", "session", "epoch", "logger", "prices"];
    const options = Object.fromEntries([...names, ...more, ...rest].map((name) => [name, undefined]));
    expect((await execute({ ...options, model: scriptedModel(["ok"]), prompt: "go" })).output).toBe("ok");
  });
});

describe("everything else is a result", () => {
  test("a store that cannot be read", async () => {
    const store = {
      read: async () => {
        throw new Error("no such host");
      },
      append: async () => {},
    };
    const model = scriptedModel([]);
    const result = await execute({ model, prompt: "go", store, session: "s" });
    expect(result).toMatchObject({
      status: "error",
      stopReason: "error",
      error: { code: "STORE_FAILED", message: expect.stringContaining("no such host") },
      messages: [],
      iterations: [],
    });
    expect(result.isError()).toBe(true);
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ status: "error", error: { code: "STORE_FAILED" } });
    expect(model.requests).toEqual([]);
  });

  test("a session that the store cannot name", async () => {
    const { fileStore } = await import("../../src/stores/index.ts");
    const result = await execute({
      model: scriptedModel([]),
      prompt: "go",
      store: fileStore("/nowhere"),
      session: "../up",
    });
    expect(result).toMatchObject({ status: "error", error: { code: "SESSION_INVALID" } });
  });

  test("a sandbox that cannot be opened", async () => {
    const result = await execute({ model: scriptedModel([]), prompt: "go", sandbox: "moon" });
    expect(result).toMatchObject({ status: "error", error: { code: expect.stringMatching(/^SANDBOX_/) } });
  });

  test("a mode that cannot be opened", async () => {
    const mode = {
      name: "broken",
      open: () => {
        throw new Error("no engine");
      },
    };
    const result = await execute({ model: scriptedModel([]), prompt: "go", mode });
    expect(result).toMatchObject({
      status: "error",
      error: { code: "INTERNAL", message: expect.stringContaining("no engine") },
    });
  });

  test("a mode that throws while it acts", async () => {
    const { toolsMode } = await import("../../src/modes/tools.ts");
    const mode = {
      name: "broken",
      open: () => {
        const session = toolsMode.open() as any;
        session.act = () => {
          throw new Error("no hands");
        };
        return session;
      },
    };
    const result = await execute({ model: scriptedModel(["ok"]), prompt: "go", mode });
    expect(result).toMatchObject({
      status: "error",
      error: { code: "INTERNAL", message: expect.stringContaining("no hands") },
    });
  });

  test("a prompt may be left out", async () => {
    expect((await execute({ model: scriptedModel(["ok"]), messages: ["Hi"] })).output).toBe("ok");
  });
});
