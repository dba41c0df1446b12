import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Exit, Tool } from "../../../src/index.ts";
import { codeMode } from "../../../src/vm/index.ts";
import { execute, ofType, scriptedModel, sleep, tool, watched } from "../../engine/support.ts";
import { lastReport, program, runPrograms } from "./support.ts";

const calls: unknown[] = [];
const getOrder = new Tool({
  name: "getOrder",
  input: z.object({ id: z.string() }),
  output: z.object({ id: z.string(), total: z.number(), note: z.string().nullable() }).nullable(),
  handler(input) {
    calls.push(input);
    return { id: input.id, total: 12, note: null };
  },
});

describe("with the package typescript, a program is checked before it runs", () => {
  test("through the public door, in worker threads: nothing of a wrong one has run", async () => {
    calls.length = 0;
    const { reports } = await runPrograms(
      [
        "await getOrder({ id: 'a' });\nconst order = await getOrder({ id: 'b' });\nreturn order.total;",
        "await getOrder({ number: 'a' });",
        "const kept = await getOrder({ id: 'c' });",
        "return kept.totals;",
        "return kept?.total;",
      ],
      { mode: "code", tools: [getOrder] },
    );
    expect(reports[0]).toMatch(/not run.*3:8.*null/s);
    expect(reports[1]).toMatch(/not run.*number/s);
    expect(reports[3]).toMatch(/not run.*(totals|null)/s);
    expect(reports[4]).toContain("Returned: 12");
    expect(calls).toEqual([{ id: "c" }]);
  });

  test("what a program may leave with is checked, too", async () => {
    const done = new Exit({ name: "finished", schema: z.object({ sum: z.number() }) });
    const model = scriptedModel([
      program("return exit('finished', { sum: 'much' });"),
      program("return exit('finished', { sum: 3 });"),
    ]);
    const { events, result } = await watched(execute({ model, mode: "code", exits: [done], prompt: "go" }));
    expect(result.is(done) && result.output).toEqual({ sum: 3 });
    expect(lastReport(model.requests[1]!)).toMatch(/not run.*number/s);
    expect(ofType(events, "program-start").map(({ check }) => check)).toEqual(["passed"]);
  });

  test("it can be left out, or not be waited for: the log says so", async () => {
    for (const [typecheck, check] of [
      [false, "off"],
      [{ maxWaitMs: 0 }, "unchecked"],
    ] as const) {
      const long = Array.from({ length: 300 }, (_, n) => `const v${n} = [${n}].map((x) => ({ x, y: x * 2 }));`).join(
        "\n",
      );
      const model = scriptedModel([program(`${long}\nreturn 1;`), "ok"]);
      const mode = codeMode({ typecheck, worker: false });
      const { events } = await watched(execute({ model, mode, prompt: "go" }));
      expect(ofType(events, "program-start").map((entry) => entry.check)).toEqual([check]);
    }
  });
});

describe("limits", () => {
  const limited = (limits: object) => codeMode({ typecheck: false, limits });
  const note = tool("note", (input) => input);

  test.each([
    ["cpuMs", { cpuMs: 200 }, "for (;;);"],
    ["memoryMb", { memoryMb: 16 }, "const all = []; for (;;) all.push('x'.repeat(100000) + all.length);"],
    ["calls", { calls: 5 }, "for (let n = 0; n < 10; n++) await note({ n });"],
    ["wallMs", { wallMs: 100 }, "await new Promise((resolve) => setTimeout(resolve, 5000));"],
  ])("%s: never a success, what it did to variables is void, the next program goes on", async (_, limits, code) => {
    const mode = limited(limits);
    const codes = ["let kept = 1;", `kept = 2;\ntry { ${code} } catch {} finally { kept = 3; }\nreturn 'survived';`];
    const model = scriptedModel([...codes.map(program), program("return kept;"), "ok"]);
    const { events, result } = await watched(execute({ model, mode, tools: [note], prompt: "go" }));
    expect(result.status).toBe("success");
    expect(lastReport(model.requests[2]!)).toContain("Stopped:");
    expect(lastReport(model.requests[2]!)).not.toContain("survived");
    expect(lastReport(model.requests[3]!)).toContain("Returned: 1");
    expect(ofType(events, "program-end").map(({ status }) => status)).toEqual(["returned", "limit", "returned"]);
    expect(ofType(events, "program-end")[1]!.error).toMatchObject({ code: "PROGRAM_LIMIT" });
  });

  test("a wrong limit is an error at once", () => {
    expect(() => codeMode({ limits: { cpu: 1 } as object })).toThrow(/no limit "cpu".*/);
    expect(() => codeMode({ limits: { cpuMs: -1 } })).toThrow(/cpuMs/);
  });
});

describe("an abort", () => {
  test.each([
    ["a busy loop", "for (;;);"],
    ["a call that hangs", "await hang({});"],
    ["a timer", "await new Promise((resolve) => setTimeout(resolve, 60000));"],
  ])("ends %s at once", async (_, code) => {
    const hang = tool("hang", () => new Promise(() => {}));
    const mode = codeMode({ typecheck: false });
    const model = scriptedModel([program(code)]);
    const run = execute({ model, mode, tools: [hang], prompt: "go" });
    for await (const event of run) if (event.type === "program-start") break;
    await sleep(50);
    const abortedAt = performance.now();
    run.abort("enough");
    const result = await run;
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(performance.now() - abortedAt).toBeLessThan(2_000);
  });
});

test("many tools are named, and told on demand", async () => {
  const words = ["alpha", "beta", "gamma"];
  const many = Array.from({ length: 600 }, (_, n) =>
    tool(`tool_${words[n % 3]}_${n}`, () => n, {
      description: `Does the ${words[n % 3]} thing number ${n} in a way that takes some words to tell`,
      input: z.object({ subject: z.string().describe("What it is about"), count: z.number().default(n) }),
    }),
  );
  const { reports, model } = await runPrograms(
    [
      "const found = await search('gamma 599'); return [found.includes('tool_gamma_599'), await describe('tool_gamma_599')];",
      "return [await tool_gamma_599({ subject: 'x' }), found.length > 0];",
    ],
    { mode: codeMode({ worker: false }), tools: many },
  );
  expect(JSON.stringify(model.requests[0]!.prompt).length).toBeLessThan(120_000);
  expect(reports[0]).toMatch(/true.*subject: string/s);
  expect(reports[1]).toMatch(/599.*true/s);
});
