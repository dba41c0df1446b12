/** What the tests of models share: one model of each provider, and the two ways to call it, brought to one shape. */

import { resolveModel } from "../../src/models/index.ts";
import type { ProviderName, ProviderServer } from "../helpers/provider-server/index.ts";

/** A name that each package knows as a model that reasons. */
export const modelNames: Record<ProviderName, string> = {
  openai: "gpt-5.1",
  "openai-compatible": "some-model",
  anthropic: "claude-sonnet-4-6",
  google: "gemini-3-pro-preview",
  cerebras: "gpt-oss-120b",
  groq: "openai/gpt-oss-120b",
  openrouter: "anthropic/claude-sonnet-4.6",
  ollama: "qwen3:4b",
};

export const providerList = Object.keys(modelNames) as ProviderName[];

export function modelOf(provider: ProviderName, server: ProviderServer, name = modelNames[provider]) {
  return resolveModel(`${provider}:${name}`, { env: server.env });
}

export interface Called {
  /** In order; the metadata of a stream's parts is merged, as doGenerate does it. */
  content: any[];
  finishReason: { unified: string; raw?: string };
  usage: any;
  errors: any[];
}

export type Mode = "generate" | "stream";

export async function call(model: any, options: any, mode: Mode): Promise<Called> {
  if (mode === "stream") return collect((await model.doStream(options)).stream);
  const { content, finishReason, usage } = await model.doGenerate(options);
  return { content, finishReason, usage, errors: [] };
}

async function collect(stream: AsyncIterable<any>): Promise<Called> {
  const blocks = new Map<string, any>();
  const called: Called = { content: [], finishReason: { unified: "none" }, usage: undefined, errors: [] };
  for await (const part of stream) {
    const [kind, event] = part.type.split("-");
    if (part.type === "error") called.errors.push(part.error);
    else if (part.type === "finish") Object.assign(called, { finishReason: part.finishReason, usage: part.usage });
    else if (part.type === "tool-call") called.content.push(part);
    else if ((kind === "text" || kind === "reasoning") && event === "start") {
      const block = { type: kind, text: "", ...metadata(part) };
      blocks.set(`${kind}-${part.id}`, block);
      called.content.push(block);
    } else if (blocks.has(`${kind}-${part.id}`)) {
      const block = blocks.get(`${kind}-${part.id}`);
      block.text += part.delta ?? "";
      Object.assign(block, metadata(part));
    }
  }
  return called;
}

function metadata(part: any) {
  return part.providerMetadata && { providerMetadata: part.providerMetadata };
}

export const hello = [{ role: "user", content: [{ type: "text", text: "hi" }] }];

export const addTool = {
  type: "function",
  name: "add",
  description: "Adds two numbers.",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
};

/** What the model said, as it is sent back. */
export function assistantOf(content: any[]) {
  return {
    role: "assistant",
    content: content.map(({ providerMetadata, ...part }) => ({
      ...part,
      ...(part.type === "tool-call" && { input: JSON.parse(part.input) }),
      ...(providerMetadata && { providerOptions: providerMetadata }),
    })),
  };
}

export function toolResults(content: any[], outputOf: (index: number) => any) {
  const calls = content.filter((part) => part.type === "tool-call");
  return {
    role: "tool",
    content: calls.map(({ toolCallId, toolName }, index) => ({
      type: "tool-result",
      toolCallId,
      toolName,
      output: outputOf(index),
    })),
  };
}
