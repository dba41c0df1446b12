/** One call: time limits, cancellation, and handlers that behave badly. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SnapshotSignal } from "../../src/core/signals.ts";
import type { ToolDefinition } from "../../src/core/tool-definition.ts";
import { fail, ok } from "../../src/core/tool-result.ts";
import { failing, tool } from "./example-tools.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(() => void process.off("unhandledRejection", note));

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
