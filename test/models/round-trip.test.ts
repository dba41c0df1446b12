import { describe, expect, test } from "vitest";
import { traitsOf } from "../../src/models/index.ts";
import { type ProviderName, startProviderServer } from "../helpers/provider-server/index.ts";
import { addTool, assistantOf, call, hello, type Mode, modelOf, providerList, toolResults } from "./call.ts";

const png = Buffer.from("not really a picture").toString("base64");

const pictureOutput = {
  type: "content",
  value: [
    { type: "text", text: "the picture" },
    { type: "image-data", data: png, mediaType: "image/png" },
  ],
};

const thinking = {
  reasoning: "let me think",
  signature: "signed+by/the=provider",
  toolCalls: [
    { name: "add", input: { a: 1, b: 2 } },
    { name: "add", input: { a: 3, b: 4 } },
  ],
};

/** What a provider wants back, read off the wire. */
const signed: Partial<Record<ProviderName, { text: string; signature: string | undefined }[]>> = {
  openai: [{ text: "let me think", signature: thinking.signature }],
  anthropic: [{ text: "let me think", signature: thinking.signature }],
  openrouter: [{ text: "let me think", signature: thinking.signature }],
  google: [
    { text: "let me think", signature: undefined },
    { text: "", signature: thinking.signature },
  ],
};
const unsigned = [{ text: "let me think", signature: undefined }];

describe.each(providerList)("%s", (provider) => {
  test.each<Mode>(["generate", "stream"])("%s: reasoning, calls and results go back unchanged", async (mode) => {
    await using server = await startProviderServer([thinking, { text: "done" }]);
    const model = await modelOf(provider, server);
    const options = { tools: [addTool], providerOptions: traitsOf(model).providerOptions };
    const { content } = await call(model, { ...options, prompt: hello }, mode);
    const results = toolResults(content, (index) => ({ type: "text", value: `result ${index}` }));
    await call(model, { ...options, prompt: [...hello, assistantOf(content), results] }, mode);

    const second = server.requests[1]!;
    expect(second.reasoning).toEqual(signed[provider] ?? unsigned);
    const calls = second.messages.flatMap((message) => message.toolCalls);
    expect(calls.map((sent) => sent.input)).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    expect(second.toolResults.map((result) => result.text)).toEqual(["result 0", "result 1"]);
    expect(second.toolResults.map((result) => result.id)).toEqual(calls.map((sent) => sent.id));
  });

  test("an image in the result of a tool is an image on the wire, exactly where the traits say so", async () => {
    await using server = await startProviderServer([thinking, { text: "done" }]);
    const model = await modelOf(provider, server);
    const { content } = await call(model, { prompt: hello }, "generate");
    await call(
      model,
      { prompt: [...hello, assistantOf(content), toolResults(content, () => pictureOutput)] },
      "generate",
    );

    const [result] = server.requests[1]!.toolResults;
    if (traitsOf(model).toolResultImages) {
      expect(result).toMatchObject({ text: "the picture", images: [{ mediaType: "image/png", data: png }] });
    } else {
      expect(result!.images).toEqual([]);
      expect(result!.text).toContain(png);
    }
  });

  test("an image in a message of the user after the results arrives", async () => {
    await using server = await startProviderServer([thinking, { text: "done" }]);
    const model = await modelOf(provider, server);
    const { content } = await call(model, { prompt: hello }, "generate");
    const results = toolResults(content, () => ({ type: "text", value: "see the next message" }));
    const picture = {
      role: "user",
      content: [
        { type: "text", text: "the picture" },
        { type: "file", mediaType: "image/png", data: png },
      ],
    };
    await call(model, { prompt: [...hello, assistantOf(content), results, picture] }, "generate");

    const { messages } = server.requests[1]!;
    expect(messages.map((message) => message.role)).toEqual(
      provider === "openai" || provider === "anthropic" || provider === "google"
        ? ["user", "assistant", "tool", "user"]
        : ["user", "assistant", "tool", "tool", "user"],
    );
    expect(messages.at(-1)).toMatchObject({ text: "the picture", images: [{ mediaType: "image/png", data: png }] });
  });
});

test("a Gemini before 3 gets the image beside the result", async () => {
  await using server = await startProviderServer([thinking, { text: "done" }]);
  const model = await modelOf("google", server, "gemini-2.5-flash");
  const { content } = await call(model, { prompt: hello }, "generate");
  await call(
    model,
    { prompt: [...hello, assistantOf(content), toolResults(content, () => pictureOutput)] },
    "generate",
  );
  expect(server.requests[1]!.toolResults[0]).toMatchObject({ images: [{ mediaType: "image/png", data: png }] });
});

test("Google signs the end of a text, too", async () => {
  await using server = await startProviderServer([{ reasoning: "hm", text: "Hi", signature: "s1" }, { text: "done" }]);
  const model = await modelOf("google", server);
  const { content } = await call(model, { prompt: hello }, "stream");
  await call(model, { prompt: [...hello, assistantOf(content), ...hello] }, "stream");
  expect(server.requests[1]!.reasoning).toContainEqual({ text: "", signature: "s1" });
});

test("without `store: false`, OpenAI is sent ids instead of reasoning", async () => {
  await using server = await startProviderServer([thinking, { text: "done" }]);
  const model = await modelOf("openai", server);
  const { content } = await call(model, { prompt: hello }, "generate");
  const results = toolResults(content, () => ({ type: "text", value: "ok" }));
  await call(model, { prompt: [...hello, assistantOf(content), results] }, "generate");
  expect(server.requests[1]!.reasoning).toEqual([]);
  expect(JSON.stringify(server.requests[1]!.body.input)).toContain("item_reference");
});

describe.each(providerList)("the finish of %s", (provider) => {
  test("has the provider's word, and none after a broken stream, where the traits say so", async () => {
    const halfCall = { toolCalls: [{ name: "add", input: { a: 1, b: 2 } }], fault: "truncated" as const };
    await using server = await startProviderServer([{ text: "Hello" }, halfCall]);
    const model = await modelOf(provider, server);
    const whole = await call(model, { prompt: hello }, "stream");
    const broken = await call(model, { prompt: hello }, "stream");

    expect(whole.finishReason.unified).toBe("stop");
    expect(traitsOf(model).finishHasRaw).toBe(whole.finishReason.raw !== undefined);
    expect(broken.finishReason.raw).toBeUndefined();
  });
});
