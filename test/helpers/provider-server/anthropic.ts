/** Anthropic's messages, as the provider server speaks them. */

import { type Protocol, split, sse } from "./protocol.ts";
import { emptyMessage, type ReadImage, type ReadMessage, type RequestContent } from "./request.ts";
import type { Answer } from "./script.ts";

export const anthropic: Protocol = {
  name: "anthropic",
  overloadedStatus: 529,

  match(path, body) {
    if (!path.endsWith("/messages")) return undefined;
    return { model: String(body?.model), stream: body?.stream === true, dialect: "anthropic" };
  },

  reply(answer) {
    return { ...message(answer), content: blocksOf(answer), stop_reason: stopReason(answer), usage: usageOf(answer) };
  },

  events(answer) {
    const start = { ...message(answer), content: [], usage: { ...usageOf(answer), output_tokens: 1 } };
    return {
      open: [event("message_start", { message: start }), event("ping", {})],
      body: blocksOf(answer).flatMap((block, index) => blockEvents(block, index, answer)),
      finish: [
        event("message_delta", {
          delta: { stop_reason: stopReason(answer), stop_sequence: null },
          usage: { output_tokens: answer.usage.output },
        }),
        event("message_stop", {}),
      ],
    };
  },

  error(status, text) {
    const types: Record<number, string> = {
      400: "invalid_request_error",
      401: "authentication_error",
      429: "rate_limit_error",
      529: "overloaded_error",
    };
    return { type: "error", error: { type: types[status] ?? "api_error", message: text } };
  },

  overloaded() {
    return event("error", { error: { type: "overloaded_error", message: "Overloaded" } });
  },

  read,
};

function event(type: string, fields: object): string {
  return sse({ type, ...fields }, type);
}

function message(answer: Answer) {
  return {
    id: `msg_${answer.id}`,
    type: "message",
    role: "assistant",
    model: answer.model,
    stop_reason: null,
    stop_sequence: null,
  };
}

function usageOf({ usage }: Answer) {
  return {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
    output_tokens: usage.output,
  };
}

function stopReason({ finish }: Answer): string {
  return { stop: "end_turn", length: "max_tokens", "content-filter": "refusal", "tool-calls": "tool_use" }[finish];
}

function blocksOf(answer: Answer): any[] {
  const blocks: any[] = [];
  if (answer.reasoning) {
    blocks.push({ type: "thinking", thinking: answer.reasoning, signature: answer.signature ?? "" });
  }
  if (answer.text || answer.toolCalls.length === 0) blocks.push({ type: "text", text: answer.text });
  for (const call of answer.toolCalls) {
    blocks.push({ type: "tool_use", id: call.id, name: call.name, input: call.input });
  }
  return blocks;
}

function blockEvents(block: any, index: number, answer: Answer): string[] {
  const start = (fields: object) => event("content_block_start", { index, content_block: { ...block, ...fields } });
  const delta = (fields: object) => event("content_block_delta", { index, delta: fields });
  const stop = event("content_block_stop", { index });

  if (block.type === "thinking") {
    return [
      start({ thinking: "", signature: "" }),
      ...split(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking })),
      delta({ type: "signature_delta", signature: block.signature }),
      stop,
    ];
  }
  if (block.type === "text") {
    return [start({ text: "" }), ...answer.pieces.map((text) => delta({ type: "text_delta", text })), stop];
  }
  const pieces = split(JSON.stringify(block.input));
  return [
    start({ input: {} }),
    ...pieces.map((partial_json) => delta({ type: "input_json_delta", partial_json })),
    stop,
  ];
}

function read(body: any): RequestContent {
  return {
    system: textOf(body.system),
    messages: (body.messages ?? []).flatMap(readMessage),
    tools: (body.tools ?? []).map((tool: any) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.input_schema,
    })),
  };
}

/** A message of the user that holds results of tools and more is read as two. */
function readMessage(message: any): ReadMessage[] {
  const blocks: any[] =
    typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
  const results = blocks.filter((block) => block.type === "tool_result");
  const others = blocks.filter((block) => block.type !== "tool_result");
  const read: ReadMessage[] = [];
  if (results.length > 0) {
    const toolResults = results.map((block) => ({
      id: block.tool_use_id,
      text: textOf(block.content),
      images: imagesOf(block.content),
    }));
    read.push({ ...emptyMessage("tool"), toolResults });
  }
  if (others.length > 0) {
    read.push({
      ...emptyMessage(message.role),
      text: textOf(others.filter((block) => block.type === "text")),
      images: imagesOf(others),
      toolCalls: others
        .filter((block) => block.type === "tool_use")
        .map((block) => ({ id: block.id, name: block.name, input: block.input })),
      reasoning: others
        .filter((block) => block.type === "thinking" || block.type === "redacted_thinking")
        .map((block) => ({ text: block.thinking ?? "", signature: block.signature ?? block.data })),
    });
  }
  return read;
}

function textOf(content: any): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part: any) => part.text ?? "").join("");
}

function imagesOf(content: any): ReadImage[] {
  if (!Array.isArray(content)) return [];
  return content
    .filter((block: any) => block.type === "image" && block.source?.type === "base64")
    .map((block: any) => ({ mediaType: block.source.media_type, data: block.source.data }));
}
