import { describe, expect, test } from "vitest";
import { execute } from "../../../src/index.ts";
import { type ProviderName, type RecordedRequest, startProviderServer } from "../../helpers/provider-server/index.ts";
import {
  addTool,
  environment,
  lookTool,
  modelNames,
  nameOf,
  ofType,
  playAt,
  png,
  providerList,
  shownText,
  ways,
} from "./support.ts";

const thinking = {
  reasoning: "let me think",
  signature: "signed+by/the=provider",
  toolCalls: [
    { name: "add", input: { a: 1, b: 2 } },
    { name: "add", input: { a: 3, b: 4 } },
  ],
};
const usage = { input: 100, cacheRead: 40, output: 20, reasoning: 5 };

/** What a provider wants back, read off the wire. */
const wanted: Partial<Record<ProviderName, { text: string; signature: string | undefined }[]>> = {
  openai: [{ text: "let me think", signature: thinking.signature }],
  anthropic: [{ text: "let me think", signature: thinking.signature }],
  openrouter: [{ text: "let me think", signature: thinking.signature }],
  google: [
    { text: "let me think", signature: undefined },
    { text: "", signature: thinking.signature },
  ],
};

describe.each(providerList)("%s", (provider) => {
  test.each(ways)("three steps, %s: calls, results, reasoning, usage", async (way) => {
    await using server = await startProviderServer([
      { ...thinking, usage },
      { text: "One more.", toolCalls: [{ name: "add", input: { a: 5, b: 6 } }], signature: "second", usage },
      { pieces: ["It is ", "11."], usage },
    ]);
    using _env = environment(server);
    const made: unknown[] = [];
    const options = { model: nameOf(provider), tools: [addTool(made)], instructions: "Add well.", prompt: "go" };
    const run = execute(options);
    const events = [];
    if (way === "watched") for await (const event of run) events.push(event);
    const result = await run;

    expect(result).toMatchObject({ status: "success", stopReason: "text", output: "It is 11." });
    expect(made).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
      { a: 5, b: 6 },
    ]);
    const { requests } = server;
    expect(requests.map(({ stream, system }) => [stream, system])).toEqual(
      Array.from({ length: 3 }, () => [way === "watched", "Add well."]),
    );
    expect(requests[0]!.tools.map(({ name }) => name)).toEqual(["add"]);
    expect(requests[1]!.toolResults.map(({ text }) => text)).toEqual(["3", "7"]);
    expect(requests[2]!.toolResults.map(({ text }) => text)).toEqual(["3", "7", "11"]);
    const calls = requests[2]!.messages.flatMap(({ toolCalls }) => toolCalls);
    expect(calls.map(({ input }) => input)).toEqual(made);
    expect(requests[2]!.toolResults.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
    expect(requests[1]!.reasoning).toEqual(wanted[provider] ?? [{ text: "let me think", signature: undefined }]);
    expect(requests[2]!.reasoning.slice(0, requests[1]!.reasoning.length)).toEqual(requests[1]!.reasoning);
    expect(result.usage).toMatchObject({ inputTokens: 300, outputTokens: 60, cacheReadTokens: 120 });
    if (way === "watched") {
      expect(
        ofType(events, "reasoning-delta")
          .map(({ text }) => text)
          .join(""),
      ).toBe("let me think");
      expect(
        ofType(events, "text-delta")
          .map(({ text }) => text)
          .join(""),
      ).toBe("One more.It is 11.");
      expect(new Set(ofType(events, "tool-input-delta").map(({ name }) => name))).toEqual(new Set(["add"]));
    }
  });

  test("what was sent once is sent again byte for byte, with what is new after it", async () => {
    await using server = await startProviderServer([
      thinking,
      { text: "Look.", toolCalls: [{ name: "look", input: {} }] },
      { reasoning: "so it is", toolCalls: [{ name: "add", input: { a: 1, b: 1 } }] },
      { text: "Done." },
    ]);
    const { result } = await playAt(provider, server, {
      tools: [addTool(), lookTool("a cat")],
      instructions: "Be stable.",
    });
    expect(result.status).toBe("success");
    const sent = server.requests.map(partsOf);
    expect(sent).toHaveLength(4);
    for (const [index, request] of sent.entries()) {
      const next = sent[index + 1];
      if (!next) break;
      expect(next.rest).toBe(request.rest);
      expect(next.messages.length).toBeGreaterThan(request.messages.length);
      expect(next.messages.slice(0, request.messages.length)).toEqual(request.messages);
    }
  });

  test.each(["a cat", undefined])("an image in a tool's result is an image on the wire (words: %s)", async (words) => {
    await using server = await startProviderServer([
      {
        toolCalls: [
          { name: "look", input: {} },
          { name: "add", input: { a: 1, b: 2 } },
          { name: "look", input: {} },
        ],
      },
      { text: "A cat." },
    ]);
    const { result } = await playAt(provider, server, { tools: [addTool(), lookTool(words)] }, "awaited");
    expect(result.output).toBe("A cat.");
    const second = server.requests[1]!;
    const images = second.messages.flatMap((message) => [
      ...message.images,
      ...message.toolResults.flatMap((one) => one.images),
    ]);
    expect(images).toEqual([
      { mediaType: "image/png", data: png },
      { mediaType: "image/png", data: png },
    ]);
    expect(second.toolResults).toHaveLength(3);
    expect(JSON.stringify(second.toolResults.map(({ text }) => text))).not.toContain(png);
    if (words) expect(second.toolResults[0]!.text).toContain("a cat");
    const last = second.messages.at(-1)!;
    if (last.role === "user") expect(last.text).toContain("From the result of look");
  });

  test("an image that the user shows is an image on the wire", async () => {
    await using server = await startProviderServer([{ text: "A cat." }]);
    const file = { type: "file" as const, mediaType: "image/png", data: png };
    await playAt(provider, server, { prompt: [{ type: "text", text: "What is it?" }, file] }, "awaited");
    expect(server.requests[0]!.messages).toMatchObject([
      { role: "user", text: "What is it?", images: [{ mediaType: "image/png", data: png }] },
    ]);
  });

  test.each(ways)("an answer that was cut off at its limit is no success, %s", async (way) => {
    await using server = await startProviderServer([{ text: "Once upon a", finish: "length" }]);
    const { result } = await playAt(provider, server, {}, way);
    expect(result).toMatchObject({ status: "error", stopReason: "model", output: undefined });
    expect(result.isError() && result.error.code).toBe("MODEL_OUTPUT_LIMIT");
    expect(server.requests).toHaveLength(1);
  });

  test.each(ways)("a call that was cut off at the limit is not made, %s", async (way) => {
    const made: unknown[] = [];
    const toolCalls = [{ name: "add", input: { a: 1, b: 2 } }];
    await using server = await startProviderServer([{ toolCalls, finish: "length" }]);
    const { result } = await playAt(provider, server, { tools: [addTool(made)] }, way);
    expect(result.isError() && result.error.code).toBe("MODEL_OUTPUT_LIMIT");
    expect(made).toEqual([]);
  });

  test.each(ways)("an answer that the provider's filter stopped is no success, %s", async (way) => {
    await using server = await startProviderServer([{ text: "Well", finish: "content-filter" }]);
    const { result } = await playAt(provider, server, {}, way);
    expect(result.isError() && result.error.code).toBe("MODEL_CONTENT_FILTER");
  });

  test.each(ways)("an answer without a word is asked for again, %s", async (way) => {
    await using server = await startProviderServer([{ reasoning: "hm", text: "" }, { text: "Here." }]);
    const { result, events } = await playAt(provider, server, {}, way);
    expect(result.output).toBe("Here.");
    expect(server.requests).toHaveLength(2);
    if (way === "watched") expect(shownText(events)).toBe("Here.");
  });
});

/**
 * The messages of a request as text, and everything else of it. Cache marks move, and are no part of a message; text
 * with a mark is a list of one, for OpenRouter, and without a mark it is text.
 */
function partsOf({ body }: RecordedRequest): { messages: string[]; rest: string } {
  const { messages, input, contents, ...rest } = body;
  const list: unknown[] = messages ?? input ?? contents;
  const withoutMarks = (key: string, value: any) => {
    if (key === "content" && value?.length === 1 && value[0].type === "text") return value[0].text;
    return key === "cache_control" ? undefined : value;
  };
  return { messages: list.map((one) => JSON.stringify(one, withoutMarks)), rest: JSON.stringify(rest) };
}

function marksOf(value: unknown, path = "", found: string[] = []): string[] {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, item] of Object.entries(value)) {
    if (key === "cache_control") found.push(path);
    else marksOf(item, `${path}/${key}`, found);
  }
  return found;
}

describe("cache marks", () => {
  const script = [thinking, { toolCalls: [{ name: "look", input: {} }] }, { text: "Done." }];
  const options = { tools: [addTool(), lookTool("a cat")], instructions: "Be stable." };

  test.each<[ProviderName, string]>([
    ["anthropic", "/system/0"],
    ["openrouter", "/messages/0/content/0"],
  ])("%s: at the system message and at the end, nowhere else", async (provider, system) => {
    await using server = await startProviderServer(script);
    await playAt(provider, server, options);
    for (const { body } of server.requests) {
      const marks = marksOf(body);
      expect(marks).toHaveLength(2);
      expect(marks[0]).toBe(system);
      expect(marks[1]).toMatch(new RegExp(`^/messages/${body.messages.length - 1}(/|$)`));
    }
  });

  test("without instructions the end alone is marked", async () => {
    await using server = await startProviderServer([{ text: "Hi" }]);
    await playAt("anthropic", server);
    expect(marksOf(server.requests[0]!.body)).toEqual(["/messages/0/content/0"]);
  });

  test.each(providerList.filter((provider) => provider !== "anthropic" && provider !== "openrouter"))(
    "%s gets none",
    async (provider) => {
      await using server = await startProviderServer(script);
      await playAt(provider, server, options);
      expect(server.requests.flatMap(({ body }) => marksOf(body))).toEqual([]);
    },
  );
});

test("names of models are what the log keeps", async () => {
  await using server = await startProviderServer([{ text: "Hi" }]);
  const { entries } = await playAt("openai", server);
  expect(ofType(entries, "model-response")[0]!.model).toBe(`openai.responses:${modelNames.openai}`);
});
