import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type ExecuteOptions, Exit } from "../../src/index.ts";
import { asks, execute, gate, ofType, scriptedModel, sleep, tool, waiting } from "../engine/support.ts";
import { askedOf, give, readOf } from "./subagents-support.ts";

describe("the tool", () => {
  test("has one flat schema for all roles, and says who takes what", async () => {
    const model = scriptedModel(["no need"]);
    await execute({
      model,
      prompt: "go",
      subagents: {
        reader: { description: "Reads long texts" },
        judge: { description: "Judges", input: z.object({ cases: z.array(z.string()) }), output: z.boolean() },
      },
    });
    const [{ name, description, inputSchema }] = model.requests[0]!.tools as [any];
    expect(name).toBe("subagent");
    expect(description).toContain("- reader: Reads long texts\n- judge: Judges Input: {");
    expect(description).toContain('"cases"');
    expect(inputSchema).toMatchObject({
      type: "object",
      properties: { role: { enum: ["reader", "judge"] }, task: { type: "string" }, input: { type: "object" } },
      required: ["role", "task"],
    });
    for (const word of ["oneOf", "anyOf", "allOf"]) expect(inputSchema).not.toHaveProperty(word);
  });

  test("asks for no input where no role takes one", async () => {
    const model = scriptedModel(["no need"]);
    await execute({ model, prompt: "go", subagents: { reader: {} } });
    expect(Object.keys(model.requests[0]!.tools![0]!.inputSchema.properties)).toEqual(["role", "task"]);
  });

  test.each<[string, unknown, RegExp]>([
    ["another role", { role: "cook", task: "t" }, /role.*reader.*judge/s],
    ["no task", { role: "reader" }, /task/],
    [
      "an input that does not fit",
      { role: "judge", task: "t", input: { cases: 1 } },
      /"judge" does not fit: cases.*\{"type":"object"/s,
    ],
    ["no input where one must be", { role: "judge", task: "t" }, /cases/],
    ["an input where there is none", { role: "reader", task: "t", input: {} }, /"reader" takes no input.*task/s],
  ])("refuses %s in words that help", async (_, input, words) => {
    const model = scriptedModel([asks(["subagent", input]), "I see"]);
    const asked = scriptedModel([]);
    const { read } = await readOf(model, {
      subagents: { reader: { model: asked }, judge: { model: asked, input: z.object({ cases: z.array(z.string()) }) } },
    });
    expect(read.call_1_1).toMatch(/^!/);
    expect(read.call_1_1).toMatch(words);
    expect(asked.requests).toEqual([]);
  });

  test("gives the task as it is, and its input behind it, with what its schema adds", async () => {
    const child = scriptedModel(["a", "b"]);
    const input = z.object({ text: z.string(), tone: z.string().default("plain") });
    const subagents = { writer: { model: child, input } };
    const model = scriptedModel([asks(give("writer", "Write it.", { text: "```js\n1\n```" })), "ok"]);
    await readOf(model, { subagents });
    const json = JSON.stringify({ text: "```js\n1\n```", tone: "plain" }, null, 2);
    expect(askedOf(child)).toBe(`Write it.\n\n\`\`\`\`json\n${json}\n\`\`\`\``);
  });
});

describe("what comes back", () => {
  test("a role with an output must leave by it, typed; what does not fit goes back to its model", async () => {
    const child = scriptedModel([
      asks(["submit_result", { ok: "yes" }]),
      "It is fine.",
      asks(["submit_result", { ok: true }]),
    ]);
    const model = scriptedModel([asks(give("judge")), "ok"]);
    const { read } = await readOf(model, {
      subagents: { judge: { model: child, output: z.object({ ok: z.boolean() }) } },
    });
    expect(read.call_1_1).toBe('{"ok":true}');
    expect(JSON.stringify(child.requests[1]!.prompt)).toContain("ok");
  });

  test("a role with exits gives what it left with", async () => {
    const found = new Exit({ name: "found", schema: z.object({ at: z.number() }) });
    const child = scriptedModel([asks(["found", { at: 3 }])]);
    const model = scriptedModel([asks(give("scout")), "ok"]);
    const { read } = await readOf(model, { subagents: { scout: { model: child, exits: [found] } } });
    expect(read.call_1_1).toBe('{"at":3}');
  });

  test("false, zero, null and an empty text are results", async () => {
    const outputs = [false, 0, null, ""];
    const subagents = Object.fromEntries(
      outputs.map((value, index) => [
        `r${index}`,
        { model: scriptedModel([asks(["submit_result", { value }])]), output: z.any() },
      ]),
    );
    const model = scriptedModel([asks(...outputs.map((_, index) => give(`r${index}`))), "ok"]);
    const { result } = await readOf(model, { subagents });
    const log = result.iterations.length;
    expect(log).toBe(2);
    const read = JSON.stringify(model.requests[1]!.prompt.at(-1).content.map(({ output }: any) => output));
    expect(read).toBe(JSON.stringify(["false", "0", "null", ""].map((value) => ({ type: "text", value }))));
  });

  test.each<[string, ExecuteOptions, RegExp]>([
    [
      "a model that fails",
      { model: scriptedModel([{ error: new Error("no such model") }]) },
      /"a" failed: .*no such model/,
    ],
    ["too many iterations", { model: scriptedModel([asks("x")]), iterations: 1 }, /"a" failed: .*limit of 1/],
    ["options that fail when they are asked for", { tools: () => Promise.reject(new Error("lost")) }, /lost/],
    ["a secret that is not there", { secrets: { K: { env: "HAFT_NOT_THERE" } } }, /"K"|K/],
  ])("%s is an error of the call, and the run goes on", async (_, child, words) => {
    const model = scriptedModel([asks(give("a"), give("b")), "I see"]);
    const b = { model: scriptedModel(["fine"]) };
    const { read, result } = await readOf(model, {
      subagents: { a: { model: scriptedModel([]), ...child } as any, b },
    });
    expect(read.call_1_1).toMatch(/^!/);
    expect(read.call_1_1).toMatch(words);
    expect(read.call_1_2).toBe("fine");
    expect(result.output).toBe("I see");
  });
});

describe("what is handed down", () => {
  const where = tool("where", (_, ctx) => `${ctx.cwd} ${ctx.sandbox.cwd}`, { sandbox: true });

  test("model, cwd and sandbox are; tools and instructions are not", async () => {
    const model = scriptedModel([asks(give("a")), asks("where"), "inside", "around"]);
    const secret = tool("mine", () => 1);
    const { result } = await readOf(model, {
      ...{ cwd: "/tmp", sandbox: "virtual", instructions: "Be the boss.", tools: [secret] },
      subagents: { a: { instructions: "Be small.", tools: [where] } },
    });
    expect(result.output).toBe("around");
    expect(JSON.stringify(model.requests[2]!.prompt)).toContain("/tmp /");
    expect(model.requests[1]!.tools!.map(({ name }) => name)).toEqual(["where"]);
    expect(JSON.stringify(model.requests[1]!.prompt)).toContain("Be small.");
    expect(JSON.stringify(model.requests[1]!.prompt)).not.toContain("Be the boss.");
  });

  test("a sandbox that only a sub-agent needs is opened once, for the run: each sees what the other wrote", async () => {
    const write = tool("write", (_, ctx) => ctx.sandbox.writeFile("note.txt", Buffer.from("from a")), {
      sandbox: true,
    });
    const read = tool("read", async (_, ctx) => Buffer.from(await ctx.sandbox.readFile("note.txt")).toString(), {
      sandbox: true,
    });
    const model = scriptedModel([asks(give("a")), asks(give("b")), "end"]);
    const { result } = await readOf(model, {
      cwd: mkdtempSync(join(tmpdir(), "haft-subagents-")),
      subagents: {
        a: { model: scriptedModel([asks("write"), "written"]), tools: [write] },
        b: {
          model: scriptedModel([asks("read"), ({ prompt }) => prompt.at(-1).content[0].output.value]),
          tools: [read],
        },
      },
    });
    expect(JSON.stringify(result.messages)).toContain("from a");
  });

  test("what a role says itself wins", async () => {
    const own = scriptedModel([asks("where"), "inside"]);
    const model = scriptedModel([asks(give("a")), "end"]);
    await readOf(model, {
      ...{ cwd: "/tmp", providerOptions: { x: { y: 1 } } },
      subagents: { a: { model: own, tools: [where], cwd: "/var", sandbox: "virtual" } },
    });
    expect(JSON.stringify(own.requests[1]!.prompt)).toContain("/var /");
    expect(own.requests[0]!.providerOptions).toBeUndefined();
    expect(model.requests[0]!.providerOptions).toEqual({ x: { y: 1 } });
  });

  test("an agent, and an agent with other options", async () => {
    const inner = scriptedModel(["first", "second"]);
    const agent = { name: "helper", options: { name: "helper", model: inner, instructions: "Help.", prompt: "never" } };
    const seen: unknown[] = [];
    const model = scriptedModel([asks(give("a")), asks(give("b")), "end"]);
    await readOf(model, {
      subagents: {
        a: agent,
        b: [agent, { instructions: "Help more.", hooks: { onIterationStart: () => void seen.push(1) } }],
      },
    });
    expect(inner.requests.map((request) => request.prompt[0].content)).toEqual(["Help.", "Help more."]);
    expect(inner.requests.every(({ prompt }) => !JSON.stringify(prompt).includes("never"))).toBe(true);
    expect(seen).toEqual([1]);
  });
});

describe("a sub-agent can only have less", () => {
  const danger = (done: string[], name = "danger", more = {}) =>
    tool(
      name,
      () => {
        done.push(name);
        return "boom";
      },
      more,
    );

  test("what the policy of the run denies is denied, and what it asks about is asked about", async () => {
    const done: string[] = [];
    const options: ExecuteOptions = {
      model: scriptedModel([asks(give("a")), "end"]),
      prompt: "go",
      policy: [
        { tool: "danger", then: "deny", reason: "never" },
        { tool: "risk", then: "ask" },
        { tool: "free", then: "allow" },
      ],
      subagents: {
        a: {
          model: scriptedModel([asks("danger", "risk", "free", "own"), "over"]),
          tools: ["danger", "risk", "free", "own"].map((name) => danger(done, name)),
          policy: [
            { tool: "{danger,risk}", then: "allow" },
            { tool: "{free,own}", then: "deny", reason: "not here" },
          ],
        },
      },
    };
    const { pending, snapshot } = waiting(await execute(options));
    expect(pending.map(({ name }) => name)).toEqual(["risk"]);
    const ends = ofType(snapshot.entries, "tool-end").map(({ name, error }) => [name, error?.message]);
    expect(ends).toEqual([
      ["danger", expect.stringContaining("never")],
      ["free", expect.stringContaining("not here")],
      ["own", expect.stringContaining("not here")],
    ]);
    expect(done).toEqual([]);
  });

  test.each<[ExecuteOptions, ExecuteOptions, string]>([
    [{ approvals: "deny" }, { approvals: "interrupt" }, "denied"],
    [{ approvals: "deny", approve: () => true }, {}, "denied"],
    [{ approvals: "interrupt" }, { approvals: "deny" }, "denied"],
    [{ approve: () => true }, { approvals: "interrupt" }, "waits"],
    [{ approve: () => true }, {}, "done"],
    [{}, {}, "waits"],
  ])("approvals %o around %o", async (around, own, outcome) => {
    const done: string[] = [];
    const child = {
      ...own,
      model: scriptedModel([asks("danger"), "over"]),
      tools: [danger(done, "danger", { approval: true })],
    };
    const result = await execute({
      ...around,
      model: scriptedModel([asks(give("a")), "end"]),
      prompt: "go",
      subagents: { a: child as any },
    });
    expect(result.isInterrupted() ? "waits" : done.length > 0 ? "done" : "denied").toBe(outcome);
  });

  test("an approve of its own is refused by name", async () => {
    const subagents = { a: { approve: () => true } as any };
    await expect(execute({ model: scriptedModel([]), prompt: "go", subagents })).rejects.toThrow('no option "approve"');
  });
});

describe("limits", () => {
  const again = (asked: number[], depth: number): any => ({
    model: {
      ...scriptedModel([]),
      doGenerate({ tools, prompt }: any) {
        const hasTool = tools?.some(({ name }: any) => name === "subagent") ?? false;
        const isFirst = prompt.filter(({ role }: any) => role === "assistant").length === 0;
        if (isFirst) asked.push(depth);
        return scriptedModel([hasTool && isFirst ? asks(give("next")) : "done"]).doGenerate({ prompt } as any);
      },
    },
    get subagents() {
      return { next: again(asked, depth + 1) };
    },
  });

  test.each([
    [undefined, [0, 1, 2, 3]],
    [1, [0, 1]],
    [5, [0, 1, 2, 3, 4, 5]],
  ])("depth %s: below it, the tool is not there", async (depth, expected) => {
    const asked: number[] = [];
    await execute({ ...again(asked, 0), prompt: "go", ...(depth && { subagentLimits: { depth } }) });
    expect(asked).toEqual(expected);
  });

  test("what is inside may say less of depth, and not more", async () => {
    const asked: number[] = [];
    const top = { ...again(asked, 0), subagentLimits: { depth: 2 } };
    const child = { ...again(asked, 1), subagentLimits: { depth: 9 } };
    await execute({ ...top, subagents: { next: child }, prompt: "go" });
    expect(asked).toEqual([0, 1, 2]);
    asked.length = 0;
    const less = { ...again(asked, 1), subagentLimits: { depth: 1 } };
    await execute({ ...again(asked, 0), subagents: { next: less }, prompt: "go" });
    expect(asked).toEqual([0, 1, 2]);
  });

  test("so many work at the same time, the others in their order", async () => {
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = tool("work", async ({ n }) => {
      most = Math.max(most, ++running);
      order.push(n);
      await sleep(5);
      running--;
    });
    const subagents = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [
        `r${n}`,
        { model: scriptedModel([asks(["work", { n }]), `${n}`]), tools: [work] },
      ]),
    );
    const model = scriptedModel([asks(...Object.keys(subagents).map((role) => give(role))), "end"]);
    const { read } = await readOf(model, { subagents, subagentLimits: { concurrency: 2 } });
    expect(most).toBe(2);
    expect(order).toEqual([1, 2, 3, 4, 5, 6]);
    expect(Object.values(read)).toEqual(["1", "2", "3", "4", "5", "6"]);
  });

  test("whoever waits for a turn ends with an abort", async () => {
    const [reached, asked] = [gate(), [] as string[]];
    const hang = tool("hang", () => {
      reached.open();
      return new Promise(() => {});
    });
    const first = { model: scriptedModel([asks("hang")]), tools: [hang] };
    const second = { model: { ...scriptedModel([]), doGenerate: async () => asked.push("second") } as any };
    const run = execute({
      model: scriptedModel([asks(give("first"), give("second"))]),
      prompt: "go",
      subagents: { first, second },
      subagentLimits: { concurrency: 1 },
    });
    await reached.passed;
    run.abort("enough");
    expect(await run).toMatchObject({ status: "error", stopReason: "aborted" });
    await sleep(20);
    expect(asked).toEqual([]);
  });

  test("the time of a role ends its run in good order, and the run around reads of it", async () => {
    let reason: any;
    const hang = tool("hang", (_, { abortSignal }) => {
      abortSignal.addEventListener("abort", () => {
        reason = abortSignal.reason;
      });
      return new Promise(() => {});
    });
    const model = scriptedModel([asks(give("slow")), "I see"]);
    const subagents = { slow: { model: scriptedModel([asks("hang")]), tools: [hang], timeoutMs: 30 } };
    const { read, result } = await readOf(model, { subagents });
    expect(read.call_1_1).toContain('"slow" did not finish within 30 ms');
    expect(result.output).toBe("I see");
    expect(reason?.code).toBe("TOOL_TIMEOUT");
  });
});

test.each<[string, any, RegExp]>([
  ["a role with another name", { "no-dash": {} }, /"no-dash" is no role/],
  ["no agent", { a: 7 }, /subagents.a must be an agent/],
  ["a list that is no pair", { a: [{}] }, /subagents.a must be an agent/],
  ["an option that there is not", { a: { toolz: [] } }, /no option "toolz"/],
  ["an option of the run around", { a: { session: "s" } }, /no option "session"/],
  ["a time that is none", { a: { timeoutMs: 0 } }, /timeoutMs/],
  ["exits and an output", { a: { output: z.string(), exits: [new Exit({ name: "x" })] } }, /exits and an output/],
  ["a limit that there is not", undefined, /subagentLimits has no "deep"/],
])("%s is refused before anything runs", async (_, subagents, words) => {
  const model = scriptedModel([]);
  const more = subagents ? { subagents } : { subagents: {}, subagentLimits: { deep: 1 } as any };
  await expect(execute({ model, prompt: "go", ...more })).rejects.toThrow(words);
  expect(model.requests).toEqual([]);
});
