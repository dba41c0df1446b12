/** One call: retries, time limits, cancellation, and handlers that behave badly. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { HaftError } from "../../src/base/errors.ts";
import { SnapshotSignal, ThinkSignal } from "../../src/core/signals.ts";
import { Tool } from "../../src/core/tool.ts";
import type { ToolDefinition } from "../../src/core/tool-definition.ts";
import { fail, ok } from "../../src/core/tool-result.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

const tool = (handler: ToolDefinition["handler"], rest: Partial<ToolDefinition> = {}): Tool =>
  new Tool({ name: "t", handler, ...rest });

/** Fails with these, one a call, and then gives "done". */
function failing(...errors: unknown[]) {
  const handler = vi.fn(async (_input: any, _ctx: any) => {
    if (errors.length > 0) throw errors.shift();
    return "done";
  });
  return handler;
}

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

describe("time", () => {
  test("timeoutMs gives an error and fires the handler's abortSignal", async () => {
    let reason: any;
    const slow = tool(
      (_, { abortSignal }) =>
        new Promise(() => {
          abortSignal.addEventListener("abort", () => {
            reason = abortSignal.reason;
          });
        }),
      { timeoutMs: 30 },
    );
    await expect(slow.execute()).rejects.toMatchObject({
      code: "TOOL_TIMEOUT",
      message: 'Tool "t" did not finish within 30 ms',
      hint: expect.stringContaining("timeoutMs"),
    });
    expect(reason).toMatchObject({ code: "TOOL_TIMEOUT" });
  });

  test("each attempt has its own time and its own signal; a signal read late has fired", async () => {
    const signals: AbortSignal[] = [];
    let late: any;
    const handler = async (_: unknown, ctx: any) => {
      if (ctx.attempt === 1) {
        late = ctx;
        return sleep(60_000, undefined, { ref: false });
      }
      signals.push(ctx.abortSignal);
      return "second";
    };
    expect(await tool(handler, { timeoutMs: 30, retry: () => true }).execute()).toBe("second");
    expect(signals[0]!.aborted).toBe(false);
    expect(late.abortSignal.aborted).toBe(true);
  });

  test("Infinity is no limit, and a very long one does not overflow", async () => {
    const quick = async () => {
      await sleep(5);
      return "fine";
    };
    expect(await tool(quick, { timeoutMs: Number.POSITIVE_INFINITY }).execute()).toBe("fine");
    expect(await tool(quick, { timeoutMs: 2 ** 40 }).execute()).toBe("fine");
  });

  test("what happens after the time is up has no effect and is no unhandled rejection", async () => {
    const handler = async () => {
      await sleep(40);
      throw new Error("too late");
    };
    await expect(tool(handler, { timeoutMs: 10 }).execute()).rejects.toMatchObject({ code: "TOOL_TIMEOUT" });
    await sleep(80);
    expect(unhandled).toEqual([]);
  });
});

describe("abort", () => {
  test("ends the call at once, with the reason, and fires the handler's signal", async () => {
    const controller = new AbortController();
    let fired = false;
    const hanging = tool((_, { abortSignal }) => {
      abortSignal.addEventListener("abort", () => {
        fired = true;
      });
      return new Promise(() => {});
    });
    const call = hanging.execute(undefined, { abortSignal: controller.signal });
    controller.abort(new Error("the user left"));
    await expect(call).rejects.toMatchObject({ code: "ABORTED", message: 'Tool "t" was stopped: the user left' });
    expect(fired).toBe(true);
  });

  test("before the start: the handler is not called", async () => {
    const handler = vi.fn();
    await expect(tool(handler).execute(undefined, { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect(handler).not.toHaveBeenCalled();
  });

  test("by the handler itself, which then hangs", async () => {
    const controller = new AbortController();
    const hanging = tool(
      () => {
        controller.abort(new Error("enough"));
        return new Promise(() => {});
      },
      { timeoutMs: 2_000 },
    );
    const call = hanging.execute(undefined, { abortSignal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: "ABORTED", message: 'Tool "t" was stopped: enough' });
  });

  test("between attempts: there is no next one", async () => {
    const controller = new AbortController();
    const handler = failing(...Array(9).fill(new Error("x")));
    const retry = () => {
      controller.abort();
      return true;
    };
    await expect(tool(handler, { retry }).execute(undefined, { abortSignal: controller.signal })).rejects.toMatchObject(
      { code: "ABORTED" },
    );
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test("10,000 calls leave nothing on the signal of a long run", async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    const listening = tool(async (_, { abortSignal }) => abortSignal.aborted, { retry: ({ attempt }) => attempt < 2 });
    for (let call = 0; call < 10_000; call++) await listening.execute(undefined, { abortSignal: signal });
    const left = new Set(added.mock.calls.map(([, listener]) => listener));
    for (const [, listener] of removed.mock.calls) left.delete(listener);
    expect(added.mock.calls.length).toBeGreaterThanOrEqual(10_000);
    expect(left.size).toBe(0);
  });
});

describe("a handler never wedges a call", () => {
  test.each<[string, ToolDefinition["handler"], unknown]>([
    [
      "throws at once",
      () => {
        throw new TypeError("x is not a function");
      },
      { message: "x is not a function" },
    ],
    ["rejects", async () => Promise.reject(new Error("later")), { message: "later" }],
    [
      "throws text",
      () => {
        throw "text";
      },
      "text",
    ],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
      undefined,
    ],
    [
      "fails without a reason",
      () => fail(undefined),
      { code: "TOOL_FAILED", message: "The tool failed and gave no reason" },
    ],
    [
      "returns a signal",
      () => new SnapshotSignal("x"),
      { code: "SIGNAL_RETURNED", hint: "Write: throw new SnapshotSignal(…)" },
    ],
    ["never settles", () => new Promise(() => {}), { code: "TOOL_TIMEOUT" }],
    ["returns a thenable that never settles", () => ({ then() {} }), { code: "TOOL_TIMEOUT" }],
    [
      "returns a function that is thenable",
      () => Object.assign(() => {}, { then: (_: unknown, no: (e: Error) => void) => no(new Error("no")) }),
      { message: "no" },
    ],
    ["gives ok() a promise that never settles", () => ok(new Promise(() => {})), { code: "RESULT_INVALID" }],
  ])("one that %s", async (_, handler, rejection) => {
    const call = tool(handler, { timeoutMs: 50 }).execute();
    if (typeof rejection === "object") await expect(call).rejects.toMatchObject(rejection as object);
    else
      await expect(
        call.then(
          () => "settled",
          (error) => ({ error }),
        ),
      ).resolves.toEqual({ error: rejection });
  });

  test("a thenable is waited for", async () => {
    expect(await tool(() => ({ then: (yes: (v: string) => void) => yes("value") })).execute()).toBe("value");
  });
});
