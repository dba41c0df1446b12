/** Puts the parts of an answer together, streamed or whole, and judges how it ended. */
import type { AssistantMessage, ProviderOptions, ReasoningPart, TextPart, ToolCallPart } from "../../core/message.ts";
import type { FinishReason, ModelTraits, Usage } from "../../core/model.ts";
import { CallFault } from "./failure.ts";

export interface Answer {
  content: AssistantMessage["content"];
  finishReason: FinishReason;
  usage: Usage;
}

type Block = TextPart | ReasoningPart;

/** Takes stream parts one by one. Blocks interleave, so they are kept by kind and id, in the order in which they began. */
export class Collector {
  readonly #content: AssistantMessage["content"] = [];
  readonly #blocks = new Map<string, Block>();
  #finish: any;
  #error: unknown;
  #failed = false;

  /** A block's text grows by a delta. */
  grow(kind: "text" | "reasoning", part: any): void {
    const block = this.#block(kind, part);
    block.text += part.delta;
  }

  take(part: any): void {
    switch (part.type) {
      case "text-start":
      case "text-end":
        this.#block("text", part);
        break;
      case "reasoning-start":
      case "reasoning-end":
        this.#block("reasoning", part);
        break;
      case "tool-call":
        this.#content.push(toolCall(part));
        break;
      case "file":
        this.#content.push({ type: "file", mediaType: part.mediaType, data: part.data?.data ?? part.data });
        break;
      case "finish":
        this.#finish = part;
        break;
      case "error":
        if (!this.#failed) this.#error = part.error;
        this.#failed = true;
        break;
    }
  }

  answer(traits: ModelTraits): Answer {
    if (this.#failed) throw this.#error; // whatever finish followed
    if (!this.#finish) throw new CallFault("MODEL_STREAM_BROKEN", "the answer ended without a finish");
    return judged(this.#content, this.#finish, traits);
  }

  #block(kind: "text" | "reasoning", part: any): Block {
    const key = kind + part.id;
    const known = part.type === `${kind}-start` ? undefined : this.#blocks.get(key);
    const block: Block = known ?? { type: kind, text: "" };
    if (!known) {
      this.#blocks.set(key, block);
      this.#content.push(block);
    }
    if (part.providerMetadata) block.providerOptions = mergeOptions(block.providerOptions, part.providerMetadata);
    return block;
  }
}

/** An answer that came whole. */
export function wholeAnswer(result: any, traits: ModelTraits): Answer {
  const content: AssistantMessage["content"] = [];
  for (const part of result.content ?? []) {
    const providerOptions = part.providerMetadata && { providerOptions: structuredClone(part.providerMetadata) };
    if (part.type === "text" || part.type === "reasoning")
      content.push({ type: part.type, text: part.text, ...providerOptions });
    else if (part.type === "tool-call") content.push(toolCall(part));
    else if (part.type === "file")
      content.push({ type: "file", mediaType: part.mediaType, data: part.data?.data ?? part.data });
  }
  return judged(content, result, traits);
}

const clean = new Set<string>(["stop", "length", "tool-calls", "content-filter"]);

/** Only a clean finish makes an answer: everything else is a call that failed, silently. */
function judged(all: AssistantMessage["content"], finish: any, traits: ModelTraits): Answer {
  const { finishReason } = finish;
  const unified = typeof finishReason === "string" ? finishReason : finishReason?.unified;
  const hasRaw = typeof finishReason === "string" || finishReason?.raw !== undefined;
  if (!clean.has(unified) || (traits.finishHasRaw && !hasRaw)) {
    throw new CallFault("MODEL_STREAM_BROKEN", `the answer broke off (finish: ${unified ?? "none"})`);
  }
  const content = all.filter((part) => part.type !== "text" || part.text !== "" || part.providerOptions);
  if (
    unified === "stop" &&
    !content.some(
      (part) => part.type === "tool-call" || part.type === "file" || (part.type === "text" && part.text !== ""),
    )
  ) {
    throw new CallFault("MODEL_EMPTY", "the answer was empty");
  }
  return { content, finishReason: unified, usage: usageOf(finish.usage) };
}

function toolCall(part: any): ToolCallPart {
  const call: ToolCallPart = {
    type: "tool-call",
    toolCallId: String(part.toolCallId),
    toolName: part.toolName,
    input: inputOf(part.input),
  };
  if (part.providerMetadata) call.providerOptions = structuredClone(part.providerMetadata);
  return call;
}

function inputOf(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  if (input.trim() === "") return {};
  try {
    const value = JSON.parse(input);
    return typeof value === "object" && value !== null ? value : { input: value };
  } catch {
    return { invalid_json: input };
  }
}

function mergeOptions(known: ProviderOptions | undefined, added: ProviderOptions): ProviderOptions {
  const result: ProviderOptions = { ...known };
  for (const [provider, values] of Object.entries(added))
    result[provider] = { ...result[provider], ...structuredClone(values) };
  return result;
}

function usageOf(usage: any): Usage {
  const { inputTokens: input, outputTokens: output } = usage ?? {};
  const isNested = typeof input === "object" && input !== null;
  return {
    inputTokens: (isNested ? input.total : input) ?? 0,
    outputTokens: (isNested ? output?.total : output) ?? 0,
    cacheReadTokens: (isNested ? input.cacheRead : usage?.cachedInputTokens) ?? 0,
    cacheWriteTokens: (isNested ? input.cacheWrite : 0) ?? 0,
    reasoningTokens: (isNested ? output?.reasoning : usage?.reasoningTokens) ?? 0,
  };
}
