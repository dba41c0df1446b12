import { describe, expect, test } from "vitest";
import { HaftError, type Message } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { compactions, isForNotes, noting, textOf, tokensIn, words } from "./compaction-support.ts";
import { asks, execute, faults, gate, ofType, results, scriptedModel, tool } from "./support.ts";

const overflow = Object.assign(new Error("prompt is too long: 9000 tokens > 8000 maximum"), { statusCode: 400 });
const down = Object.assign(new Error("no"), { statusCode: 500 });

/** A conversation of so many questions and answers, with nothing in it that a placeholder could stand for. */
function talk(turns: number, length = 100): Message[] {
  return Array.from({ length: turns }, (_, n): Message[] => [
    { role: "user", content: [{ type: "text", text: `question ${n}` }] },
    { role: "assistant", content: [{ type: "text", text: `answer ${n}: ${words(length)}` }] },
  ]).flat();
}

function listening() {
  const warnings: string[] = [];
  return { warnings, logger: { debug() {}, info() {}, error() {}, warn: (text: string) => void warnings.push(text) } };
}

async function lastCompaction(options: object) {
  const store = memoryStore();
  const result = await execute({ ...options, store, session: "s", prompt: "And now?" } as any);
  return { result, entries: await store.read("s"), made: compactions(await store.read("s")).at(-1) };
}

describe("whoever should write the summary", () => {
  test("fails: the oldest turns are left out, with a note and a warning, and the run goes on", async () => {
    const { warnings, logger } = listening();
    const model = scriptedModel(Array(9).fill((request: any) => (isForNotes(request) ? { error: down } : "fine")));
    const limits = { attempts: 2, backoffMs: 1 };
    const options = { model, messages: talk(20), compaction: { window: 4_000 }, logger, modelLimits: limits };
    const { result, made } = await lastCompaction(options);
    expect(result.output).toBe("fine");
    expect(model.requests.filter(isForNotes)).toHaveLength(2);
    expect(made).toMatchObject({ method: "dropped", reason: "window" });
    expect(made!.usage).toEqual({
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    });
    const text = textOf(made!.messages);
    for (const kept of ["question 0", "its oldest part was left out here", "question 19", "And now?"])
      expect(text).toContain(kept);
    expect(text).not.toContain("answer 0");
    expect(warnings.join()).toContain("could not be summed up");
  });

  test.each([
    ["says nothing", { text: "" }],
    ["writes more than it read", { text: words(20_000) }],
    ["asks for a call", asks("big")],
  ])("%s: the same", async (_, step) => {
    const { warnings, logger } = listening();
    const model = scriptedModel(Array(9).fill((request: any) => (isForNotes(request) ? step : "fine")));
    const limits = { attempts: 1 };
    const { result, made } = await lastCompaction({
      ...{ model, messages: talk(20), compaction: { window: 4_000 }, logger, modelLimits: limits },
    });
    expect(result.output).toBe("fine");
    expect(made!.method).toBe("dropped");
    expect(warnings).toHaveLength(1);
  });

  test("is too small for it: it reads piece by piece, and keeps what it wrote", async () => {
    const seen: number[] = [];
    const notes = scriptedModel(
      Array(40).fill((request: any) => {
        const size = tokensIn(request);
        seen.push(size);
        if (size > 2_500) return { error: overflow };
        const [before] = /notes \d+/.exec(request.prompt[1].content[0].text) ?? ["notes 0"];
        return `notes ${Number(before.split(" ")[1]) + 1}`;
      }),
      { modelId: "small" },
    );
    const messages = talk(30);
    const { made } = await lastCompaction({
      ...{ model: scriptedModel(["fine"]), messages, compaction: { window: 6_000, model: notes } },
    });
    expect(made!.method).toBe("summary");
    const pieces = seen.filter((size) => size <= 2_500).length;
    expect(pieces).toBeGreaterThan(2);
    expect(seen.length).toBeGreaterThan(pieces);
    expect(textOf(made!.messages)).toContain(`notes ${pieces}`);
    const read = notes.requests
      .filter((request) => tokensIn(request) <= 2_500)
      .map(({ prompt }) => textOf(prompt))
      .join();
    for (let n = 0; n < 25; n++) expect(read).toContain(`answer ${n}:`);
  });

  test("cannot be opened: a warning", async () => {
    const { warnings, logger } = listening();
    const options = { messages: talk(20), compaction: { window: 4_000, model: "nobody:knows" }, logger };
    const { result, made } = await lastCompaction({ ...options, model: scriptedModel(["fine"]) });
    expect(result.output).toBe("fine");
    expect(made!.method).toBe("dropped");
    expect(warnings.join()).toContain("nobody");
  });

  test("is aborted with the run, which is aborted and nothing else", async () => {
    const reached = gate();
    const answer = (request: any) => {
      if (isForNotes(request)) reached.open();
      return { text: "late", delayMs: 60_000 };
    };
    const store = memoryStore();
    const run = execute({
      ...{ model: scriptedModel([answer]), messages: talk(20), prompt: "And now?", store, session: "s" },
      compaction: { window: 4_000 },
    });
    run.then(() => {});
    await reached.passed;
    run.abort("enough");
    const result = await run;
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(compactions(await store.read("s"))).toEqual([]);
    const again = await execute({
      model: noting(["fine"]),
      store,
      session: "s",
      prompt: "Well?",
      compaction: { window: 4_000 },
    });
    expect(again.output).toBe("fine");
  });
});

describe("a model that says that it is too long", () => {
  const big = tool("big", () => words(700));

  /** Refuses what is longer, and says how much it read of the rest. */
  function small(most: number, steps: any[]) {
    let place = 0;
    const answer = (request: any) => {
      if (isForNotes(request)) return "notes";
      return tokensIn(request) > most ? { error: overflow } : steps[place++];
    };
    return scriptedModel(Array(60).fill(answer));
  }

  test("is asked once more, when the conversation could be made shorter", async () => {
    const model = small(4_000, [...Array(6).fill(asks("big")), "done"]);
    const { result, entries } = await lastCompaction({ model, tools: [big], iterations: 20 });
    expect(result.output).toBe("done");
    expect(ofType(entries, "model-error").map(({ then }) => then)).toEqual(compactions(entries).map(() => "compact"));
    for (const { reason, before, after } of compactions(entries)) {
      expect(reason).toBe("overflow");
      expect(after).toBeLessThan(before);
    }
    expect(compactions(entries).length).toBeGreaterThan(0);
    for (const { prompt } of model.requests) expect(faults(prompt.filter(({ role }) => role !== "system"))).toEqual([]);
  });

  test("goes on where the last results alone are too much: they are placeholders, too", async () => {
    const model = small(2_000, [asks("big", "big", "big"), "done"]);
    const { result, made } = await lastCompaction({ model, tools: [big] });
    expect(result.output).toBe("done");
    expect(Object.values(results(made!.messages)).filter((text) => text.includes("taken out"))).not.toHaveLength(0);
  });

  test("and says so again is believed: the run ends with that, after one more try", async () => {
    const model = scriptedModel(Array(9).fill((request: any) => (isForNotes(request) ? "notes" : { error: overflow })));
    const { result, entries } = await lastCompaction({ model, messages: talk(9) });
    expect(result).toMatchObject({ status: "error", stopReason: "model", error: { code: "MODEL_CONTEXT_OVERFLOW" } });
    expect(compactions(entries)).toHaveLength(1);
    expect(ofType(entries, "model-error").map(({ then }) => then)).toEqual(["compact", "fail"]);
    expect(model.requests.filter((request) => !isForNotes(request))).toHaveLength(2);
  });

  test("is not asked again where nothing can be made shorter", async () => {
    const model = scriptedModel([{ error: overflow }]);
    const { result, entries } = await lastCompaction({ model });
    expect(result).toMatchObject({ status: "error", error: { code: "MODEL_CONTEXT_OVERFLOW" } });
    expect(model.requests).toHaveLength(1);
    expect(compactions(entries)).toEqual([]);
  });

  test("false: it is not", async () => {
    const model = scriptedModel([{ error: overflow }]);
    const { result } = await lastCompaction({ model, messages: talk(9), compaction: false });
    expect(result).toMatchObject({ status: "error", error: { code: "MODEL_CONTEXT_OVERFLOW" } });
  });

  test("has a fallback: that one is asked, with the whole conversation", async () => {
    const large = scriptedModel(["fine"], { modelId: "large" });
    const { result, entries } = await lastCompaction({
      model: [scriptedModel([{ error: overflow }]), large],
      messages: talk(9),
    });
    expect(result.output).toBe("fine");
    expect(compactions(entries)).toEqual([]);
    expect(large.requests[0]!.prompt).toHaveLength(19);
  });

  test("read_result is there at once, for what the new placeholders name", async () => {
    const read = (request: any) => {
      const [, call] = /read_result\(\{ \\"call\\": \\"([^\\]+)/.exec(JSON.stringify(results(request.prompt)))!;
      expect(request.tools.map(({ name }: any) => name)).toContain("read_result");
      return asks(["read_result", { call, limit: 100 }]);
    };
    let calls = 0;
    const model = scriptedModel(
      Array(9).fill((request: any) => {
        if (tokensIn(request) > 2_000) return { error: overflow };
        calls++;
        return calls === 1 ? asks("big", "big", "big") : calls === 2 ? read(request) : "done";
      }),
    );
    const { result, entries } = await lastCompaction({ model, tools: [big] });
    expect(result.output).toBe("done");
    expect(ofType(entries, "tool-end").at(-1)).toMatchObject({ name: "read_result" });
    expect(ofType(entries, "tool-end").at(-1)!.output).toContain("word0 word1");
  });
});

describe("a compactor", () => {
  const compaction = (compactor: any) => ({ window: 4_000, compactor });

  test("gives the conversation that goes on, and is told all about it", async () => {
    const told: any[] = [];
    const compactor = async (messages: Message[], about: any) => {
      told.push(about);
      return [...messages.slice(0, 1), `In short: ${await about.summarize(messages.slice(1, -1))}`, messages.at(-1)!];
    };
    const model = noting([{ ...asks("nothing"), usage: { inputTokens: 50 } }, "fine"]);
    const tools = [tool("nothing", () => "nothing")];
    const { result, made } = await lastCompaction({
      model,
      tools,
      messages: talk(20),
      compaction: compaction(compactor),
    });
    expect(result.output).toBe("fine");
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ window: 4_000, reason: "window", abortSignal: expect.any(AbortSignal) });
    expect(told[0].tokens).toBe(made!.before);
    expect(made).toMatchObject({
      method: "compactor",
      model: "scripted:script",
      usage: { inputTokens: 7 * model.requests.filter(isForNotes).length },
    });
    expect(made!.messages.map(({ content }: any) => content[0].text)).toEqual([
      "question 0",
      "In short: notes",
      "And now?",
    ]);
  });

  const call = { type: "tool-call" as const, toolCallId: "c", toolName: "t", input: {} };
  const answer = {
    type: "tool-result" as const,
    toolCallId: "c",
    toolName: "t",
    output: { type: "text" as const, value: "" },
  };
  test.each([
    ["throws", () => Promise.reject(new HaftError("OWN", "no"))],
    ["gives nothing", () => undefined],
    ["gives no messages", () => []],
    ["begins with an answer", (all: Message[]) => all.slice(1)],
    ["begins with a result", () => [{ role: "tool", content: [answer] }]],
    ["has a call without a result", () => ["go", { role: "assistant", content: [call] }, "on"]],
    ["has a result without a call", () => ["go", { role: "tool", content: [answer] }]],
    ["gives a role that there is not", () => [{ role: "system", content: "go" }]],
    ["gives what is not shorter", (all: Message[]) => all],
  ])("that %s is left, with a warning", async (_, compactor) => {
    const { warnings, logger } = listening();
    const model = noting(["fine"]);
    const { result, made } = await lastCompaction({
      model,
      messages: talk(20),
      compaction: compaction(compactor),
      logger,
    });
    expect(result.output).toBe("fine");
    expect(made!.method).toBe("summary");
    expect(warnings).toHaveLength(1);
  });

  test("that changes what it was given changes nothing of the run", async () => {
    const { logger } = listening();
    const compactor = (messages: any[]) => {
      for (const message of messages) message.content = [{ type: "text", text: "mine" }];
      throw new Error("no");
    };
    const model = noting(["fine"]);
    const { made } = await lastCompaction({ model, messages: talk(20), compaction: compaction(compactor), logger });
    expect(textOf(made!.messages)).not.toContain("mine");
  });

  test("that never comes back ends with the run", async () => {
    const reached = gate();
    const compactor = () => {
      reached.open();
      return new Promise<never>(() => {});
    };
    const run = execute({
      model: scriptedModel([]),
      messages: talk(20),
      prompt: "go",
      compaction: compaction(compactor),
    });
    run.then(() => {});
    await reached.passed;
    run.abort();
    expect(await run).toMatchObject({ status: "error", stopReason: "aborted" });
  });
});
