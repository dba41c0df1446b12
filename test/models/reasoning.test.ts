import { describe, expect, test } from "vitest";
import type { ReasoningEffort } from "../../src/core/model.ts";
import { reasoningOptions, traitsOf } from "../../src/models/index.ts";
import { type ProviderName, startProviderServer } from "../helpers/provider-server/index.ts";
import { call, hello, modelOf } from "./call.ts";

const efforts: ReasoningEffort[] = ["none", "low", "medium", "high", "dynamic"];

/** The part of a request's body that says how hard to think. */
const reasoningIn: Record<ProviderName, (body: any) => unknown> = {
  openai: (body) => body.reasoning?.effort,
  anthropic: ({ thinking, output_config }) =>
    [thinking?.type, thinking?.budget_tokens ?? output_config?.effort].filter(Boolean).join(" ") || undefined,
  google: ({ generationConfig: { thinkingConfig } }) => thinkingConfig?.thinkingLevel ?? thinkingConfig?.thinkingBudget,
  cerebras: (body) => body.reasoning_effort,
  groq: (body) => body.reasoning_effort,
  openrouter: (body) => body.reasoning?.effort ?? body.reasoning?.enabled,
  ollama: (body) => body.reasoning_effort,
  "openai-compatible": (body) => body.reasoning_effort,
};

const _ = undefined;

/** What reaches the wire for none, low, medium, high and dynamic. */
const table: [ProviderName, string, unknown[]][] = [
  ["openai", "gpt-5.1", ["none", "low", "medium", "high", _]],
  ["openai", "gpt-5-mini", ["minimal", "low", "medium", "high", _]],
  ["openai", "gpt-5.1-codex", ["low", "low", "medium", "high", _]],
  ["openai", "o4-mini", ["low", "low", "medium", "high", _]],
  ["openai", "gpt-4.1", [_, _, _, _, _]],
  ["openai", "gpt-5-chat-latest", [_, _, _, _, _]],
  ["anthropic", "claude-sonnet-4-6", ["disabled", "adaptive low", "adaptive medium", "adaptive high", "adaptive"]],
  ["anthropic", "claude-opus-5", ["disabled", "adaptive low", "adaptive medium", "adaptive high", "adaptive"]],
  ["anthropic", "claude-opus-4-20250514", ["disabled", "enabled 2048", "enabled 8192", "enabled 16384", _]],
  ["anthropic", "claude-haiku-4-5-20251001", ["disabled", "enabled 2048", "enabled 8192", "enabled 16384", _]],
  ["anthropic", "claude-3-7-sonnet-latest", ["disabled", "enabled 2048", "enabled 8192", "enabled 16384", _]],
  ["anthropic", "claude-3-5-haiku-latest", [_, _, _, _, _]],
  ["google", "gemini-2.5-flash", [0, 1024, 8192, 24576, -1]],
  ["google", "gemini-2.5-pro", [128, 1024, 8192, 24576, -1]],
  ["google", "gemini-3-pro-preview", ["low", "low", "high", "high", _]],
  ["google", "gemini-3.8-flash", ["low", "low", "medium", "high", _]],
  ["google", "gemini-2.0-flash", [_, _, _, _, _]],
  ["cerebras", "gpt-oss-120b", ["low", "low", "medium", "high", _]],
  ["cerebras", "zai-glm-4.7", ["none", _, _, _, _]],
  ["cerebras", "llama3.1-8b", [_, _, _, _, _]],
  ["groq", "openai/gpt-oss-20b", ["low", "low", "medium", "high", _]],
  ["groq", "qwen/qwen3-32b", ["none", "default", "default", "default", _]],
  ["groq", "llama-3.3-70b-versatile", [_, _, _, _, _]],
  ["openrouter", "openai/gpt-5", ["none", "low", "medium", "high", true]],
  ["ollama", "qwen3:4b", ["none", "low", "medium", "high", _]],
  ["openai-compatible", "some-model", ["none", "low", "medium", "high", _]],
];

describe("reasoningOptions, on the wire", () => {
  test.each(table)("%s %s", async (provider, name, expected) => {
    await using server = await startProviderServer();
    const model = await modelOf(provider, server, name);
    for (const effort of efforts) await call(model, { prompt: hello, ...reasoningOptions(model, effort) }, "generate");
    expect(server.requests.map(({ body }) => reasoningIn[provider](body))).toEqual(expected);
  });
});

const fake = (provider: string, modelId: string, specificationVersion = "v3") => ({
  specificationVersion,
  provider,
  modelId,
  doGenerate: async () => ({}),
  doStream: async () => ({}),
});

test("the spec V4 has a word of its own", () => {
  const model = fake("openai.responses", "gpt-5", "v4");
  expect(reasoningOptions(model, "high")).toEqual({ reasoning: "high" });
  expect(reasoningOptions(model, "dynamic")).toEqual({});
});

test("Claude and Gemini are known behind other doors", () => {
  expect(reasoningOptions(fake("vertex.anthropic.messages", "claude-opus-4-6@20260101"), "low")).toMatchObject({
    providerOptions: { anthropic: { effort: "low" } },
  });
  expect(reasoningOptions(fake("google.vertex.chat", "gemini-2.5-pro"), "low")).toMatchObject({
    providerOptions: { google: { thinkingConfig: { thinkingBudget: 1024 } } },
  });
  expect(reasoningOptions(fake("amazon-bedrock", "some-model"), "low")).toEqual({});
});

test("traits of models that users bring", () => {
  expect(traitsOf(fake("openai.chat", "gpt-5"))).toEqual({
    toolResultImages: false,
    finishHasRaw: false,
    providerOptions: {},
  });
  expect(traitsOf(fake("azure.responses", "gpt-5"))).toMatchObject({
    toolResultImages: true,
    providerOptions: { openai: { store: false } },
  });
  expect(traitsOf(fake("groq.chat", "qwen/qwen3-32b")).providerOptions).toEqual({
    groq: { reasoningFormat: "parsed" },
  });
  expect(traitsOf(fake("someone-new.chat", "x"))).toMatchObject({ toolResultImages: false, finishHasRaw: false });
});
