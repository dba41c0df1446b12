import { expect, test } from "vitest";
import { contextWindow } from "../../src/models/context-window.ts";
import { scriptedModel } from "../../src/testing/index.ts";

test.each([
  ["anthropic.messages", "claude-sonnet-4-5"],
  ["openai.responses", "gpt-5"],
  ["openai.chat", "gpt-4o-mini"],
])("%s:%s has a window that the price list tells", async (provider, modelId) => {
  const window = await contextWindow(scriptedModel([], { provider, modelId }));
  expect(window).toBeGreaterThan(100_000);
});

test.each([
  ["scripted", "script"],
  ["openai.responses", "nobody-knows-it"],
  ["openai-compatible.chat", "gpt-5"], // a server of one's own may have another window
  ["ollama.chat", "llama3"],
])("%s:%s: nothing is guessed", async (provider, modelId) => {
  expect(await contextWindow(scriptedModel([], { provider, modelId }))).toBeUndefined();
});
