/** A session: one conversation, one thing at a time, whatever its runs come to. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Agent, type RunEvent, ThinkSignal } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, faults, gate, never, results, scriptedModel, sleep, tool, watched } from "../engine/support.ts";
import { errorOf } from "./support.ts";

const texts = (messages: readonly any[]) =>
  messages.map(({ role, content }) => `${role}: ${content.map((part: any) => part.text ?? part.type).join("")}`);

describe("a conversation", () => {
  test("goes on from run to run, and from one session object to the next", async () => {
    const store = memoryStore();
    const model = scriptedModel(["One.", "Two.", "Three."]);
    const agent = new Agent({ name: "a", model, store });
    const session = agent.session({ id: "s" });
    await session.run("first");
    await session.run("second");
    await session.close();
    const again = agent.session({ id: "s" });
    expect(again).not.toBe(session);
    await again.run("third");
    expect(model.requests[2]!.prompt).toHaveLength(5);
    expect(texts(await again.history())).toEqual([
      ...["user: first", "assistant: One.", "user: second", "assistant: Two.", "user: third", "assistant: Three."],
    ]);
  });

  test("the same id and store give the same session while it is open", async () => {
    const store = memoryStore();
    const agent = new Agent({ name: "a", model: scriptedModel([]) });
    const session = agent.session({ id: "s", store });
    expect(agent.session({ id: "s", store })).toBe(session);
    expect(agent.session({ id: "s" })).not.toBe(session);
    expect(agent.sessions.get("s")).toBe(session);
    expect(agent.sessions.list()).toHaveLength(2);
    await session.close();
    expect(agent.sessions.size).toBe(1);
    expect(agent.session({ id: "s", store })).not.toBe(session);
  });

  test("without a store it lives as long as the agent", async () => {
    const agent = new Agent({ name: "a", model: scriptedModel(["One."]) });
    const session = agent.session({ id: "s" });
    await session.run("x");
    await session.close();
    expect(await agent.session({ id: "s" }).history()).toHaveLength(2);
  });

  test("clear begins it anew, ends what waits, and keeps the log", async () => {
    const store = memoryStore();
    const model = scriptedModel([asks("pay"), "Hello."]);
    const pay = tool("pay", () => "paid", { approval: true });
    const session = new Agent({ name: "a", model, tools: [pay], store }).session({ id: "s" });
    expect((await session.run("pay")).status).toBe("interrupted");
    const before = await store.read("s");
    await session.clear();
    expect(await session.history()).toEqual([]);
    expect(await session.pending()).toEqual([]);
    const after = await store.read("s");
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map(({ type }) => type)).toEqual(["run-end", "compaction"]);
    expect((await session.run("hi")).output).toBe("Hello.");
    expect(model.requests[1]!.prompt).toHaveLength(1);
  });

  test.for([
    ["an option that there is not", { ids: "x" }],
    ["a bad id", { id: "" }],
    ["a bad mode", { whenBusy: "wait" }],
  ] as const)("%s is refused", ([, options]) => {
    const agent = new Agent({ name: "a", model: scriptedModel([]) });
    expect(() => agent.session(options as object)).toThrow(expect.objectContaining({ code: "OPTIONS_INVALID" }));
    expect(agent.sessions.size).toBe(0);
  });

  test("compact makes it shorter, and the next run reads the summary", async () => {
    const store = memoryStore();
    const answers = Array.from({ length: 6 }, (_, n) => `Answer ${n}. ${"words ".repeat(400)}`);
    const model = scriptedModel([...answers, "SUMMARY: it was long.", "Going on."]);
    const session = new Agent({ name: "a", model, store, compaction: { keepTurns: 1 } }).session({ id: "s" });
    expect(await session.compact()).toBe(false);
    for (const [n] of answers.entries()) await session.run(`question ${n}`);
    const before = await session.history();
    expect(await session.compact()).toBe(true);
    expect((await store.read("s")).at(-1)).toMatchObject({ type: "compaction", reason: "asked" });
    expect(JSON.stringify(await session.history()).length).toBeLessThan(JSON.stringify(before).length / 2);
    expect((await session.run("go on")).output).toBe("Going on.");
    expect(JSON.stringify(model.requests.at(-1)!.prompt)).toContain("SUMMARY: it was long.");
  });

  test("a run may not name another log", async () => {
    const session = new Agent({ name: "a", model: scriptedModel(["x"]) }).session();
    const run = session.run("x", { session: "other" } as object);
    await expect(run.then()).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
    expect((await session.run("x")).output).toBe("x");
  });
});

describe("a busy session", () => {
  test("queues: first come first served, each watched from its beginning", async () => {
    const reached = gate();
    const go = gate();
    const wait = tool("wait", async () => {
      reached.open();
      await go.passed;
    });
    const model = scriptedModel([asks("wait"), "One.", "Two.", "Three."]);
    const session = new Agent({ name: "a", model, tools: [wait] }).session();
    const first = session.run("1");
    await reached.passed;
    const others = [watched(session.run("2")), watched(session.run("3"))];
    expect(session.current).toBe(first);
    go.open();
    expect((await first).output).toBe("One.");
    const [second, third] = await Promise.all(others);
    expect([second!.result.output, third!.result.output]).toEqual(["Two.", "Three."]);
    for (const { events } of [second!, third!]) {
      expect(events[0]!.type).toBe("run-start");
      expect(events.at(-1)!.type).toBe("run-end");
      expect(events.filter(({ type }) => type === "text-delta")).not.toEqual([]);
    }
    expect(session.current).toBeUndefined();
  });

  test("refuses, when it is to", async () => {
    const reached = gate();
    const go = gate();
    const wait = tool("wait", async () => {
      reached.open();
      await go.passed;
    });
    const model = scriptedModel([asks("wait"), "One.", "Two."]);
    const session = new Agent({ name: "a", model, tools: [wait] }).session({ whenBusy: "refuse" });
    const first = session.run("1");
    await reached.passed;
    const refused = await session.run("2");
    expect(errorOf(refused)).toMatchObject({ code: "SESSION_BUSY" });
    go.open();
    expect((await first).output).toBe("One.");
    expect((await session.run("3")).output).toBe("Two.");
    expect(texts(await session.history()).join()).not.toContain("user: 2");
  });

  test("a run that waits for its turn is aborted by itself", async () => {
    const reached = gate();
    const go = gate();
    const wait = tool("wait", async () => {
      reached.open();
      await go.passed;
    });
    const model = scriptedModel([asks("wait"), "One.", "Three."]);
    const session = new Agent({ name: "a", model, tools: [wait] }).session();
    const first = session.run("1");
    await reached.passed;
    const second = session.run("2");
    const third = session.run("3");
    await sleep(5);
    second.abort(new Error("not needed"));
    expect((await second).stopReason).toBe("aborted");
    go.open();
    expect((await first).output).toBe("One.");
    expect((await third).output).toBe("Three.");
  });

  test("what is said to a run that waits is read when its turn has come", async () => {
    const reached = gate();
    const go = gate();
    const wait = tool("wait", async () => {
      reached.open();
      await go.passed;
    });
    const model = scriptedModel([asks("wait"), "One.", "Two.", "And?"]);
    const session = new Agent({ name: "a", model, tools: [wait] }).session();
    session.run("1");
    await reached.passed;
    const second = session.run("2");
    expect(second.steer("and quickly")).toBe(true);
    expect(second.followUp("and then?")).toBe(true);
    go.open();
    await second;
    expect(JSON.stringify(model.requests[2]!.prompt)).toContain("and quickly");
    expect(JSON.stringify(model.requests[3]!.prompt)).toContain("and then?");
  });
});

describe("the run that works", () => {
  test("is steered: what has not started is skipped, and the next request has the words", async () => {
    const reached = gate();
    const go = gate();
    const wait = tool("wait", async () => {
      reached.open();
      await go.passed;
      return "waited";
    });
    const model = scriptedModel([asks("wait"), "Over."]);
    const session = new Agent({ name: "a", model, tools: [wait] }).session();
    expect(session.steer("nobody")).toBe(false);
    expect(session.followUp("nobody")).toBe(false);
    const run = session.run("x");
    await reached.passed;
    expect(session.steer("faster")).toBe(true);
    go.open();
    await run;
    const asked = model.requests[1]!.prompt;
    expect(results(asked)).toEqual({ call_1_1: "waited" });
    expect(JSON.stringify(asked.at(-1))).toContain("faster");
  });

  test("is aborted, tools and model, and the history stays valid", async () => {
    const reached = gate();
    const stopped: string[] = [];
    const hang = tool("hang", (_input, { abortSignal }) => {
      reached.open();
      return new Promise((_, reject) =>
        abortSignal.addEventListener("abort", () => {
          stopped.push("hang");
          reject(abortSignal.reason);
        }),
      );
    });
    const model = scriptedModel([asks("hang"), "Going on."]);
    const session = new Agent({ name: "a", model, tools: [hang] }).session();
    const run = session.run("x");
    await reached.passed;
    session.abort(new Error("enough"));
    const result = await run;
    expect(result.stopReason).toBe("aborted");
    expect(stopped).toEqual(["hang"]);
    expect(model.requests).toHaveLength(1);
    expect((await session.run("go on")).output).toBe("Going on.");
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });

  test("a failed one keeps what was said and done", async () => {
    const model = scriptedModel([asks("look"), { error: new Error("broken") }, "Back again."]);
    const look = tool("look", () => "seen");
    const limits = { modelLimits: { attempts: 1 } };
    const session = new Agent({ name: "a", model, tools: [look], ...limits }).session();
    expect((await session.run("look")).stopReason).toBe("model");
    await session.run("again");
    expect(results(model.requests[2]!.prompt)).toEqual({ call_1_1: "seen" });
    expect(texts(model.requests[2]!.prompt)[0]).toBe("user: look");
  });

  test("may say otherwise than the agent", async () => {
    const other = scriptedModel(["Other."]);
    const session = new Agent({ name: "a", model: scriptedModel(["Own."]) }).session();
    expect((await session.run("x", { model: other })).output).toBe("Other.");
    expect((await session.run("x")).output).toBe("Own.");
  });

  test("is seen whole by whoever iterates at once", async () => {
    const session = new Agent({ name: "a", model: scriptedModel(["One.", "Two."]) }).session();
    await session.run("1");
    const events: RunEvent[] = [];
    for await (const event of session.run("2")) events.push(event);
    expect(events[0]!.type).toBe("run-start");
    expect(events.at(-1)!.type).toBe("run-end");
  });
});

describe("close", () => {
  test("ends the run that works, refuses those that wait, and is done once", async () => {
    const reached = gate();
    const hang = tool("hang", () => {
      reached.open();
      return never;
    });
    const session = new Agent({ name: "a", model: scriptedModel([asks("hang")]), tools: [hang] }).session();
    const first = session.run("1");
    await reached.passed;
    const second = session.run("2");
    await sleep(5);
    await Promise.all([session.close(), session.close()]);
    for (const run of [first, second, session.run("3")])
      expect(errorOf(await run)).toMatchObject({ code: "SESSION_CLOSED" });
    await expect(session.decide("x", { approve: true })).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  });
});

/** A handler may do anything: the session goes back to idle, and its next run works. */
test("whatever a handler does, the next run works", async () => {
  const outcomes: Record<string, () => unknown> = {
    value: () => 1,
    nothing: () => undefined,
    throws: () => {
      throw new Error("no");
    },
    "throws text": () => {
      throw "no";
    },
    "throws nothing": () => {
      throw undefined;
    },
    rejects: () => Promise.reject(new Error("no")),
    thinks: () => {
      throw new ThinkSignal("look again");
    },
    "cannot be written": () => ({ f() {} }),
    hangs: () => never,
    symbol: () => Symbol("x"),
  };
  const names = fc.array(fc.constantFrom(...Object.keys(outcomes)), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(names, async (played) => {
      const tools = Object.entries(outcomes).map(([name, handler]) =>
        tool(name.replaceAll(" ", "_"), handler, { timeoutMs: 20 }),
      );
      const script = [asks(...played.map((name) => name.replaceAll(" ", "_"))), "Over.", "Next."];
      const session = new Agent({ name: "a", model: scriptedModel(script), tools }).session();
      await session.run("x");
      expect(session.current).toBeUndefined();
      const next = await session.run("y");
      expect(next.output).toBe("Next.");
      await session.close();
    }),
    { numRuns: 30 },
  );
});
