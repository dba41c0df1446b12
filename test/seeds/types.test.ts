/** Seed 002, fences 7, 9, 13 and 14: the types that the document writes down and ours can stand for each other. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { Autonomous, Exit, execute, type ToolEntry } from "../../src/index.ts";
import { Tool as SeedTool } from "./fixtures/002/07.ts";
import type { Hooks as SeedHooks } from "./fixtures/002/09.ts";
import * as seedSignals from "./fixtures/002/13.ts";
import type * as Seed from "./fixtures/002/14.ts";
import { call, play } from "./play.ts";
import { searchTool } from "./prelude.ts";

/** True when each can be assigned to the other; false for `any`, which can be assigned to everything. */
type Mutual<A, B> = 0 extends 1 & (A | B) ? false : [A, B] extends [B, A] ? true : false;

const holds = <_Claim extends true>() => {};

test("Mutual can fail", () => {
  holds<Mutual<{ a: 1 }, { a: 1 }>>();
  // @ts-expect-error a part is not the whole
  holds<Mutual<{ a: 1 }, { a: 1; b: 2 }>>();
  // @ts-expect-error any proves nothing
  holds<Mutual<any, { a: 1 }>>();
});

describe("fence 7: Autonomous.Tool", () => {
  test("the class and the type are ours", () => {
    holds<Mutual<SeedTool, Autonomous.Tool>>();
    holds<Mutual<typeof SeedTool, typeof Autonomous.Tool>>();
    expect(SeedTool).toBe(Autonomous.Tool);
  });

  test("every tool is one, whatever its schemas", () => {
    const tools: SeedTool[] = [searchTool, new SeedTool({ name: "plain", handler: () => {} })];
    const entries: ToolEntry[] = tools;
    expect(entries.every(Autonomous.Tool.is)).toBe(true);
  });
});

type Written<Name extends keyof SeedHooks> = NonNullable<SeedHooks[Name]>;
type Ours<Name extends keyof SeedHooks> = NonNullable<Autonomous.Hooks[Name]>;
type Event<Hook extends (...given: any[]) => unknown> = Parameters<Hook>[0];
type Given<Hook extends (...given: any[]) => unknown> = Awaited<ReturnType<Hook>>;

describe("fence 9: Autonomous.Hooks", () => {
  test("what is typed with the seed's Hooks is taken by execute", () => {
    expectTypeOf<SeedHooks>().toExtend<Autonomous.Hooks>();
    expectTypeOf<keyof SeedHooks>().toExtend<keyof Autonomous.Hooks>();
  });

  test("each event has all that the seed writes of it, in the same types", () => {
    type Before = Event<Written<"onBeforeTool">>;
    type After = Event<Written<"onAfterTool">>;
    type Traced = Event<Written<"onTrace">>;
    expectTypeOf<Pick<Event<Ours<"onBeforeTool">>, keyof Before>>().toEqualTypeOf<Before>();
    expectTypeOf<Pick<Event<Ours<"onAfterTool">>, keyof After>>().toEqualTypeOf<After>();
    expectTypeOf<Pick<Event<Ours<"onTrace">>, keyof Traced>>().toEqualTypeOf<Traced>();
    holds<Mutual<Event<Ours<"onExit">>, Event<Written<"onExit">>>>();
    holds<Mutual<Parameters<Ours<"onBeforeExecution">>, Parameters<Written<"onBeforeExecution">>>>();
    holds<Mutual<Parameters<Ours<"onIterationEnd">>, Parameters<Written<"onIterationEnd">>>>();
  });

  test("each answer is the seed's; ours may also be given at once", () => {
    expectTypeOf<Given<Ours<"onBeforeTool">>>().toEqualTypeOf<Given<Written<"onBeforeTool">>>();
    expectTypeOf<Given<Ours<"onAfterTool">>>().toEqualTypeOf<Given<Written<"onAfterTool">>>();
    expectTypeOf<Given<Ours<"onBeforeExecution">>>().toEqualTypeOf<Given<Written<"onBeforeExecution">>>();
    expectTypeOf<ReturnType<Ours<"onExit">>>().toEqualTypeOf<ReturnType<Written<"onExit">>>();
    expectTypeOf<ReturnType<Ours<"onTrace">>>().toEqualTypeOf<ReturnType<Written<"onTrace">>>();
    expectTypeOf<ReturnType<Ours<"onIterationEnd">>>().toEqualTypeOf<ReturnType<Written<"onIterationEnd">>>();
  });

  test("each is called, in that shape", async () => {
    const seen: [hook: string, ...unknown[]][] = [];
    const traced: number[] = [];
    const hooks: SeedHooks = {
      onBeforeTool: async ({ iteration, tool, input, controller }) => {
        seen.push(["onBeforeTool", iteration.index, tool.name, input, controller instanceof AbortController]);
        return { input: { query: "changed" } };
      },
      onAfterTool: async ({ iteration, tool, input, output, controller }) => {
        seen.push(["onAfterTool", iteration.index, tool.name, input, output, controller instanceof AbortController]);
        return { output: "seen" };
      },
      onBeforeExecution: async (iteration, controller) => {
        seen.push(["onBeforeExecution", iteration.calls[0]?.name, controller instanceof AbortController]);
      },
      onExit: async ({ exit, result }) => {
        seen.push(["onExit", exit.name, result]);
      },
      onTrace: ({ trace, iteration }) => {
        if (trace.type === "tool-end") traced.push(iteration);
      },
      onIterationEnd: (iteration, controller) => {
        seen.push(["onIterationEnd", iteration.status?.type, controller instanceof AbortController]);
      },
    };
    const done = new Exit({ name: "found", schema: z.object({ answer: z.string() }) });
    const script = [call("search", { query: "x" }), call("found", { answer: "y" })];
    const { model } = await play({ tools: [searchTool], exits: [done], hooks }, ...script);

    expect(seen).toEqual([
      ["onBeforeExecution", "search", true],
      ["onBeforeTool", 1, "search", { query: "x" }, true],
      ["onAfterTool", 1, "search", { query: "changed" }, "results for changed", true],
      ["onIterationEnd", "continued", true],
      ["onBeforeExecution", "found", true],
      ["onExit", "found", { answer: "y" }],
      ["onIterationEnd", "exit", true],
    ]);
    expect(traced).toEqual([1]);
    expect(model.requests[1]!.prompt.at(-1).content[0].output).toEqual({ type: "text", value: "seen" });
  });
});

describe("fence 13: signals", () => {
  test("the classes are ours", () => {
    holds<Mutual<typeof seedSignals.ThinkSignal, typeof Autonomous.ThinkSignal>>();
    holds<Mutual<typeof seedSignals.SnapshotSignal, typeof Autonomous.SnapshotSignal>>();
    expect({ ...seedSignals }).toEqual({
      ThinkSignal: Autonomous.ThinkSignal,
      SnapshotSignal: Autonomous.SnapshotSignal,
    });
  });

  test("SnapshotSignal stops the run until someone answers", async () => {
    const ask = searchTool.with({
      handler: async () => {
        throw new seedSignals.SnapshotSignal("Waiting for a person");
      },
    });
    const { result } = await play({ tools: [ask] }, call("search", { query: "x" }));
    expect(result.status === "interrupted" && result.pending.map(({ message }) => message)).toEqual([
      "Waiting for a person",
    ]);
  });

  test("returned, a signal is an error that says so", async () => {
    const wrong = searchTool.with({ output: z.any(), handler: () => new seedSignals.ThinkSignal("Returned") });
    await expect(wrong.execute({ query: "x" })).rejects.toMatchObject({
      code: "SIGNAL_RETURNED",
      hint: expect.stringContaining("throw new ThinkSignal"),
    });
  });
});

describe("fence 14: other types", () => {
  test("each is ours, and what a run gives", () => {
    holds<Mutual<Seed.Iteration, Autonomous.Iteration>>();
    holds<Mutual<Seed.ExecuteResult, Autonomous.ExecuteResult>>();
    holds<Mutual<Seed.Trace, Autonomous.Trace>>();
    holds<Mutual<Seed.IterationController, Autonomous.IterationController>>();

    holds<Mutual<Seed.ExecuteResult["iterations"][number], Seed.Iteration>>();
    holds<Mutual<Parameters<NonNullable<SeedHooks["onBeforeExecution"]>>[0], Seed.Iteration>>();
    expectTypeOf<Seed.IterationController>().toExtend<AbortController>();
  });

  test("a trace is told by its type", async () => {
    const types = new Set<Seed.Trace["type"]>();
    const { result } = await play({ hooks: { onTrace: ({ trace }) => void types.add(trace.type) } }, "Hello.");
    const given: Seed.ExecuteResult = result;
    expect(given.isSuccess() && given.output).toBe("Hello.");
    expect([...types]).toEqual(expect.arrayContaining(["run-start", "model-response", "iteration-end", "run-end"]));
  });

  test("each run is one of the written result, with or without exits", () => {
    const done = new Exit({ name: "found", schema: z.string() });
    const withExit = () => execute({ exits: [done] });
    const without = () => execute({});
    expectTypeOf<Awaited<ReturnType<typeof withExit>>>().toExtend<Seed.ExecuteResult>();
    expectTypeOf<Awaited<ReturnType<typeof without>>>().toExtend<Seed.ExecuteResult>();
  });
});
