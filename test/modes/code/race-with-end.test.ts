/** A program's end and a call that would stop it, at about the same time: one of them counts, for the log and for the model. */
import { expect, test } from "vitest";
import { SnapshotSignal, ThinkSignal } from "../../../src/index.ts";
import { execute, gate, ofType, scriptedModel, tool, watched } from "../../engine/support.ts";
import { lastReport, mode, program } from "./support.ts";

test.each([
  ["to think again", () => new ThinkSignal("look first")],
  ["for an answer", () => new SnapshotSignal("who knows")],
])("what a call asks %s after the program's end is asked of nobody", async (_, signal) => {
  const ended = gate();
  const late = tool("late", async () => {
    await ended.passed;
    throw signal();
  });
  const fast = tool("fast", () => 7);
  const hooks = {
    onTrace: ({ trace }: { trace: { type: string } }) => {
      if (trace.type === "program-end") ended.open();
    },
  };
  const model = scriptedModel([program("return await Promise.race([late({}), fast({})])"), "the end"]);
  const { events, result } = await watched(execute({ model, mode, prompt: "go", tools: [late, fast], hooks }));
  expect(result).toMatchObject({ status: "success", output: "the end" });
  expect(lastReport(model.requests[1]!)).toContain("Returned: 7");
  expect(ofType(events, "tool-end").map(({ name }) => name)).toEqual(["fast", "late"]);
});

test("a program that a call has stopped has no end, whatever it learned before", async () => {
  const both = gate();
  const think = tool("think_of", async () => {
    await both.passed;
    throw new ThinkSignal("look first");
  });
  const fast = tool("fast", () => both.open());
  const codes = ["let n = 1; await Promise.race([think_of({}), fast({})]); n = 2;", "return [typeof n, 'next']"];
  const model = scriptedModel([...codes.map(program), "the end"]);
  const { events, result } = await watched(execute({ model, mode, prompt: "go", tools: [think, fast] }));
  expect(result.status).toBe("success");
  const [first] = result.iterations;
  const wasStopped = first!.status?.type === "thinking";
  expect(ofType(events, "program-end").some(({ key }) => key.endsWith("/1"))).toBe(!wasStopped);
  expect(lastReport(model.requests[2]!)).toContain("next");
});

test("a VM that dies while earlier programs are run again is another one", async () => {
  const { codeModeOf } = await import("../../../src/modes/code/code-mode.ts");
  const { inlineVm } = await import("../../../src/vm/program-vm.ts");
  const { dyingVm } = await import("./dying-vm.ts");
  const dying = codeModeOf({ vm: dyingVm(inlineVm(), [4, 6]), checker: undefined });
  const calls: unknown[] = [];
  const work = tool("work", ({ n }) => calls.push(n));
  const codes = ["let n = await work({ n: 1 });", "n += await work({ n: 2 }); return 'n=' + n;"];
  const model = scriptedModel([...codes.map(program), "the end"]);
  const result = await execute({ model, mode: dying, prompt: "go", tools: [work] });
  expect(result.status).toBe("success");
  expect(calls).toEqual([1, 2]);
  expect(lastReport(model.requests[2]!)).toContain("n=3");
});
