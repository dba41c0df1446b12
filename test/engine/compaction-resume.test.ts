import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LOG_VERSION } from "../../src/core/log.ts";
import { estimateTokens } from "../../src/core/message.ts";
import { compactLog } from "../../src/engine/compaction/of-log.ts";
import { type Message, Snapshot } from "../../src/index.ts";
import { traitsOf } from "../../src/models/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { compactions, counted, isForNotes, textOf, tokensIn, words } from "./compaction-support.ts";
import { asks, execute, faults, ofType, scriptedModel, tool } from "./support.ts";

const overflow = Object.assign(new Error("prompt is too long: 9 tokens > 8 maximum"), { statusCode: 400 });
const gives = tool("gives", ({ n }) => words(n), { idempotent: true, readOnly: true });

/** The n-th answer of a session, whoever asks, told by the last numbered word that the model has said itself. */
function byPlace(sizes: readonly number[], most = Number.POSITIVE_INFINITY) {
  const answer = (request: any) => {
    if (isForNotes(request)) return { text: `notes up to ${placeIn(request.prompt)}`, usage: { inputTokens: 5 } };
    if (tokensIn(request) > most) return { error: overflow };
    const place = placeIn(request.prompt) + 1;
    if (place > sizes.length) return "done";
    const toolCalls = [{ id: `call ${place}`, name: "gives", input: { n: sizes[place - 1] } }];
    return counted({ text: `step ${place}.`, toolCalls })(request);
  };
  return scriptedModel(Array(80).fill(answer));
}

function placeIn(prompt: readonly unknown[]): number {
  return Math.max(
    0,
    ...[...textOf(prompt).matchAll(/(?:step|notes up to) (\d+)/g)].map(([, number]) => Number(number)),
  );
}

describe("cut at every place of its log, a run goes on to the same conversation", () => {
  test.each([
    ["placeholders", Array(8).fill(400), { window: 6_000, keepTurns: 2 }, undefined],
    ["summaries", Array(12).fill(40), { window: 1_800, keepTurns: 2 }, undefined],
    ["overflows", Array(6).fill(500), {}, 4_000],
  ])("with %s", async (_, sizes, compaction, most) => {
    const store = memoryStore();
    const options = { tools: [gives], iterations: 30, compaction, prompt: "Go." };
    const whole = await execute({ ...options, model: byPlace(sizes, most), store, session: "s" });
    expect(whole.output).toBe("done");
    const kept = await store.read("s");
    expect(compactions(kept).length).toBeGreaterThan(0);
    for (let length = 2; length <= kept.length; length++) {
      const log = JSON.parse(JSON.stringify(kept.slice(0, length)));
      const kind = memoryStore();
      const again = await execute({
        ...options,
        prompt: undefined,
        model: byPlace(sizes, most),
        log,
        store: kind,
        session: "s",
      });
      expect(again.messages).toEqual(whole.messages);
      expect(again.usage).toEqual(whole.usage);
      expect(compactions(await kind.read("s")).map(({ key }) => key)).toEqual(compactions(kept).map(({ key }) => key));
    }
  });

  test("also where somebody said something while the summary was written", async () => {
    const store = memoryStore();
    const inner = byPlace(Array(12).fill(40));
    const options = { tools: [gives], iterations: 30, compaction: { window: 1_800, keepTurns: 2 } };
    let isSaid = false;
    const speaking = {
      ...inner,
      doGenerate: async (request: any) => {
        if (isForNotes(request) && !isSaid) isSaid = run.steer("Faster, please.");
        return inner.doGenerate(request);
      },
    };
    const run = execute({ ...options, model: speaking, store, session: "s", prompt: "Go." });
    const whole = await run;
    expect(isSaid).toBe(true);
    expect(textOf(whole.messages) + textOf(compactions(await store.read("s")))).toContain("Faster, please.");
    const kept = await store.read("s");
    const replayed = await execute({ ...options, model: scriptedModel([]), log: kept });
    expect(replayed.messages).toEqual(whole.messages);
    const said = kept.findIndex((entry) => entry.type === "message" && entry.via === "steer");
    for (const length of [said + 1, said + 2, said + 3, said + 6]) {
      const again = await execute({ ...options, model: byPlace(Array(12).fill(40)), log: kept.slice(0, length) });
      expect(again.messages).toEqual(whole.messages);
    }
  });

  test("and so does a fork, which can read what its placeholders name", async () => {
    const store = memoryStore();
    const options = { tools: [gives], iterations: 30, compaction: { window: 6_000, keepTurns: 2 } };
    await execute({ ...options, model: byPlace(Array(8).fill(400)), store, session: "s", prompt: "Go." });
    const kept = await store.read("s");
    const run = kept[0]!.key;
    const fork = Snapshot.from({ v: 1, run, entries: kept.slice(0, -3) }).fork();
    const reads = (request: any) => {
      const [, call] = /read_result\(\{ \\\\?"call\\\\?": \\\\?"([^\\"]+)/.exec(textOf(request.prompt))!;
      expect(call).toContain(run);
      return asks(["read_result", { call, limit: 20 }]);
    };
    const model = scriptedModel([reads, "done"]);
    const result = await execute({ ...options, model, log: fork.toJSON() });
    expect(result.output).toBe("done");
    expect(JSON.stringify(result.messages)).toContain("[Characters 0 to 20 of");
  });
});

const call = fc.record({ n: fc.integer({ min: 0, max: 900 }), image: fc.boolean() });
const turn = fc.oneof(
  { weight: 3, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom("answer", "asked") },
);

/** A conversation of any form that a run can leave behind. */
function conversation(turns: ({ n: number; image: boolean }[] | string)[]): Message[] {
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "the task" }] }];
  for (const [index, turn] of turns.entries()) {
    if (turn === "asked") messages.push({ role: "user", content: [{ type: "text", text: `said ${index}` }] });
    else if (typeof turn === "string")
      messages.push({ role: "assistant", content: [{ type: "text", text: `${turn} ${index} ${words(60)}` }] });
    else messages.push(...step(index, turn));
  }
  return messages;
}

function step(index: number, calls: { n: number; image: boolean }[]): Message[] {
  const id = (place: number) => `${index}-${place}`;
  const reasoning = {
    type: "reasoning" as const,
    text: "hm",
    providerOptions: { scripted: { signature: `s${index}` } },
  };
  const asked = calls.map((_, place) => ({
    type: "tool-call" as const,
    toolCallId: id(place),
    toolName: "t",
    input: {},
  }));
  const content = calls.map(({ n, image }, place) => ({
    ...{ type: "tool-result" as const, toolCallId: id(place), toolName: "t" },
    output: image
      ? {
          type: "content" as const,
          value: [
            { type: "text" as const, text: words(n) },
            { type: "image-data" as const, data: "AAAA", mediaType: "image/png" },
          ],
        }
      : { type: "text" as const, value: words(n) },
  }));
  return [
    { role: "assistant", content: [reasoning, ...asked] },
    { role: "tool", content },
  ];
}

test("any conversation, in any window: pairs are whole, the task and the last turn are kept, and it is shorter", async () => {
  let made = 0;
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { maxLength: 25 }),
      fc.integer({ min: 300, max: 12_000 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (turns, window, keepTurns, fails) => {
        const messages = conversation(turns);
        const answer = (request: any) => (isForNotes(request) ? (fails ? { text: "" } : "notes") : "done");
        const store = memoryStore();
        const logger = { debug() {}, info() {}, warn() {}, error() {} };
        const options = {
          messages,
          prompt: "the last wish",
          compaction: { window, keepTurns },
          logger,
          modelLimits: { attempts: 1 },
        };
        const model = scriptedModel(Array(60).fill(answer));
        const result = await execute({ ...options, model, store, session: "s" });
        expect(result.output).toBe("done");
        const [entry] = compactions(await store.read("s"));
        if (!entry) return;
        made++;
        expect(faults(entry.messages)).toEqual([]);
        expect(entry.messages[0]).toEqual(messages[0]);
        expect(entry.after).toBeLessThan(entry.before);
        expect(entry.messages.at(-1)).toEqual({ role: "user", content: [{ type: "text", text: "the last wish" }] });
        const thoughts = new Set(
          messages.flatMap(({ content }) => (content as unknown[]).map((part) => JSON.stringify(part))),
        );
        const answers = entry.messages.filter(({ role }) => role === "assistant");
        for (const part of answers.flatMap(({ content }) => content as unknown[]))
          expect(thoughts).toContain(JSON.stringify(part));
        const last = messages.slice(messages.map(({ role }) => role).lastIndexOf("assistant"));
        const fits = keepTurns > 1 && last.length < messages.length && estimated(last) < window * 0.3;
        if (!fits) return;
        judged++;
        expect(entry.messages.slice(-1 - last.length, -1)).toEqual(last); // word for word
      },
    ),
    { numRuns: 200 },
  );
  expect(made).toBeGreaterThan(30);
  expect(judged).toBeGreaterThan(10);
});

function estimated(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateTokens(message), 0);
}

describe("a session that rests", () => {
  const rooms = {
    model: () => Promise.reject(new Error("nobody is asked by name")),
    traits: traitsOf,
    contextWindow: async () => undefined,
  };
  const logger = { debug() {}, info() {}, warn() {}, error() {} };

  async function session() {
    const store = memoryStore();
    const options = { tools: [gives], iterations: 30, store, session: "s" };
    await execute({ ...options, model: byPlace(Array(8).fill(40)), prompt: "Go." });
    return { store, options, entries: await store.read("s") };
  }

  test("is summed up when somebody asks, and goes on from there", async () => {
    const { store, options, entries } = await session();
    const model = byPlace([]);
    const made = (await compactLog(entries, { reason: "asked", model, rooms, logger }))!;
    expect(made.key).toBe(entries[0]!.key);
    expect(made.body).toMatchObject({
      reason: "asked",
      method: "summary",
      upTo: entries.length - 1,
      usage: { inputTokens: 5 },
    });
    const entry = {
      v: LOG_VERSION as typeof LOG_VERSION,
      seq: entries.length,
      at: Date.now(),
      key: made.key,
      ...made.body,
    };
    await store.append("s", [entry], { epoch: 0 });
    const next = scriptedModel(["Hello."]);
    const result = await execute({ ...options, model: next, prompt: "And?" });
    expect(result.messages.slice(0, -2)).toEqual(made.body.messages);
    expect(textOf(next.requests[0]!.prompt)).toContain("notes up to");
    expect(result.usage.inputTokens).toBe(10); // what somebody else asked for is not of this run
  });

  test("is cleared, and begins anew; its log has everything", async () => {
    const { store, options, entries } = await session();
    const made = (await compactLog(entries, { reason: "clear", rooms, logger }))!;
    expect(made.body).toMatchObject({ reason: "clear", method: "cleared", messages: [], after: 0 });
    await store.append(
      "s",
      [{ v: LOG_VERSION as typeof LOG_VERSION, seq: entries.length, at: Date.now(), key: made.key, ...made.body }],
      {
        epoch: 0,
      },
    );
    const model = scriptedModel(["Hello."]);
    const result = await execute({ ...options, model, prompt: "Who am I?" });
    expect(model.requests[0]!.prompt).toEqual([{ role: "user", content: [{ type: "text", text: "Who am I?" }] }]);
    expect(result.messages).toHaveLength(2);
    expect(ofType(await store.read("s"), "tool-end")).toHaveLength(8);
  });

  test("that is empty has nothing to make shorter", async () => {
    expect(await compactLog([], { reason: "asked", rooms, logger })).toBeUndefined();
    expect(await compactLog([], { reason: "clear", rooms, logger })).toBeUndefined();
  });

  test("is left as it is when the asking is aborted", async () => {
    const { entries } = await session();
    const abort = new AbortController();
    const model = scriptedModel([{ text: "late", delayMs: 60_000 }]);
    const asked = compactLog(entries, { reason: "asked", model, rooms, logger, abortSignal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(asked).rejects.toThrow("enough");
  });
});
