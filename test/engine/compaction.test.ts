import { describe, expect, test } from "vitest";
import { Exit, type Message, ok } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { compactions, counted, isForNotes, noting, textOf, tokensIn, words } from "./compaction-support.ts";
import { asks, execute, faults, ofType, results, scriptedModel, tool, watched } from "./support.ts";

const big = tool("big", ({ n }) => `${n}: ${words(400)}`);
const tiny = tool("tiny", ({ n }) => `${n}: ${words(40)}`);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Calls of one tool, one an answer, then a text. */
function steps(count: number, name = "big") {
  return [...Array.from({ length: count }, (_, n) => counted(asks([name, { n }]))), counted("done")];
}

/** The first message is the user's, each call has its result, and no image or text is without its place. */
function fine(messages: readonly any[]): void {
  const own = messages.filter(({ role }) => role !== "system");
  expect(own[0].role).toBe("user");
  expect(faults(own)).toEqual([]);
}

describe("before a model call", () => {
  test("old results become placeholders that say what they were, when that is enough", async () => {
    const model = scriptedModel(steps(9));
    const store = memoryStore();
    const options = { model, tools: [big], store, session: "s", iterations: 12, prompt: "Count." };
    const result = await execute({ ...options, compaction: { window: 8_000, keepTurns: 2 } });
    expect(result.output).toBe("done");
    const [first] = compactions(await store.read("s"));
    expect(first).toMatchObject({ reason: "window", method: "placeholders" });
    expect(first!.usage).toBeUndefined();
    expect(first!.after).toBeLessThan(first!.before);
    expect(model.requests.some(isForNotes)).toBe(false);
    for (const request of model.requests) {
      fine(request.prompt);
      expect(tokensIn(request)).toBeLessThan(8_000);
    }
    const last = Object.values(results(model.requests.at(-1)!.prompt));
    expect(last[0]).toMatch(
      /^\[The result of big was taken out to make room: \d+ characters\. read_result\(\{ "call": "run_/,
    );
    expect(last.at(-1)).toContain("8: word0");
    expect(last.at(-2)).toContain("7: word0");
  });

  test("one that fits is left alone, and its requests grow at their end only", async () => {
    const model = scriptedModel(steps(5));
    const store = memoryStore();
    await execute({ model, tools: [big], store, session: "s", prompt: "Count.", compaction: { window: 100_000 } });
    expect(compactions(await store.read("s"))).toEqual([]);
    prefixes(model.requests);
  });

  test("between two compactions a request begins with the one before it, byte for byte", async () => {
    const model = scriptedModel(steps(14));
    const store = memoryStore();
    const options = {
      model,
      tools: [big],
      store,
      session: "s",
      iterations: 20,
      prompt: "Count.",
      instructions: "Be exact.",
    };
    await execute({ ...options, compaction: { window: 8_000, keepTurns: 2 } });
    const made = compactions(await store.read("s")).map(({ key }) => Number(key.split("/")[1]));
    expect(made.length).toBeGreaterThan(1);
    expect(made.length).toBeLessThan(6); // not at every step
    const places = [1, ...made, 16];
    for (const [index, start] of places.slice(0, -1).entries())
      prefixes(model.requests.slice(start - 1, places[index + 1]! - 1));
  });

  test("where placeholders are not enough, a model writes a summary; task and last turns stay as they were", async () => {
    const model = noting(steps(14, "tiny"));
    const store = memoryStore();
    const options = { model, tools: [tiny], store, session: "s", iterations: 20, prompt: "Count all of it." };
    const result = await execute({ ...options, compaction: { window: 1_600, keepTurns: 2 }, resultLimit: false });
    const entries = await store.read("s");
    const made = compactions(entries).filter(({ method }) => method === "summary");
    expect(made.length).toBeGreaterThan(0);
    expect(made[0]).toMatchObject({ reason: "window", model: "scripted:script" });
    const written = made.reduce((sum, { usage }) => sum + usage!.inputTokens, 0);
    expect(written).toBe(7 * model.requests.filter(isForNotes).length);
    const messages = made[0]!.messages as Message[];
    expect(messages[0]).toEqual({ role: "user", content: [{ type: "text", text: "Count all of it." }] });
    expect(textOf([messages[1]])).toContain("notes");
    expect(messages.slice(2).map(({ role }) => role)).toEqual(["assistant", "tool", "assistant", "tool"]);
    fine(messages);
    const asked = model.requests.find(isForNotes)!;
    expect(asked.tools).toBeUndefined();
    expect(textOf(asked.prompt)).toContain('Assistant calls tiny: {\\"n\\":0}');
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    const spent = [...ofType(entries, "model-response"), ...made].reduce(
      (sum, { usage }) => sum + usage!.inputTokens,
      0,
    );
    expect(result.usage.inputTokens).toBe(spent);
  });

  test("what the summary costs is part of the run's cost", async () => {
    const notes = scriptedModel(Array(3).fill({ text: "notes", usage: { inputTokens: 1_000 } }), { modelId: "notes" });
    const model = scriptedModel(steps(14, "tiny"));
    const result = await execute({
      ...{ model, tools: [tiny], iterations: 20, prompt: "Count." },
      compaction: { window: 1_600, keepTurns: 2, model: notes },
      prices: (name) => (name === "scripted:notes" ? 1 : 0),
    });
    expect(result.output).toBe("done");
    expect(notes.played).toBeGreaterThan(0);
    expect(result.cost).toBe(notes.played);
    expect(model.requests.some(isForNotes)).toBe(false);
  });

  test("the last prompt of a long session stays as well", async () => {
    const store = memoryStore();
    const session = { store, session: "s", tools: [tiny], iterations: 20, compaction: { window: 1_600, keepTurns: 2 } };
    await execute({ ...session, model: noting(steps(3, "tiny")), prompt: "The very first wish." });
    const model = noting(steps(14, "tiny"));
    await execute({ ...session, model, prompt: "The second wish." });
    const last = compactions(await store.read("s")).at(-1)!;
    expect(last.method).toBe("summary");
    expect(textOf(last.messages)).toContain("The very first wish.");
    expect(textOf(last.messages)).toContain("The second wish.");
    expect(textOf(model.requests.at(-1)!.prompt)).toContain("The second wish.");
  });

  test("images in old results go first, and the last ones stay", async () => {
    const data = "A".repeat(400);
    const look = tool("look", () => ok({}, { content: [image(data), { type: "text", text: words(150) }] }));
    const silent = { ...asks("look"), usage: { inputTokens: 0, outputTokens: 0 } };
    const model = scriptedModel([...Array(5).fill(silent), "done"]);
    const store = memoryStore();
    await execute({
      model,
      tools: [look],
      store,
      session: "s",
      prompt: "Look.",
      compaction: { window: 9_000, keepTurns: 1 },
    });
    const [made] = compactions(await store.read("s"));
    expect(made!.method).toBe("placeholders");
    const outputs = made!.messages.filter(({ role }) => role === "tool").map(({ content }: any) => textOf(content));
    expect(outputs[0]).not.toContain(data);
    expect(outputs[0]).toContain("image/png");
    expect(outputs[0]).toContain("word149"); // the text beside it was not in the way
    expect(outputs.at(-1)).toContain(data);
  });

  test("the session goes on from it in the next run, and in another process", async () => {
    const store = memoryStore();
    const session = { store, session: "s", tools: [big], iterations: 20, compaction: { window: 8_000, keepTurns: 2 } };
    const first = await execute({ ...session, model: scriptedModel(steps(9)), prompt: "Count." });
    const model = scriptedModel([counted("I counted.")]);
    const second = await execute({ ...session, model, prompt: "What did you do?" });
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
    fine(model.requests[0]!.prompt);
    expect(textOf(model.requests[0]!.prompt)).toContain("was taken out to make room");
    const replayed = await execute({
      model: scriptedModel([]),
      tools: [big],
      log: await store.read("s"),
      compaction: false,
    });
    expect(replayed.messages).toEqual(second.messages);
  });

  test("everybody who watches is told, and the log keeps every word", async () => {
    const model = scriptedModel(steps(9));
    const store = memoryStore();
    const options = { model, tools: [big], store, session: "s", iterations: 12, prompt: "Count." };
    const { events } = await watched(execute({ ...options, compaction: { window: 8_000 } }));
    const entries = await store.read("s");
    expect(ofType(events, "compaction")).toEqual(compactions(entries));
    const whole = ofType(entries, "tool-end").map(({ output }) => output);
    expect(whole).toEqual(Array.from({ length: 9 }, (_, n) => `${n}: ${words(400)}`));
  });

  test("secrets are out of it, and one that is a word of the log's does not spoil it", async () => {
    const leaks = tool("leaks", ({ n }) => `${n}: hunter2-hunter2 ${words(400)}`);
    const secrets = { WORD: { static: "placeholders" }, OTHER: { static: "hunter2-hunter2" } };
    const store = memoryStore();
    const options = { tools: [leaks], store, session: "s", iterations: 12, secrets };
    const model = scriptedModel(steps(9, "leaks"));
    await execute({ ...options, model, prompt: "Count.", compaction: { window: 8_000, keepTurns: 2 } });
    const [made] = compactions(await store.read("s"));
    expect(made).toMatchObject({ type: "compaction", reason: "window", method: "placeholders" });
    expect(textOf(made!.messages)).toContain("[REDACTED:OTHER]");
    expect(textOf(model.requests)).not.toContain("hunter2");
  });

  test("result.context is that of what is left", async () => {
    const run = (compaction: false | { window: number; keepTurns: number }) =>
      execute({ model: scriptedModel(steps(9)), tools: [big], iterations: 12, prompt: "Count.", compaction });
    const long = await run(false);
    const short = await run({ window: 8_000, keepTurns: 2 });
    expect(short.context.messages).toBe(Math.ceil(Buffer.byteLength(JSON.stringify(short.messages)) / 4));
    expect(short.context.messages).toBeLessThan(long.context.messages / 2);
    expect(short.context.total).toBeLessThan(8_000);
  });

  test("a model that does not say how much it read is estimated", async () => {
    const silent = Array.from({ length: 9 }, (_, n) => ({
      ...asks(["big", { n }]),
      usage: { inputTokens: 0, outputTokens: 0 },
    }));
    const model = scriptedModel([...silent, "done"]);
    const store = memoryStore();
    const options = { model, tools: [big], store, session: "s", iterations: 12, prompt: "Count." };
    await execute({ ...options, compaction: { window: 8_000, keepTurns: 2 } });
    expect(compactions(await store.read("s")).length).toBeGreaterThan(0);
    for (const request of model.requests) expect(tokensIn(request)).toBeLessThan(8_000);
  });

  test("without options it is done where the model's window is known, and nowhere else", async () => {
    const told = (tokens: number) => ({ ...asks(["big", { n: 1 }]), usage: { inputTokens: tokens, outputTokens: 10 } });
    const run = async (provider: string, modelId: string) => {
      const store = memoryStore();
      const script = [...Array(6).fill(told(10_000)), told(120_000), "done"];
      const model = scriptedModel(script, { provider, modelId });
      await execute({ model, tools: [big], store, session: "s", prompt: "Count." });
      return compactions(await store.read("s"));
    };
    expect(await run("openai.responses", "gpt-4o-mini")).toMatchObject([
      { reason: "window", before: expect.any(Number) },
    ]);
    expect(await run("scripted", "script")).toEqual([]);
  });

  test("programs' reports become placeholders, too; what a program keeps, it has", async () => {
    const code = (text: string) => (request: any) =>
      counted({ toolCalls: [{ name: request.tools[0].name, input: { code: text } }] })(request);
    const model = scriptedModel([
      code("const first = await big({ n: 1 }); return first;"),
      ...Array(4).fill(code("return await big({ n: 2 });")),
      code("return first.slice(0, 10);"),
      "done",
    ]);
    const store = memoryStore();
    const options = { model, mode: "code", tools: [big], store, session: "s", iterations: 12, prompt: "Count." };
    const result = await execute({ ...options, compaction: { window: 4_000, keepTurns: 2 } });
    expect(result.output).toBe("done");
    expect(compactions(await store.read("s")).length).toBeGreaterThan(0);
    const read = Object.values(results(model.requests.at(-1)!.prompt));
    expect(read[0]).toContain("It cannot be read again.");
    expect(read.at(-1)).toContain("1: word0");
  });

  test("false: nothing is ever shortened", async () => {
    const store = memoryStore();
    const model = scriptedModel(steps(11));
    await execute({ model, tools: [big], store, session: "s", iterations: 12, prompt: "Count.", compaction: false });
    expect(compactions(await store.read("s"))).toEqual([]);
    expect(tokensIn(model.requests.at(-1)!)).toBeGreaterThan(8_000);
  });

  test("with exits and a typed end it is the same", async () => {
    const finish = new Exit({ name: "finish" });
    const model = scriptedModel([...steps(9).slice(0, -1), asks(["finish", {}])]);
    const options = { model, tools: [big], exits: [finish], iterations: 12, prompt: "Count." };
    const result = await execute({ ...options, compaction: { window: 8_000, keepTurns: 2 } });
    expect(result.is(finish)).toBe(true);
    fine(result.messages);
  });

  test.each([
    ["window", 0],
    ["share", 1.5],
    ["keepTurns", 0],
    ["compactor", "mine"],
    ["windows", 1],
  ])("compaction.%s: %s does not fit", async (name, value) => {
    const run = execute({
      model: scriptedModel([]),
      prompt: "go",
      compaction: { [name]: value } as any,
      logger: quiet,
    });
    await expect(run).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
  });
});

function image(data: string) {
  return { type: "image" as const, data, mediaType: "image/png" };
}

function prefixes(requests: readonly { prompt: any[] }[]): void {
  for (const [index, { prompt }] of requests.slice(1).entries()) {
    const before = requests[index]!.prompt.map((message) => JSON.stringify(message));
    expect(prompt.slice(0, before.length).map((message) => JSON.stringify(message))).toEqual(before);
  }
}
