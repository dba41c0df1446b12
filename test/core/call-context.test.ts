/** What a handler is told: alone, in a run, through spread copies, and when tools call tools. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { CallContext } from "../../src/core/call-context.ts";
import type { CallChannel, ToolContext } from "../../src/core/context.ts";
import type { SandboxAccess } from "../../src/core/sandbox.ts";
import { Tool } from "../../src/core/tool.ts";
import { ok } from "../../src/core/tool-result.ts";

const sandbox = { readFile: async () => new Uint8Array([1]) } as unknown as SandboxAccess;

/** A context as the engine makes it. */
function engineContext(tool: Tool, line: CallChannel = {}, abortSignal = new AbortController().signal) {
  return new CallContext({
    callId: "run/1/1",
    iteration: 1,
    sandbox,
    assigns: { user: "ada" },
    options: tool.optionValues,
    abortSignal,
    channel: line,
  });
}

describe("alone", () => {
  test("everything is filled in", async () => {
    const tool = new Tool({ name: "t", handler: (_, ctx) => ctx as ToolContext });
    const ctx = await tool.execute();
    expect(ctx.callId).toMatch(/^call_/);
    expect([ctx.attempt, ctx.iteration, ctx.assigns, ctx.options, ctx.cwd]).toEqual([1, 0, {}, {}, process.cwd()]);
    expect(ctx.abortSignal.aborted).toBe(false);
    expect([ctx.secrets.names, ctx.secrets.env()]).toEqual([[], {}]);
    expect(() => ctx.secrets.get("KEY")).toThrow(expect.objectContaining({ code: "SECRET_UNKNOWN" }));
    expect(() => ctx.sandbox).toThrow(expect.objectContaining({ code: "SANDBOX_NONE" }));
    expect(() => ctx.progress("x")).not.toThrow();
  });

  test("parts may be given", async () => {
    const tool = new Tool({ name: "t", handler: (_, { assigns, callId, sandbox }) => [assigns, callId, sandbox] });
    expect(await tool.execute(undefined, { assigns: { a: 1 }, callId: "mine", sandbox })).toEqual([
      { a: 1 },
      "mine",
      sandbox,
    ]);
  });

  test("a spread without a sandbox does not fail", async () => {
    const tool = new Tool({ name: "t", handler: (_, ctx) => Object.keys({ ...ctx }) });
    expect(await tool.execute()).toContain("callId");
  });
});

describe("a subclass that spreads its context", () => {
  class Spreading extends Tool<any, any, any> {
    override execute(input?: unknown, ctx: Partial<ToolContext> = {}) {
      return super.execute(input, { ...ctx, agent: "replaced" });
    }
  }

  test("keeps assigns, content, sandbox, the signal and the options", async () => {
    const tool = new Spreading({
      name: "t",
      options: z.object({ by: z.number() }),
      handler: async (_, ctx) => {
        const seen = {
          by: ctx.options.by,
          user: ctx.assigns.user,
          agent: ctx.agent,
          bytes: await ctx.sandbox.readFile("a"),
          callId: ctx.callId,
        };
        return ok(seen, { assigns: { done: true }, content: [{ type: "text", text: "shown" }] });
      },
    }).withOptions({ by: 3 });
    const line: CallChannel = {};
    expect(await tool.execute(undefined, engineContext(tool, line))).toEqual({
      by: 3,
      user: "ada",
      agent: "replaced",
      bytes: new Uint8Array([1]),
      callId: "run/1/1",
    });
    expect(line).toMatchObject({ assigns: { done: true }, content: [{ type: "text", text: "shown" }] });
  });

  test("may try again on its own after the time was up, with a signal that has not fired", async () => {
    class Stubborn extends Tool<any, any, any> {
      override async execute(input?: unknown, ctx: Partial<ToolContext> = {}) {
        try {
          return await super.execute(input, ctx);
        } catch {
          return super.execute(input, ctx);
        }
      }
    }
    const fired: boolean[] = [];
    const tool = new Stubborn({
      name: "t",
      timeoutMs: 20,
      handler: (_, { abortSignal }) => {
        fired.push(abortSignal.aborted);
        return fired.length === 1 ? new Promise(() => {}) : "second";
      },
    });
    expect(await tool.execute(undefined, engineContext(tool))).toBe("second");
    expect(fired).toEqual([false, false]);
  });

  test("is still stopped with the run", async () => {
    const controller = new AbortController();
    const tool = new Spreading({
      name: "t",
      handler: (_, { abortSignal }) =>
        new Promise((_yes, no) => abortSignal.addEventListener("abort", () => no(new Error("heard it")))),
    });
    const call = tool.execute(undefined, engineContext(tool, {}, controller.signal));
    setTimeout(() => controller.abort(), 5);
    await expect(call).rejects.toThrow(/heard it|was stopped/);
  });

  test("does not validate again what the engine validated", async () => {
    let checks = 0;
    const input = z.object({ n: z.number() }).refine(() => ++checks > 0);
    const tool = new Spreading({ name: "t", input, handler: ({ n }) => n });
    const raw = { n: 1 };
    const line: CallChannel = { prepared: { raw, value: { n: 2 } } };
    expect(await tool.execute(raw, engineContext(tool, line))).toBe(2);
    expect(checks).toBe(0);
    expect(await tool.execute({ n: 5 }, engineContext(tool, line))).toBe(5);
  });

  test("retries as often as it was told, and each retry is told to the engine", async () => {
    const told: number[] = [];
    const tool = new Spreading({
      name: "t",
      retry: ({ attempt }) => attempt < 3,
      handler: () => {
        throw new Error("x");
      },
    });
    await expect(
      tool.execute(undefined, engineContext(tool, { onRetry: (attempt) => void told.push(attempt) })),
    ).rejects.toThrow("x");
    expect(told).toEqual([2, 3]);
  });
});

describe("a tool that calls a tool with its context", () => {
  const inner = new Tool({
    name: "inner",
    input: z.object({ n: z.number().max(9) }),
    output: z.number().max(5),
    options: z.object({ table: z.string().default("users") }),
    handler: ({ n }, ctx) =>
      ok(n, { assigns: { inner: ctx.options.table, callId: ctx.callId }, content: [{ type: "text", text: "inner" }] }),
  });

  test.each<[string, (ctx: ToolContext) => Partial<ToolContext>]>([
    ["as it is", (ctx) => ctx],
    ["as a spread copy", (ctx) => ({ ...ctx })],
  ])(
    "%s: the inner one has its own options, id and validation; its assigns count, its content does not",
    async (_, pass) => {
      const outer = new Tool({
        name: "outer",
        options: z.object({ mine: z.boolean().default(true) }),
        handler: async (input: any, ctx) => {
          await inner.execute({ n: 1 }, pass(ctx));
          return ok(await inner.execute(input, pass(ctx)), { assigns: { outer: ctx.options.mine } });
        },
      });
      const raw = { n: 7 };
      const line: CallChannel = { prepared: { raw, value: raw } };
      expect(await outer.execute(raw, engineContext(outer, line))).toBe(7);
      expect(line.assigns).toEqual({ inner: "users", callId: "run/1/1.2", outer: true });
      expect(line.content).toBeUndefined();
      expect(line.warnings).toEqual([expect.stringMatching(/^Tool "inner" gave an output that does not fit/)]);

      const big = { n: 10 };
      const call = outer.execute(big, engineContext(outer, { prepared: { raw: big, value: big } }));
      await expect(call).rejects.toMatchObject({ code: "TOOL_INPUT_INVALID" });
    },
  );

  test("the inner one ends when the outer's time is up", async () => {
    let innerStopped = false;
    const slow = new Tool({
      name: "slow",
      handler: (_, { abortSignal }) =>
        new Promise(() => {
          abortSignal.addEventListener("abort", () => {
            innerStopped = true;
          });
        }),
    });
    const outer = new Tool({ name: "outer", timeoutMs: 20, handler: (_, ctx) => slow.execute(undefined, ctx) });
    await expect(outer.execute()).rejects.toMatchObject({
      code: "TOOL_TIMEOUT",
      message: expect.stringContaining('"outer"'),
    });
    expect(innerStopped).toBe(true);
  });

  test("a subclass may call another tool first, without lending it what was validated", async () => {
    class Guarded extends Tool<any, any, any> {
      override async execute(input?: unknown, ctx: Partial<ToolContext> = {}) {
        await inner.execute(input as never, ctx);
        return super.execute(input, ctx);
      }
    }
    const tool = new Guarded({ name: "t", handler: (input: unknown) => input });
    const raw = { n: 10 };
    const call = tool.execute(raw, engineContext(tool, { prepared: { raw, value: raw } }));
    await expect(call).rejects.toMatchObject({
      code: "TOOL_INPUT_INVALID",
      message: expect.stringContaining('"inner"'),
    });
  });
});
