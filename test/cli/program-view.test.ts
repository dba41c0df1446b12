import { describe, expect, test } from "vitest";
import { z } from "zod";
import { colorsFor } from "../../src/cli/render/colors.ts";
import { programLines } from "../../src/cli/render/program-code.ts";
import { RunView } from "../../src/cli/render/run-view.ts";
import { Screen } from "../../src/cli/render/screen.ts";
import { stringWidth } from "../../src/cli/render/text.ts";
import { Exit, ThinkSignal, Tool } from "../../src/index.ts";
import { codeModeOf } from "../../src/modes/code/code-mode.ts";
import { inlineVm } from "../../src/vm/program-vm.ts";
import { execute, scriptedModel } from "../engine/support.ts";
import { mode, program } from "../modes/code/support.ts";

const plain = { width: 80, colors: colorsFor({}, {}) };
const colored = { width: 80, colors: colorsFor({}, { FORCE_COLOR: "1" }) };
const note = new Tool({ name: "note", input: z.any(), handler: () => "noted" });

type Options = Partial<Parameters<typeof execute>[0]>;

/** What a person sees of a run whose model answers so. */
async function seen(answers: Parameters<typeof scriptedModel>[0], options: Options = {}): Promise<string> {
  let text = "";
  const view = new RunView(new Screen({ write: (part) => (text += part) }, {}), false);
  const run = execute({ model: scriptedModel(answers), mode, prompt: "go", tools: [note], ...options });
  for await (const event of run) view.event(event);
  await run;
  return text;
}

describe("the lines of a program", () => {
  test("are numbered, and those of a long one are cut in the middle with a count", () => {
    const code = Array.from({ length: 300 }, (_, n) => `const a${n} = ${n};`).join("\n");
    const lines = programLines(code, plain);
    expect(lines[0]).toBe("    1 │ const a0 = 0;");
    expect(lines.at(-1)).toBe("  300 │ const a299 = 299;");
    expect(lines).toHaveLength(57);
    expect(lines[40]).toBe("      … 244 lines …");
  });

  test("go on below where they are wide, for three rows", () => {
    const lines = programLines(`f("${"日本 ".repeat(200)}")\n${"x".repeat(1e6)}\n\tend\r\n\n`, plain);
    expect(lines).toHaveLength(7);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
    expect(lines[2]).toMatch(/^ {4}│ .*…$/);
    expect(lines.at(-1)).toBe("  3 │   end");
  });

  test("show what a terminal would obey, and what cannot be seen", () => {
    const lines = programLines("a('\u001b[2K\r\u202e'); // \u200b\n`\u009b1m`", plain);
    expect(lines).toEqual(["  1 │ a('\\x1b[2K\\r\\u202e'); // \\u200b", "  2 │ `\\x9b1m`"]);
  });

  test.each<[string, string[]]>([
    ["const a = new Map();", ["\u001b[35mconst\u001b[39m a = \u001b[35mnew\u001b[39m Map();"]],
    ["a.await; $of; awaiting", ["a.await; $of; awaiting"]],
    ["f('it\\'s', 1) // let", ["f(\u001b[32m'it\\'s'\u001b[39m, 1) \u001b[2m// let\u001b[22m"]],
    ["`a\nlet`;", ["\u001b[32m`a\u001b[39m", "\u001b[32mlet`\u001b[39m;"]],
    ["'open\nlet", ["\u001b[32m'open\u001b[39m", "\u001b[35mlet\u001b[39m"]],
  ])("of %j are coloured lightly", (code, expected) => {
    expect(programLines(code, colored).map((line) => line.split("│\u001b[22m ")[1])).toEqual(expected);
  });

  test("beside those that are asked for are marked", () => {
    const code = Array.from({ length: 12 }, (_, n) => `line${n + 1}`).join("\n");
    expect(programLines(code, plain, [5, 6])).toEqual([
      "   3 │ line3",
      "   4 │ line4",
      ">  5 │ line5",
      ">  6 │ line6",
      "   7 │ line7",
      "   8 │ line8",
    ]);
  });
});

describe("a program of a run", () => {
  test("has a card for each of twenty calls; the others are counted, tool by tool", async () => {
    const code = `for (let n = 0; n < 20; n++) await note({ n });
      await Promise.all(Array.from({ length: 1_200 }, () => note({})));
      for (const n of [1, 2]) await bad({ n }).catch(() => 0);`;
    const bad = new Tool({
      name: "bad",
      handler: () => {
        throw new Error("no");
      },
    });
    const text = await seen([program(code), "Over."], { tools: [note, bad] });
    expect(text.match(/^● note /gm)).toHaveLength(20);
    expect(text).toContain("… 1,202 more calls: note 1,200, bad 2; 2 failed\n\n● Program returned  1,222 calls");
  });

  test("shows its calls in the order in which they end, what waited for nobody too", async () => {
    const wait = new Tool({
      name: "wait",
      input: z.object({ ms: z.number() }),
      handler: ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, `after ${ms}`)),
    });
    const text = await seen(
      [program("void wait({ ms: 60 });\nawait Promise.all([wait({ ms: 30 }), wait({ ms: 1 })]);"), "Over."],
      {
        tools: [wait],
      },
    );
    expect([...text.matchAll(/│ after (\d+)/g)].map(([, ms]) => ms)).toEqual(["1", "30", "60"]);
    expect([...text.matchAll(/^● wait .* line (\d)$/gm)].map(([, line]) => line)).toEqual(["2", "2", "1"]);
  });

  test("that is the whole text of an answer is shown once", async () => {
    const text = await seen(["```ts\nreturn await note({});\n```", "Over."]);
    expect(text.match(/return await note/g)).toHaveLength(1);
    expect(text).toContain("● Program returned  1 call");
    expect(text).toContain("  │ Returned: noted\n");
  });

  test("that leaves says by which exit, or that it could not", async () => {
    const exits = [new Exit({ name: "found", schema: z.object({ answer: z.number() }) })];
    const codes = ["return exit('found', { answer: 'x' } as any);", "return exit('found', { answer: 1 });"];
    const text = await seen(codes.map(program), { exits });
    expect(text).toMatch(/● Program could not leave {2}0 calls.*\n {2}│ .*was not taken/);
    expect(text).toContain("● Program left by found  0 calls");
  });

  test("that must think again, or was aborted, is stopped", async () => {
    const think = new Tool({
      name: "think_of",
      handler: () => {
        throw new ThinkSignal("look first");
      },
    });
    const text = await seen([program("await note({});\nawait think_of({});"), "Over."], { tools: [note, think] });
    expect(text).toMatch(/● Program stopped\n\nNote +look first/);
  });

  test("that was not checked in time, or put in by a hook, says so", async () => {
    const checker = { check: () => new Promise<never>(() => {}), close() {} };
    const late = codeModeOf({ vm: inlineVm(), checker, maxWaitMs: 1 });
    const hooks = {
      onBeforeExecution: async ({ code }: { code?: string }) => (code ? { code: "return 'ours'" } : undefined),
    };
    const text = await seen([program("return 1"), "Over."], { mode: late, hooks });
    expect(text).toContain("● Program  1 line, unchecked: its types were not looked at, put in by a hook\n");
    expect(text).toContain("  1 │ return 'ours'\n");
  });

  test("of wrong syntax is not run, and what the model did beside it is a note", async () => {
    const text = await seen([
      program("const = 1;"),
      { toolCalls: [{ name: "note", input: {} }] },
      { toolCalls: [{ name: "run_program", input: {} }] },
      "Over.",
    ]);
    expect(text).toMatch(/1 │ const = 1;\n\n● Program not run {2}.*\(line 1\)/);
    expect(text).toMatch(/^Note +There is no function "note" beside run_program/m);
    expect(text).toMatch(/^Note +The input of run_program is/m);
  });

  test("of mode tools is a text like any other", async () => {
    const text = await seen(["```ts\nreturn 1;\n```"], { mode: "tools" });
    expect(text).toContain("  return 1;\n");
    expect(text).not.toContain("Program");
  });
});
