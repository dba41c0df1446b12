/** An agent: what is said of it once holds for each of its runs. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent, type AgentOptions, Exit, HaftError, type RunEvent, Tool } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, gate, scriptedModel, tool } from "../engine/support.ts";
import { errorOf } from "./support.ts";

function problemOf(make: () => unknown): HaftError {
  try {
    make();
  } catch (error) {
    if (HaftError.is(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("a definition", () => {
  const model = scriptedModel([]);

  test.for<[options: object, message: string]>([
    [{ model }, "An agent needs a name"],
    [{ name: "", model }, "An agent needs a name"],
    [{ name: "a", model, iterations: 0 }, 'Agent "a": iterations must be an integer from 1'],
    [{ name: "a", model, instruction: "x" }, 'Agent "a": it has no option "instruction"'],
    [{ name: "a", model, prompt: "x" }, 'Agent "a" has no option "prompt"'],
    [{ name: "a", model, session: "x" }, 'Agent "a" has no option "session"'],
    [{ name: "a", model, hooks: { onEverything() {} } }, 'Agent "a": There is no hook "onEverything"'],
    [{ name: "a", model, approver: true }, 'Agent "a": approver must be a function'],
    [{ name: "a", model, handleEvent: "x" }, 'Agent "a": handleEvent must be a function'],
    [{ name: "a", model, approvals: "ask" }, 'Agent "a": approvals: "ask" needs an approve function'],
    [{ name: "a", model, store: {} }, 'Agent "a": store must be a Store'],
  ])("$1", ([options, message]) => {
    const problem = problemOf(() => new Agent(options as AgentOptions));
    expect(problem.message).toContain(message);
    expect(problem.code).toBe("OPTIONS_INVALID");
  });

  test("two tools of one name are found before any run", () => {
    const twice = [tool("pay", () => 1), tool("pay", () => 2)];
    const problem = problemOf(() => new Agent({ name: "clerk", model, tools: twice }));
    expect(problem.code).toBe("DUPLICATE_TOOL");
    expect(problem.message).toContain('Agent "clerk"');
  });
});

describe("a run", () => {
  test("has the settings of the agent, and is one of execute", async () => {
    const seen: unknown[] = [];
    const look = tool("look", (_input, ctx) => {
      seen.push(ctx.agent, ctx.session);
      return "done";
    });
    const model = scriptedModel([asks("look"), "Over."]);
    const agent = new Agent({ name: "clerk", model, instructions: "Be short.", tools: [look], temperature: 0.25 });
    const result = await agent.run("Look");
    expect(result.output).toBe("Over.");
    expect(seen).toEqual([agent, undefined]);
    expect(model.requests[0]!.prompt[0]).toMatchObject({ role: "system", content: "Be short." });
    expect(model.requests[0]!.temperature).toBe(0.25);
  });

  test("may say otherwise; undefined says nothing", async () => {
    const own = scriptedModel(["own"]);
    const other = scriptedModel(["other"]);
    const agent = new Agent({ name: "a", model: own, instructions: "A", temperature: 0.25 });
    expect((await agent.run("x", { model: other, instructions: "B", temperature: undefined })).output).toBe("other");
    expect(other.requests[0]!.prompt[0]).toMatchObject({ content: "B" });
    expect(other.requests[0]!.temperature).toBe(0.25);
    expect((await agent.run("x")).output).toBe("own");
  });

  test("leaves by the exits of the agent, with their types", async () => {
    const found = new Exit({ name: "found", schema: z.object({ price: z.number() }) });
    const model = scriptedModel([asks(["found", { price: 3 }])]);
    const result = await new Agent({ name: "a", model, exits: [found] }).run("x");
    if (!result.is(found)) throw new Error("not found");
    const price: number = result.output.price;
    expect(price).toBe(3);
  });

  test("rejects for an option that does not fit", async () => {
    const agent = new Agent({ name: "a", model: scriptedModel(["x"]) });
    await expect(agent.run("x", { iterations: 0 }).then()).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
  });

  test("a hundred runs at once keep apart", async () => {
    const echo = tool("echo", ({ n }) => n);
    const agent = new Agent({ name: "a", tools: [echo] });
    const results = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const model = scriptedModel([asks(["echo", { n }]), ({ prompt }) => prompt.at(-1).content[0].output.value]);
        return (await agent.run(`${n}`, { model })).output;
      }),
    );
    expect(results).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`));
  });
});

describe("handleEvent", () => {
  test("sees every event of every run, and nobody streams for it", async () => {
    const seen: { type: string; run: string; session: string | undefined }[] = [];
    const model = {
      ...scriptedModel([asks("ping"), "Over.", "Again."]),
      doStream: () => Promise.reject(new Error("streamed")),
    };
    const agent = new Agent({
      name: "a",
      model,
      tools: [tool("ping", () => "pong")],
      handleEvent: ({ type }, { run, session }) => void seen.push({ type, run: run.id, session: session?.id }),
    });
    const first = await agent.run("x");
    const second = await agent.session({ id: "s" }).run("y");
    const types = (run: string) => seen.filter((one) => one.run === run).map(({ type }) => type);
    expect(types(first.run)).toEqual([
      ...["run-start", "message", "model-start", "model-response", "tool-call", "tool-start", "tool-end"],
      ...["iteration-end", "model-start", "model-response", "iteration-end", "run-end"],
    ]);
    expect(types(second.run)).toContain("run-end");
    expect(new Set(seen.map(({ session }) => session))).toEqual(new Set([undefined, "s"]));
  });

  test.for<[how: string, handleEvent: () => void]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no")) as never],
  ])("one that %s is logged, and changes nothing", async ([, handleEvent]) => {
    const warnings: string[] = [];
    const logger = { debug() {}, info() {}, warn: (text: string) => warnings.push(text), error() {} };
    const traced: RunEvent[] = [];
    const hooks = { onTrace: ({ trace }: { trace: RunEvent }) => void traced.push(trace) };
    const agent = new Agent({ name: "a", model: scriptedModel(["Fine."]), handleEvent, logger, hooks });
    expect((await agent.run("x")).output).toBe("Fine.");
    expect(traced.at(-1)?.type).toBe("run-end");
    expect(warnings[0]).toBe('handleEvent of agent "a" threw: no');
    expect(warnings).toHaveLength(traced.length);
  });
});

describe("close", () => {
  test("ends what works, closes sessions from the last to the first, and starts nothing after it", async () => {
    const reached = gate();
    const order: string[] = [];
    const hang = tool("hang", (_input, { abortSignal }) => {
      reached.open();
      return new Promise((_, reject) => abortSignal.addEventListener("abort", () => reject(abortSignal.reason)));
    });
    const store = memoryStore();
    const agent = new Agent({ name: "a", model: scriptedModel([asks("hang")]), tools: [hang], store });
    const sessions = ["one", "two", "three"].map((id) => agent.session({ id }));
    for (const session of sessions) {
      const close = session.close.bind(session);
      Object.assign(session, { close: (options?: object) => close(options).then(() => void order.push(session.id)) });
    }
    const run = agent.run("x");
    await reached.passed;
    expect(agent.sessions.size).toBe(3);
    await Promise.all([agent.close(), agent.close()]);
    expect(order).toEqual(["three", "two", "one"]);
    expect(agent.sessions.size).toBe(0);
    expect(errorOf(await run)).toMatchObject({ code: "AGENT_CLOSED" });
    expect(errorOf(await agent.run("y"))).toMatchObject({ code: "AGENT_CLOSED" });
    expect(problemOf(() => agent.session()).code).toBe("AGENT_CLOSED");
  });

  test("at the end of a block", async () => {
    let run: PromiseLike<any>;
    {
      await using agent = new Agent({ name: "a", model: scriptedModel([{ text: "late", delayMs: 60_000 }]) });
      run = agent.session().run("x");
    }
    expect(errorOf(await run)).toMatchObject({ code: "SESSION_CLOSED" });
  });
});

test("ctx.agent and ctx.session of a session's run are the objects", async () => {
  const seen: unknown[] = [];
  const look = new Tool({ name: "look", handler: (_: unknown, ctx) => void seen.push(ctx.agent, ctx.session) });
  const agent = new Agent({ name: "a", model: scriptedModel([asks("look"), "ok"]), tools: [look] });
  const session = agent.session();
  await session.run("x");
  expect(seen[0]).toBe(agent);
  expect(seen[1]).toBe(session);
});

test("an agent works for another one, as a sub-agent", async () => {
  const helper = new Agent({
    name: "helper",
    description: "Adds",
    model: scriptedModel(["It is three."]),
    approver: () => true,
    handleEvent() {},
    store: memoryStore(),
  });
  const model = scriptedModel([asks(["subagent", { role: "adder", task: "1 + 2" }]), "Three."]);
  const agent = new Agent({ name: "a", model, subagents: { adder: helper } });
  const session = agent.session();
  expect((await session.run("Add")).output).toBe("Three.");
  expect(JSON.stringify(model.requests[1]!.prompt)).toContain("It is three.");
  expect(await session.history()).toHaveLength(4);
});
