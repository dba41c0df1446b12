/** toolName, toolSpec and executeTool over every form of an entry. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SnapshotSignal, ThinkSignal } from "../../src/core/signals.ts";
import { Tool, type ToolEntry } from "../../src/core/tool.ts";
import { fail, ok } from "../../src/core/tool-result.ts";
import { executeTool, resolveTool, toolName, toolSpec } from "../../src/core/tool-spec.ts";

const double = new Tool({
  name: "double",
  description: "Twice a number",
  input: z.object({ n: z.number() }),
  handler: ({ n }) => n * 2,
});
const command = new Tool({
  name: ({ command }) => command[0]!.toUpperCase() + command.slice(1),
  description: ({ command }) => `Runs \`${command}\``,
  input: { type: "object", properties: { args: { type: "array", items: { type: "string" } } }, required: ["args"] },
  options: z.object({ command: z.string() }),
  handler: ({ args }, { options, assigns }) => [options.command, ...args, assigns.by ?? "nobody"].join(" "),
});
const git: ToolEntry = [command, { command: "git" }];
const failing = (handler: () => unknown) => new Tool({ name: "t", handler });

describe("toolName and toolSpec", () => {
  test("of a tool: exactly name, description and parameters", () => {
    expect(toolName(double)).toBe("double");
    expect(toolSpec(double)).toStrictEqual({
      name: "double",
      description: "Twice a number",
      parameters: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    });
  });

  test("of a tool with option values", () => {
    expect(toolName(git)).toBe("Git");
    expect(toolSpec(git)).toMatchObject({
      name: "Git",
      description: "Runs `git`",
      parameters: { properties: { args: { type: "array" } } },
    });
    expect([toolName([command, { command: "gh" }]), toolName(command.withOptions({ command: "ls" }))]).toEqual([
      "Gh",
      "Ls",
    ]);
  });

  test("of a tool without a description or an input", () => {
    expect(toolSpec(failing(() => 1))).toStrictEqual({
      name: "t",
      description: "",
      parameters: { type: "object", properties: {}, additionalProperties: true },
    });
  });

  test("of a tool that needs option values", () => {
    expect(() => toolSpec(command)).toThrow(expect.objectContaining({ code: "TOOL_OPTIONS_INVALID" }));
    expect(() => toolName([command, {}])).toThrow(
      expect.objectContaining({ code: "TOOL_OPTIONS_INVALID", message: expect.stringContaining("command: ") }),
    );
  });
});

describe("resolveTool", () => {
  test.each<[unknown, string]>([
    [() => 1, "tools[2] is a function, which is not a tool"],
    [function search() {}, "tools[2] is the function search, which is not a tool"],
    [Tool, "tools[2] is the function Tool, which is not a tool"],
    [{ name: "x", handler() {} }, "tools[2] is an object with the keys name, handler, which is not a tool"],
    [undefined, "tools[2] is undefined, which is not a tool"],
    [Promise.resolve(double), "tools[2] is a Promise (was an await forgotten?), which is not a tool"],
    [[double], "tools[2] is an array of 1, which is not a tool"],
    [[double, {}, {}], "tools[2] is an array of 3, which is not a tool"],
    [["double", {}], "tools[2] is an array of 2, which is not a tool"],
  ])("%#: names what was found and where", (entry, message) => {
    expect(() => resolveTool(entry, 2)).toThrow(
      expect.objectContaining({ code: "TOOL_INVALID", message, hint: expect.any(String) }),
    );
  });

  test("it can be given to map", () => {
    expect([double, git].map(resolveTool).map(({ name }) => name)).toEqual(["double", "Git"]);
  });
});

describe("executeTool", () => {
  test("gives what the handler gave", async () => {
    expect(await executeTool(double, { n: 3 })).toStrictEqual({ ok: true, output: 6 });
    expect(await executeTool(git, { args: ["log"] }, { assigns: { by: "ada" } })).toStrictEqual({
      ok: true,
      output: "git log ada",
    });
    expect(await executeTool(failing(() => ok({ at: new Date(0) })))).toStrictEqual({
      ok: true,
      output: { at: new Date(0) },
    });
    expect(await executeTool(failing(() => undefined))).toStrictEqual({ ok: true, output: undefined });
  });

  test("the entry's options count, and everything else of the context is left as it is", async () => {
    const seen = new Tool({
      name: "t",
      options: z.object({ a: z.number().default(1) }),
      handler: (_, ctx) => [ctx.options, ctx.cwd, ctx.callId],
    });
    const ctx = { options: { a: 9 }, cwd: "/somewhere", callId: "c1" };
    expect(await executeTool(seen, undefined, ctx)).toEqual({ ok: true, output: [{ a: 1 }, "/somewhere", "c1"] });
    expect(await executeTool([seen, { a: 2 }], undefined, ctx)).toEqual({
      ok: true,
      output: [{ a: 2 }, "/somewhere", "c1"],
    });
    expect(ctx.options).toEqual({ a: 9 });
  });

  class Broken {
    toJSON() {
      throw new Error("host detail");
    }
  }
  const cycle: unknown[] = [];
  cycle.push({ cycle });

  test.each<[string, () => unknown, string, string | RegExp]>([
    [
      "raises",
      () => {
        throw new Error("boom");
      },
      "TOOL_FAILED",
      "boom",
    ],
    [
      "rejects with a code",
      async () => Promise.reject(Object.assign(new Error("kaboom"), { code: "E_KABOOM" })),
      "E_KABOOM",
      "kaboom",
    ],
    [
      "throws text",
      () => {
        throw "text";
      },
      "TOOL_FAILED",
      "text",
    ],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
      "TOOL_FAILED",
      "undefined",
    ],
    ["fails", () => fail("no such city"), "TOOL_FAILED", "no such city"],
    [
      "gives a function",
      () => ({ rows: [{ next() {} }] }),
      "VALUE_NOT_ENCODABLE",
      "output.rows[0].next is the function next, which cannot be written as JSON",
    ],
    [
      "gives what cannot be read",
      () => ({ a: new Broken() }),
      "VALUE_NOT_ENCODABLE",
      "output.a is an object that fails when it is read, which cannot be written as JSON",
    ],
    [
      "forgets an await",
      () => ({ user: Promise.resolve(1) }),
      "VALUE_NOT_ENCODABLE",
      /^output\.user is a promise \(was an await forgotten\?\)/,
    ],
    ["returns a signal", () => new ThinkSignal("x"), "SIGNAL_RETURNED", /signals are thrown/],
  ])("a handler that %s is an outcome, with code and message only", async (_, handler, code, message) => {
    const outcome = await executeTool(failing(handler));
    expect(outcome).toEqual({
      ok: false,
      error: { code, message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
  });

  test("an output that holds itself is given as it is", async () => {
    expect(await executeTool(failing(() => cycle))).toEqual({ ok: true, output: cycle });
  });

  test("invalid input and a bad entry are outcomes too", async () => {
    expect(await executeTool(double, { n: "3" })).toMatchObject({
      ok: false,
      error: { code: "TOOL_INPUT_INVALID", message: expect.stringContaining("n: ") },
    });
    expect(await executeTool(git, {})).toMatchObject({
      ok: false,
      error: { message: 'Tool "Git" received invalid input: args: is required' },
    });
    expect(await executeTool(command, { args: [] })).toMatchObject({
      ok: false,
      error: { code: "TOOL_OPTIONS_INVALID" },
    });
    expect(await executeTool("double" as never)).toMatchObject({
      ok: false,
      error: { code: "TOOL_INVALID", message: "This is a string, which is not a tool" },
    });
  });

  test("a signal is thrown again", async () => {
    const [think, snapshot] = [new ThinkSignal("look"), new SnapshotSignal("wait")];
    await expect(
      executeTool(
        failing(() => {
          throw think;
        }),
      ),
    ).rejects.toBe(think);
    await expect(
      executeTool(
        failing(() => {
          throw snapshot;
        }),
      ),
    ).rejects.toBe(snapshot);
  });

  test("a subclass's execute is the one that is called", async () => {
    class Loud extends Tool<any, any, any> {
      override async execute(input?: unknown) {
        return `loud ${await super.execute(input)}`;
      }
    }
    const tool = new Loud({ name: "t", handler: () => "x" });
    expect(await executeTool(tool)).toEqual({ ok: true, output: "loud x" });
    expect(await executeTool([tool, {}])).toEqual({ ok: true, output: "loud x" });
  });
});
