import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type ExecuteOptions, Snapshot } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, gate, results, scriptedModel, tool, waiting } from "../engine/support.ts";
import { lastReport, mode, program } from "../modes/code/support.ts";
import { askedOf } from "./subagents-support.ts";

const judge = {
  description: "Judges a case",
  input: z.object({ text: z.string(), strict: z.boolean().default(false) }),
  output: z.object({ ok: z.boolean(), why: z.string() }),
};

async function run(code: string, options: Partial<ExecuteOptions>) {
  const model = scriptedModel([program(code), "the end"]);
  const result = await execute({ model, mode, prompt: "go", ...options } as ExecuteOptions);
  return { model, result, report: model.requests[1] && lastReport(model.requests[1]) };
}

describe("in programs, a role is a typed function", () => {
  test("declared by its schemas, in one namespace, and no tool beside it", async () => {
    const model = scriptedModel(["no need"]);
    await execute({ model, mode, prompt: "go", subagents: { judge, reader: { description: "Reads" } } });
    const shown = model.requests[0]!.prompt[0].content;
    expect(shown).toContain("subagents");
    expect(shown).toMatch(/judge\(input: \{[^}]*task: string;?[^}]*input: \{[^}]*text: string;?[^}]*\}/s);
    expect(shown).toMatch(/Promise<\{[^}]*ok: boolean;?[^}]*why: string;?[^}]*\}>/s);
    expect(shown).toMatch(/reader\(input: string \| \{[^}]*task: string;?[^}]*\}\): Promise<string>/s);
    expect(model.requests[0]!.tools!.map(({ name }) => name)).toEqual(["run_program"]);
  });

  test("called with a task alone, or with a task and its input; the value is the output", async () => {
    const judging = scriptedModel([asks(["submit_result", { ok: true, why: "clear" }])]);
    const reading = scriptedModel(["read it"]);
    const { report } = await run(
      `const verdict = await subagents.judge({ task: "Judge.", input: { text: "a" } });
       return [verdict.why, await subagents.reader("Read this.")];`,
      { subagents: { judge: { ...judge, model: judging }, reader: { model: reading } } },
    );
    expect(report).toContain("clear");
    expect(report).toContain("read it");
    expect(askedOf(judging)).toContain('"strict": false');
    expect(askedOf(reading)).toBe("Read this.");
  });

  test("an input that does not fit is an error where the program stands", async () => {
    const { report } = await run(
      `try { await subagents.judge({ task: "Judge.", input: { text: 1 } }); } catch (error) { return error.message; }`,
      { subagents: { judge: { ...judge, model: scriptedModel([]) } } },
    );
    expect(report).toMatch(/text/);
  });

  test("a role that fails throws there, and the program may go on", async () => {
    const { report } = await run(
      `try { await subagents.a("x"); } catch (error) { return "caught " + error.message + " " + (await subagents.b("y")); }`,
      {
        subagents: { a: { model: scriptedModel([{ error: new Error("gone") }]) }, b: { model: scriptedModel(["b!"]) } },
      },
    );
    expect(report).toContain('caught "a" failed');
    expect(report).toContain("b!");
  });
});

describe("a program with sub-agents that wait", () => {
  const world = (done: unknown[], childMode?: typeof mode) => {
    const pay = tool(
      "pay",
      ({ n }) => {
        done.push(n);
        return `paid ${n}`;
      },
      { approval: true },
    );
    const child = (n: number) => ({
      tools: [pay],
      ...(childMode && { mode: childMode }),
      model: childMode
        ? scriptedModel([
            program(`return await pay({ n: ${n} });`),
            ({ prompt }) => lastReport({ prompt }).split("\n")[0]!,
          ])
        : scriptedModel([asks(["pay", { n }]), ({ prompt }) => results(prompt).call_1_1!]),
    });
    return { subagents: { one: child(1), two: child(2) }, tools: [tool("count", () => done.length)] };
  };
  const code = `
    const before = await count({});
    const both = await Promise.all([subagents.one("pay"), subagents.two("pay")]);
    return [before, ...both, await count({})];`;

  test.each([
    ["tools", undefined],
    ["code", mode],
  ] as const)(
    "goes on at the same await, in mode %s of the sub-agents, decided one after the other",
    async (_, inner) => {
      for (const order of [
        [0, 1],
        [1, 0],
      ]) {
        const done: unknown[] = [];
        const options = { mode, prompt: "go", ...world(done, inner) };
        const model = scriptedModel([program(code), "the end"]);
        const first = waiting(await execute({ ...options, model } as ExecuteOptions));
        const ids = first.pending.map(({ callId }) => callId);
        expect(ids).toHaveLength(2);
        const log = Snapshot.from(JSON.stringify(first.snapshot.decide(ids[order[0]!]!, { approve: true })));
        const second = waiting(await execute({ ...options, model, log } as ExecuteOptions));
        expect(second.pending.map(({ callId }) => callId)).toEqual([ids[order[1]!]!]);
        expect(done).toEqual([order[0]! + 1]);
        const end = await execute({
          ...options,
          model,
          log: second.snapshot.decide(ids[order[1]!]!, { approve: true }),
        } as ExecuteOptions);
        expect(end).toMatchObject({ status: "success", output: "the end" });
        const report = lastReport(model.requests[1]!);
        for (const part of ["paid 1", "paid 2"]) expect(report).toContain(part);
        expect(done).toEqual([order[0]! + 1, order[1]! + 1]);
      }
    },
  );

  test("a program that ends without its sub-agent aborts it", async () => {
    const reached = gate();
    let aborted = false;
    const hang = tool("hang", (_, { abortSignal }) => {
      abortSignal.addEventListener("abort", () => {
        aborted = true;
      });
      reached.open();
      return new Promise(() => {});
    });
    const { result } = await run(`return await Promise.race([subagents.slow("x"), quick({})]);`, {
      tools: [tool("quick", () => reached.passed)],
      subagents: { slow: { model: scriptedModel([asks("hang")]), tools: [hang] } },
    });
    expect(result.output).toBe("the end");
    expect(aborted).toBe(true);
  });
});

describe("programs inside programs, cut anywhere", () => {
  const code = `
    const first = await count({ n: 1 });
    const [a, b] = await Promise.all([subagents.one("a"), subagents.two("b")]);
    return [first, a, b, await count({ n: 4 })];`;

  function world() {
    const asked: string[] = [];
    const done: number[] = [];
    const count = tool(
      "count",
      ({ n }) => {
        done.push(n);
        return `counted ${n}`;
      },
      { idempotent: true },
    );
    /** Knows what to do by how much it has said: the same in any process. */
    const byPlace = (name: string, steps: readonly unknown[]) => ({
      ...scriptedModel([]),
      async doGenerate({ prompt }: any) {
        const said = prompt.filter(({ role }: any) => role === "assistant").length;
        asked.push(`${name} ${said}`);
        return scriptedModel([steps[said] as any]).doGenerate({ prompt } as any);
      },
    });
    const inner = (n: number) => ({
      mode,
      tools: [count],
      output: z.string(),
      model: byPlace(`inner ${n}`, [
        program(`const value = await count({ n: ${n} }); return value;`),
        program(`return exit("submit_result", value + "!");`),
      ]),
    });
    const subagents = { one: inner(2), two: inner(3) };
    const model = byPlace("outer", [program(code), "the end"]);
    return { asked, done, options: { mode, tools: [count], model, subagents, prompt: "go" } as ExecuteOptions };
  }

  test("every prefix goes on to the same end; what it has finished is not done again", async () => {
    const store = memoryStore();
    const whole = world();
    const first = await execute({ ...whole.options, store, session: "s" });
    expect(first).toMatchObject({ status: "success", output: "the end" });
    expect(JSON.stringify(first.messages)).toContain("counted 3!");
    const entries = await store.read("s");
    for (let length = 1; length < entries.length; length++) {
      const { asked, done, options } = world();
      const log = entries.slice(0, length);
      const result = await execute({ ...options, log });
      expect([length, result.status, result.output]).toEqual([length, "success", "the end"]);
      expect(result.messages).toEqual(first.messages);
      const ended = log.filter((entry) => entry.type === "tool-end" && entry.name === "count").length;
      expect([length, done.length]).toEqual([length, 4 - ended]);
      const answered = log.filter(({ type }) => type === "model-response").length;
      expect([length, asked.length]).toEqual([length, 6 - answered]);
    }
  });
});
