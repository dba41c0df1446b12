/** Which failures are tried again, how often, and that nothing else suffers. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { HaftError } from "../../src/base/errors.ts";
import { SnapshotSignal, ThinkSignal } from "../../src/core/signals.ts";
import { fail } from "../../src/core/tool-result.ts";
import { failing, tool } from "./example-tools.ts";

describe("retry", () => {
  test("is asked from 1, with the input as the handler got it and the error itself", async () => {
    const [first, second] = [new Error("one"), new Error("two")];
    const handler = failing(first, second);
    const retry = vi.fn(() => true);
    const input = z.object({ n: z.coerce.number() });
    expect(await tool(handler, { retry, input }).execute({ n: "5" })).toBe("done");
    expect(handler).toHaveBeenCalledTimes(3);
    expect(retry.mock.calls).toEqual([
      [{ input: { n: 5 }, attempt: 1, error: first }],
      [{ input: { n: 5 }, attempt: 2, error: second }],
    ]);
    expect(handler.mock.calls.map(([, ctx]) => ctx.attempt)).toEqual([1, 2, 3]);
    expect(new Set(handler.mock.calls.map(([, ctx]) => ctx.callId)).size).toBe(1);
  });

  test.each<[string, unknown, number]>([
    ["attempt < 2", ({ attempt }: any) => attempt < 2, 2],
    ["attempt < 3, later", async ({ attempt }: any) => attempt < 3, 3],
    ["false", () => false, 1],
    ["nothing", () => undefined, 1],
    ["no retry", undefined, 1],
  ])("%s: the original error is what it ends with", async (_, retry, calls) => {
    const error = Object.assign(new Error("rate limit"), { code: "RATE_LIMIT" });
    const handler = failing(...Array(9).fill(error));
    await expect(tool(handler, { retry: retry as any }).execute()).rejects.toBe(error);
    expect(handler).toHaveBeenCalledTimes(calls);
  });

  test.each<[string, unknown]>([
    ["a ThinkSignal", new ThinkSignal("look")],
    ["a SnapshotSignal", new SnapshotSignal("wait")],
    ["an inner tool's invalid input", new HaftError("TOOL_INPUT_INVALID", "no")],
  ])("is not asked for %s", async (_, thrown) => {
    const retry = vi.fn(() => true);
    const handler = failing(thrown);
    await expect(tool(handler, { retry }).execute()).rejects.toBe(thrown);
    expect(retry).not.toHaveBeenCalled();
  });

  test("is not asked for invalid input, invalid output or a returned signal", async () => {
    const retry = vi.fn(() => true);
    await expect(tool(() => 1, { retry, input: z.string() }).execute(1)).rejects.toMatchObject({
      code: "TOOL_INPUT_INVALID",
    });
    const strict = tool(() => 1, { retry, output: z.string(), outputValidation: "strict" });
    await expect(strict.execute()).rejects.toMatchObject({ code: "TOOL_OUTPUT_INVALID" });
    await expect(tool(() => new ThinkSignal("x"), { retry }).execute()).rejects.toMatchObject({
      code: "SIGNAL_RETURNED",
    });
    expect(retry).not.toHaveBeenCalled();
  });

  test("is asked for failures of every kind: fail(), a timeout, and codes that only look like ours", async () => {
    const seen: string[] = [];
    const retry = ({ attempt, error }: any) => {
      seen.push(error.code);
      return attempt < 3;
    };
    const handler = vi.fn(async (_: unknown, { attempt }: any) => {
      if (attempt === 1) return fail({ code: "BUSY" });
      if (attempt === 2) throw Object.assign(new Error("stopped by the server"), { code: "ABORTED" });
      return sleep(60_000);
    });
    await expect(tool(handler, { retry, timeoutMs: 20 }).execute()).rejects.toMatchObject({ code: "TOOL_TIMEOUT" });
    expect(seen).toEqual(["BUSY", "ABORTED", "TOOL_TIMEOUT"]);
  });

  test("that throws ends the call with what it threw", async () => {
    const own = new Error("policy is broken");
    const retry = () => {
      throw own;
    };
    await expect(tool(failing(new Error("x")), { retry }).execute()).rejects.toBe(own);
  });

  test("that never answers is stopped by the time limit", async () => {
    const retry = () => new Promise<boolean>(() => {});
    await expect(tool(failing(new Error("x")), { retry, timeoutMs: 20 }).execute()).rejects.toMatchObject({
      code: "TOOL_TIMEOUT",
    });
  });

  test("that always says yes does not starve the process, and ends", async () => {
    let calls = 0;
    let timerFiredAt = 0;
    const timer = setTimeout(() => {
      timerFiredAt = calls;
    }, 1);
    const busy = tool(
      () => {
        calls++;
        throw new Error("at once");
      },
      { retry: () => true },
    );
    await expect(busy.execute()).rejects.toMatchObject({
      code: "TOOL_RETRY_LIMIT",
      message: 'Tool "t" failed 1000 times; the last time: at once',
    });
    clearTimeout(timer);
    expect(calls).toBe(1000);
    expect(timerFiredAt).toBeGreaterThan(0);
    expect(timerFiredAt).toBeLessThan(1000);
  });

  test("a call that goes on after a crash counts on", async () => {
    const retry = vi.fn(({ attempt }: any) => attempt < 4);
    const handler = failing(...Array(9).fill(new Error("x")));
    await expect(tool(handler, { retry }).execute(undefined, { attempt: 3 })).rejects.toThrow("x");
    expect(handler.mock.calls.map(([, ctx]) => ctx.attempt)).toEqual([3, 4]);
  });
});
