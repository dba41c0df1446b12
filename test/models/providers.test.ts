import { describe, expect, test } from "vitest";
import { startProviderServer } from "../helpers/provider-server/index.ts";
import { addTool, call, hello, type Mode, modelOf, providerList } from "./call.ts";

const step = {
  reasoning: "let me think",
  text: "Héllo 🙂",
  pieces: ["Hé", "llo 🙂"],
  toolCalls: [
    { name: "add", input: { a: 1, b: 2 } },
    { name: "add", input: { a: 3, b: 4 } },
  ],
  usage: { input: 100, cacheRead: 64, cacheWrite: 10, output: 20, reasoning: 7 },
};

const prompt = [{ role: "system", content: "Be brief." }, ...hello];

describe.each(providerList)("%s", (provider) => {
  test.each<Mode>(["generate", "stream"])("%s: text, reasoning, parallel calls and usage arrive", async (mode) => {
    await using server = await startProviderServer([step]);
    const model = await modelOf(provider, server);
    const called = await call(model, { prompt, tools: [addTool] }, mode);

    expect(called.errors).toEqual([]);
    const of = (type: string) => called.content.filter((part) => part.type === type);
    expect(of("text").map((part) => part.text)).toEqual(["Héllo 🙂"]);
    expect(of("reasoning").map((part) => part.text)).toEqual(["let me think"]);
    expect(of("tool-call").map((part) => [part.toolName, JSON.parse(part.input)])).toEqual([
      ["add", { a: 1, b: 2 }],
      ["add", { a: 3, b: 4 }],
    ]);
    expect(new Set(of("tool-call").map((part) => part.toolCallId)).size).toBe(2);
    expect(called.finishReason.unified).toBe("tool-calls");
    expect(called.usage.inputTokens).toMatchObject({ total: 100, cacheRead: 64 });
    expect(called.usage.outputTokens.total).toBe(20);
  });

  test("the request says what was asked", async () => {
    await using server = await startProviderServer();
    const model = await modelOf(provider, server);
    await call(model, { prompt, tools: [addTool] }, "stream");

    const [request] = server.requests;
    expect(request).toMatchObject({ system: "Be brief.", lastUserText: "hi", stream: true, model: model.modelId });
    expect(request!.tools).toMatchObject([{ name: "add", description: "Adds two numbers." }]);
    expect(request!.tools[0]!.parameters.required).toEqual(["a", "b"]);
    expect(JSON.stringify(request!.headers)).toContain(
      provider === "ollama" ? "openai-compatible" : `key-of-${provider}`,
    );
  });
});

test.each(["openrouter", "ollama", "openai-compatible"] as const)(
  "%s is asked for the usage of a stream",
  async (provider) => {
    await using server = await startProviderServer();
    await call(await modelOf(provider, server), { prompt }, "stream");
    expect(server.requests[0]!.body.stream_options).toEqual({ include_usage: true });
  },
);

test("cache writes are told where the protocol can tell them", async () => {
  await using server = await startProviderServer([step, step]);
  for (const provider of ["anthropic", "openrouter"] as const) {
    const { usage } = await call(await modelOf(provider, server), { prompt }, "stream");
    expect(usage.inputTokens.cacheWrite).toBe(10);
  }
});

test("Ollama's malformed line is an error, not a hole in the answer", async () => {
  await using server = await startProviderServer([{ text: "Hello", fault: "malformed" }]);
  const { errors } = await call(await modelOf("ollama", server), { prompt }, "stream");
  expect(errors).toHaveLength(1);
});
