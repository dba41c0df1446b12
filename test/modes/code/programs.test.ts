import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Exit, HaftError, ThinkSignal, Tool } from "../../../src/index.ts";
import { execute, ofType, scriptedModel, sleep, tool, watched } from "../../engine/support.ts";
import { lastReport, mode, program, runPrograms } from "./support.ts";

const add = new Tool({
  name: "add",
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.number(),
  handler: ({ a, b }) => a + b,
});
const shout = new Tool({ name: "shout", input: z.string(), output: z.string(), handler: (text) => text.toUpperCase() });

describe("a program", () => {
  test("calls tools, and the model reads what it returned and printed", async () => {
    const { result, reports } = await runPrograms(
      ["const sum = await add({ a: 1, b: 2 });\nconsole.log('sum is', sum);\nreturn { sum, loud: await shout('hi') };"],
      { tools: [add, shout] },
    );
    expect(result).toMatchObject({ status: "success", output: "the end" });
    expect(reports[0]).toContain("sum is 3");
    expect(reports[0]).toMatch(/Returned: .*sum.*3.*loud.*HI/s);
  });

  test("makes the same calls as JSON would, in the log too", async () => {
    const inTools = scriptedModel([
      {
        toolCalls: [
          { name: "add", input: { a: 1, b: 2 } },
          { name: "shout", input: { input: "hi" } },
        ],
      },
      "the end",
    ]);
    const inCode = scriptedModel([program("await Promise.all([add({ a: 1, b: 2 }), shout('hi')])"), "the end"]);
    const options = { tools: [add, shout], prompt: "go" };
    const runs = [
      await watched(execute({ ...options, model: inTools })),
      await watched(execute({ ...options, model: inCode, mode })),
    ];
    const calls = runs.map(({ events }) =>
      events.flatMap((event) => {
        if (!event.type.startsWith("tool-") || !("seq" in event)) return [];
        const { seq, at, key, id, line, durationMs, ...rest } = event as any;
        return [{ ...rest, call: key.split("/").slice(1).join("/") }];
      }),
    );
    const byCall = (list: any[]) => [...list].sort((a, b) => a.call.localeCompare(b.call));
    expect(byCall(calls[1]!)).toEqual(byCall(calls[0]!));
  });

  test("that is TypeScript runs as it stands", async () => {
    const code = [
      "interface Row { id: number; tags?: string[] }",
      "enum Kind { A = 1, B }",
      "const rows: Row[] = [{ id: 1 }, { id: 2, tags: ['x'] }] satisfies Row[];",
      "const first = <T,>(list: T[]): T => list[0]!;",
      "return [first(rows).id, Kind[2], rows[1]?.tags?.length].join(' ');",
    ].join("\n");
    expect((await runPrograms([code])).reports[0]).toContain("1 B 1");
  });

  test("leaves what stands at its top level to the next one, closures included", async () => {
    const { reports } = await runPrograms([
      "let total = 1;\nconst seen = new Map([['a', 1]]);\nfunction more() { return ++total; }\nclass Box { v = 7 }\nmore();",
      "more();\ntotal += 10;\nreturn [total, more(), seen.get('a'), new Box().v, $return];",
    ]);
    expect(reports[0]).toMatch(/Kept: .*total/);
    expect(reports[1]).toMatch(/13.*14.*1.*7/s);
  });

  test("that throws is told with its place; what it made stays", async () => {
    const { reports } = await runPrograms(["let kept = 5;\nconst x: any = {};\nreturn x.foo.bar;", "return kept;"]);
    expect(reports[0]).toMatch(/TypeError: .*\(line 3\)/);
    expect(reports[0]).toMatch(/> +3 \| return x\.foo\.bar;/);
    expect(reports[1]).toContain("Returned: 5");
  });

  test("catches what a tool threw: class, message, code, data, cause", async () => {
    const odd = tool("odd", () => {
      throw Object.assign(new RangeError("too far", { cause: new Error("why") }), { code: "FAR", data: { by: 3 } });
    });
    const code = `
      try { await odd() } catch (error: any) {
        return [error instanceof RangeError, error.name, error.message, error.code, error.data, error.cause?.message];
      }`;
    const { reports } = await runPrograms([code], { tools: [odd] });
    for (const part of ["true", "RangeError", "too far", "FAR", "3", "why"]) expect(reports[0]).toContain(part);
  });

  test("that does not catch it is told where the call stands", async () => {
    const no = tool("no", () => {
      throw new HaftError("NO_WAY", "It is closed", { hint: "Open it." });
    });
    const { reports } = await runPrograms(["const a = 1;\nawait no();"], { tools: [no] });
    expect(reports[0]).toContain("It is closed");
    expect(reports[0]).toContain("Open it.");
    expect(reports[0]).toMatch(/line 2/);
  });

  test("of wrong syntax, or with a call that is not awaited, has not run", async () => {
    const calls: string[] = [];
    const note = tool("note", (input) => void calls.push(JSON.stringify(input)));
    const { reports } = await runPrograms(
      ["await note({});\nconst = 1;", "await note({});\nnote({ n: 2 });\nreturn 1;"],
      {
        tools: [note],
      },
    );
    expect(calls).toEqual([]);
    expect(reports[0]).toMatch(/not run:[\s\S]*2:/);
    expect(reports[1]).toMatch(/not run:[\s\S]*2:.*await/);
  });

  test("waits for a call that it said nobody waits for, and its error is told", async () => {
    const late = tool("late", async () => {
      await sleep(20);
      throw new Error("it broke");
    });
    const { reports, result } = await runPrograms(["void late();\nreturn 'done';"], { tools: [late] });
    expect(result.status).toBe("success");
    expect(reports[0]).toContain("it broke");
  });

  test("does not wait for who lost a race: they are aborted", async () => {
    let wasAborted = false;
    const slow = tool("slow", (_, ctx) => {
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, 5_000);
        ctx.abortSignal.addEventListener("abort", () => {
          wasAborted = true;
          clearTimeout(timer);
          resolve("aborted");
        });
      });
    });
    const fast = tool("fast", () => "first");
    const startedAt = performance.now();
    const { reports } = await runPrograms(["return await Promise.race([slow(), fast()]);"], { tools: [slow, fast] });
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(reports[0]).toContain("first");
    expect(reports[0]).toContain("slow (line 1)");
    expect(wasAborted).toBe(true);
  });

  test("has timers, and says when it waits for nothing", async () => {
    const { reports } = await runPrograms([
      "const at = Date.now();\nawait new Promise((resolve) => setTimeout(resolve, 30));\nreturn Date.now() - at >= 29;",
      "await new Promise(() => {});",
    ]);
    expect(reports[0]).toContain("Returned: true");
    expect(reports[1]).toContain("nothing will settle");
  });

  test("has at most eight calls going at once", async () => {
    let [now, most] = [0, 0];
    const count = tool("count", async () => {
      most = Math.max(most, ++now);
      await sleep(2);
      now--;
    });
    await runPrograms(["await Promise.all(Array.from({ length: 40 }, () => count()));"], { tools: [count] });
    expect(most).toBe(8);
  });
});

describe("a model", () => {
  test("sees one function, and the tools as declarations", async () => {
    const { model } = await runPrograms(["return 1"], { tools: [add, shout], instructions: "Be brief." });
    const [request] = model.requests;
    expect(request!.tools!.map(({ name }) => name)).toEqual(["run_program"]);
    const system = JSON.stringify(request!.prompt[0]);
    for (const part of ["function add", "function shout", "Be brief."]) expect(system).toContain(part);
  });

  test("may answer with one block of TypeScript, and reads the report as a message", async () => {
    const model = scriptedModel(["```ts\nreturn await add({ a: 2, b: 2 });\n```", "It is 4."]);
    const result = await execute({ model, mode, tools: [add], prompt: "go" });
    expect(result).toMatchObject({ status: "success", output: "It is 4." });
    expect(model.requests[1]!.prompt.at(-1)).toMatchObject({ role: "user" });
    expect(JSON.stringify(model.requests[1]!.prompt.at(-1))).toContain("Returned: 4");
  });

  test.each([
    ["no code", { toolCalls: [{ name: "run_program", input: {} }] }, "as valid JSON"],
    ["broken JSON", { toolCalls: [{ name: "run_program", input: '{"code": "retu' }] }, "as valid JSON"],
    ["a tool by name", { toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] }, "await add("],
  ])("is told what to do after %s", async (_, step, hint) => {
    const model = scriptedModel([step, "ok"]);
    const result = await execute({ model, mode, tools: [add], prompt: "go" });
    expect(result).toMatchObject({ status: "success", output: "ok" });
    expect(lastReport(model.requests[1]!)).toContain(hint);
  });

  test("runs one program at a time", async () => {
    const run = (code: string) => ({ name: "run_program", input: { code } });
    const model = scriptedModel([{ toolCalls: [run("return 'first'"), run("return 'second'")] }, "ok"]);
    await execute({ model, mode, prompt: "go" });
    const contents = model.requests[1]!.prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
    expect(contents.map(({ output }) => output.value)).toEqual([
      expect.stringContaining("first"),
      expect.stringContaining("one program at a time"),
    ]);
  });

  test("leaves by an exit that a program returns", async () => {
    const found = new Exit({ name: "found", schema: z.object({ answer: z.number() }) });
    const model = scriptedModel([
      program("return exit('found', { answer: 'no number' } as any);"),
      program("return exit('lost' as any);"),
      program("return exit('found', { answer: await add({ a: 40, b: 2 }) });"),
    ]);
    const result = await execute({ model, mode, tools: [add], exits: [found], prompt: "go" });
    expect(result.status).toBe("success");
    expect(result.is(found) && result.output.answer).toBe(42);
    expect(lastReport(model.requests[1]!)).toMatch(/was not taken/);
    expect(lastReport(model.requests[2]!)).toMatch(/no exit "lost".*found/);
  });

  test("sees a tool only in its modes", async () => {
    const [inCode, inTools] = [add.rename("codeOnly").with({ modes: ["code"] }), shout.with({ modes: ["tools"] })];
    const code = await runPrograms(["return typeof codeOnly + typeof (globalThis as any).shout"], {
      tools: [inCode, inTools],
    });
    expect(code.reports[0]).toContain("functionundefined");
    const model = scriptedModel(["ok"]);
    await execute({ model, tools: [inCode, inTools], prompt: "go" });
    expect(model.requests[0]!.tools!.map(({ name }) => name)).toEqual(["shout"]);
  });
});

describe("hooks", () => {
  test("see the program, and may put another in its place", async () => {
    const seen: unknown[] = [];
    const model = scriptedModel([program("return 'theirs'"), "ok"]);
    const { events } = await watched(
      execute({
        model,
        mode,
        prompt: "go",
        hooks: {
          onBeforeExecution: async (iteration) => {
            seen.push(iteration.code);
            return iteration.code === undefined ? undefined : { code: "return 'ours'" };
          },
        },
      }),
    );
    expect(seen[0]).toBe("return 'theirs'");
    expect(lastReport(model.requests[1]!)).toContain("ours");
    expect(ofType(events, "program-start")[0]).toMatchObject({ code: "return 'ours'", isReplaced: true });
  });

  test("may refuse it", async () => {
    const model = scriptedModel([program("return 1"), "ok"]);
    const hooks = {
      onBeforeExecution: async ({ code }: { code?: string }) => {
        if (code) throw new Error("not on a Sunday");
      },
    };
    const { events } = await watched(execute({ model, mode, prompt: "go", hooks }));
    expect(lastReport(model.requests[1]!)).toContain("not on a Sunday");
    expect(ofType(events, "program-start")).toEqual([]);
  });

  test("of tools work as ever", async () => {
    const { reports } = await runPrograms(["return await add({ a: 1, b: 1 })"], {
      tools: [add],
      hooks: {
        onBeforeTool: async ({ input }) => ({ input: { ...input, b: 10 } }),
        onAfterTool: async ({ output }) => ({ output: output * 2 }),
      },
    });
    expect(reports[0]).toContain("Returned: 22");
  });
});

describe("a ThinkSignal", () => {
  test("never comes back to the program; what runs beside it finishes, variables stay, the model sees its words", async () => {
    const done: string[] = [];
    const think = tool("think_of", () => {
      throw new ThinkSignal("look first", "Seven rows were found.");
    });
    const beside = tool("beside", async () => {
      await sleep(20);
      done.push("beside");
      return 1;
    });
    const { result, reports, model } = await runPrograms(
      [
        "let before = 3;\ntry { await Promise.allSettled([beside(), think_of()]); before = 4; } catch { before = 5; } finally { before = 6; }",
        "return before;",
      ],
      { tools: [think, beside] },
    );
    expect(done).toEqual(["beside"]);
    expect(JSON.stringify(model.requests[1]!.prompt)).toContain("Seven rows were found.");
    expect(reports[1]).toContain("Returned: 3");
    expect(result.iterations[0]!.status).toEqual({ type: "thinking", reason: "look first" });
  });
});

test("what a program prints may hold itself", async () => {
  const ring = tool("ring", () => {
    const node: Record<string, unknown> = { n: 1 };
    return Object.assign(node, { node });
  });
  const { result, reports } = await runPrograms(
    ["const r = await ring({}); console.log('ring', r, new Map([[r, r]]), undefined, () => 1, new WeakMap());"],
    { tools: [ring] },
  );
  expect(result.status).toBe("success");
  expect(reports[0]).toMatch(/ring [\s\S]*\[circular\][\s\S]*undefined/);
});
