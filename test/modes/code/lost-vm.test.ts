/** A VM that dies under a program: the program is begun again, and nothing that was called is called again. */
import { describe, expect, test } from "vitest";
import { ThinkSignal } from "../../../src/index.ts";
import { codeModeOf } from "../../../src/modes/code/code-mode.ts";
import { inlineVm, workerVm } from "../../../src/vm/program-vm.ts";
import { execute, scriptedModel, sleep, tool } from "../../engine/support.ts";
import { now, seed } from "../../helpers/run-program.ts";
import { dyingVm } from "./dying-vm.ts";
import { lastReport, program } from "./support.ts";

describe("a VM that dies", () => {
  const codes = [
    `const out: any[] = []; console.log("once"); out.push(await work({ n: 1 }));
    await new Promise((done) => setTimeout(done, 2));
    out.push(...(await Promise.all([work({ n: 2 }), work({ n: 3, ms: 8 })])), await work({ n: 4 }));`,
    "out.push(await work({ n: 5 })); return out.join();",
  ];

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("at turn %i changes nothing, in the first program or later", async (at) => {
    const calls: unknown[] = [];
    const work = tool("work", async ({ n, ms = 1 }) => {
      calls.push(n);
      await sleep(ms);
      return n * 10;
    });
    const mode = codeModeOf({ vm: dyingVm(inlineVm(), [at]), checker: undefined });
    const model = scriptedModel([...codes.map(program), "the end"]);
    const result = await execute({ model, mode, prompt: "go", tools: [work] });
    expect(result).toMatchObject({ status: "success" });
    expect(calls).toEqual([1, 2, 3, 4, 5]);
    expect(lastReport(model.requests[1]!).match(/once/g)).toHaveLength(1);
    expect(lastReport(model.requests[2]!)).toContain("Returned: 10,20,30,40,50");
  });
});

test("a VM that dies often does so in vain, as long as the program comes further; else the run says so", async () => {
  const calls: unknown[] = [];
  const work = tool("work", ({ n }) => void calls.push(n));
  const code = "for (let n = 1; n < 7; n++) await work({ n });";
  const play = (deaths: number[]) => {
    const mode = codeModeOf({ vm: dyingVm(inlineVm(), deaths), checker: undefined });
    return execute({ model: scriptedModel([program(code), "the end"]), mode, prompt: "go", tools: [work] });
  };
  expect(await play([2, 5, 8, 11, 14])).toMatchObject({ status: "success" });
  expect(calls).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await play([2, 3, 4, 5])).toMatchObject({ status: "error", error: { code: "PROGRAM_VM_LOST" } });
});

test("a program that comes at once after one that was told to think again waits for a busy worker", async () => {
  const vm = workerVm({ workers: 1 });
  const neighbour = await vm.open({});
  await neighbour.start({ code: "1", seed, now, functions: [] });
  const busy = tool("busy", () => {
    void neighbour.start({ code: "for (let i = 0; i < 3e6; i++);", seed, now, functions: [] });
  });
  const think = tool("think_of", () => {
    throw new ThinkSignal("look first");
  });
  const model = scriptedModel([program("let n = 6; await busy({}); await think_of({});"), program("n + 1"), "the end"]);
  const mode = codeModeOf({ vm, checker: undefined });
  const result = await execute({ model, mode, prompt: "go", tools: [busy, think] });
  expect(result).toMatchObject({ status: "success" });
  expect(lastReport(model.requests[2]!)).toContain("Returned: 7");
  neighbour.close();
  await vm.close();
});
