/** OpenAI's chat-completions, and the dialects of those who took it over, as the provider server speaks them. */

import { type Protocol, split, sse } from "./protocol.ts";
import { emptyMessage, imageOf, inputOf, type ReadMessage, type RequestContent } from "./request.ts";
import type { Answer } from "./script.ts";

/** Where the dialects differ. */
interface Dialect {
  reasoning(text: string, answer: Answer, last: boolean): object;
  /** Usage comes even when `stream_options.include_usage` is not set. */
  alwaysUsage: boolean;
  /** Usage is in `x_groq` of the last chunk instead of a chunk of its own. */
  groq?: boolean;
}

const plainReasoning = (text: string) => ({ reasoning: text });

const dialects: Record<string, Dialect> = {
  chat: { reasoning: (text) => ({ reasoning_content: text }), alwaysUsage: false },
  ollama: { reasoning: plainReasoning, alwaysUsage: false },
  cerebras: { reasoning: plainReasoning, alwaysUsage: true },
  groq: { reasoning: plainReasoning, alwaysUsage: true, groq: true },
  openrouter: {
    reasoning: (text, answer, last) => ({
      reasoning: text,
      reasoning_details: [
        {
          type: "reasoning.text",
          text,
          ...(last && { signature: answer.signature }),
          format: "anthropic-claude-v1",
          index: 0,
        },
      ],
    }),
    alwaysUsage: true,
  },
};

export const chatCompletions: Protocol = {
  name: "chat-completions",
  overloadedStatus: 503,

  match(path, body) {
    if (!path.endsWith("/chat/completions")) return undefined;
    const first = path.split("/")[1]!;
    const dialect = first in dialects ? first : "ollama";
    return { model: String(body?.model), stream: body?.stream === true, dialect };
  },

  reply(answer, _body, dialect) {
    const { reasoning } = dialects[dialect]!;
    return {
      ...envelope(answer, "chat.completion"),
      choices: [
        {
          index: 0,
          finish_reason: finishReason(answer),
          message: {
            role: "assistant",
            content: answer.text || null,
            ...(answer.reasoning && reasoning(answer.reasoning, answer, true)),
            ...(answer.toolCalls.length > 0 && { tool_calls: answer.toolCalls.map(toolCall) }),
          },
        },
      ],
      usage: usageOf(answer),
    };
  },

  events(answer, body, dialect) {
    const { reasoning, alwaysUsage, groq } = dialects[dialect]!;
    const chunk = (delta: object, fields: object = {}, finish: string | null = null) =>
      sse({
        ...envelope(answer, "chat.completion.chunk"),
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...fields,
      });
    const thoughts = answer.reasoning ? split(answer.reasoning) : [];
    const wantsUsage = alwaysUsage || body?.stream_options?.include_usage === true;
    const usageChunk = { ...envelope(answer, "chat.completion.chunk"), choices: [], usage: usageOf(answer) };
    return {
      open: [chunk({ role: "assistant", content: "" }, groq ? { x_groq: { id: `req_${answer.id}` } } : {})],
      body: [
        ...thoughts.map((text, i) => chunk(reasoning(text, answer, i === thoughts.length - 1))),
        ...answer.pieces.map((content) => chunk({ content })),
        ...answer.toolCalls.flatMap((call, index) => [
          chunk({ tool_calls: [{ index, ...toolCall(call), function: { name: call.name, arguments: "" } }] }),
          ...split(JSON.stringify(call.input)).map((piece) =>
            chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
          ),
        ]),
      ],
      finish: [
        chunk({}, groq ? { x_groq: { id: `req_${answer.id}`, usage: usageOf(answer) } } : {}, finishReason(answer)),
        ...(wantsUsage && !groq ? [sse(usageChunk)] : []),
        sse("[DONE]"),
      ],
    };
  },

  error(status, message) {
    const error = { message, type: status === 429 ? "rate_limit_error" : "api_error", param: "", code: String(status) };
    // Cerebras reads the fields at the top, everyone else inside `error`.
    return { ...error, error };
  },

  overloaded() {
    return sse({ error: { message: "Overloaded", type: "server_error", code: 503 } });
  },

  read,
};

function envelope(answer: Answer, object: string) {
  return { id: `chatcmpl-${answer.id}`, object, created: 1_700_000_000, model: answer.model };
}

function toolCall(call: Answer["toolCalls"][number]) {
  return { id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } };
}

function finishReason({ finish }: Answer): string {
  return { stop: "stop", length: "length", "content-filter": "content_filter", "tool-calls": "tool_calls" }[finish];
}

function usageOf({ usage }: Answer) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}

function read(body: any): RequestContent {
  const all: any[] = body.messages ?? [];
  return {
    system: all
      .filter((message) => message.role === "system" || message.role === "developer")
      .map((message) => textOf(message.content))
      .join("\n"),
    messages: all.flatMap((message) => readMessage(message) ?? []),
    tools: (body.tools ?? []).map(({ function: f }: any) => ({
      name: f.name,
      description: f.description,
      parameters: f.parameters,
    })),
  };
}

function readMessage(message: any): ReadMessage | undefined {
  const text = textOf(message.content);
  const images = imagesOf(message.content);
  if (message.role === "user") return { ...emptyMessage("user"), text, images };
  if (message.role === "tool") {
    return { ...emptyMessage("tool"), toolResults: [{ id: message.tool_call_id, text, images }] };
  }
  if (message.role !== "assistant") return undefined;
  return {
    ...emptyMessage("assistant"),
    text,
    toolCalls: (message.tool_calls ?? []).map((call: any) => ({
      id: call.id,
      name: call.function.name,
      input: inputOf(call.function.arguments),
    })),
    reasoning: readReasoning(message),
  };
}

function readReasoning(message: any) {
  const details: any[] = message.reasoning_details ?? [];
  if (details.length > 0) return details.map((one) => ({ text: one.text ?? "", signature: one.signature }));
  const text = message.reasoning_content ?? message.reasoning;
  return text ? [{ text, signature: undefined }] : [];
}

function textOf(content: any): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part: any) => part.text ?? "").join("");
}

function imagesOf(content: any) {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: any) => imageOf(part.image_url?.url) ?? []);
}
