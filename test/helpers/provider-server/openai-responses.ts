/** OpenAI's Responses API, as the provider server speaks it. */

import { type Protocol, type StreamEvents, split, sse } from "./protocol.ts";
import {
  emptyMessage,
  imageOf,
  inputOf,
  type ReadMessage,
  type ReadToolResult,
  type RequestContent,
} from "./request.ts";
import type { Answer } from "./script.ts";

export const openaiResponses: Protocol = {
  name: "openai-responses",
  overloadedStatus: 503,

  match(path, body) {
    if (!path.endsWith("/responses")) return undefined;
    return { model: String(body?.model), stream: body?.stream === true, dialect: "openai" };
  },

  reply(answer, body) {
    return response(answer, "completed", itemsOf(answer, body));
  },

  events(answer, body) {
    const event = sequence();
    const started = { response: { ...response(answer, "in_progress", []), usage: null } };
    const items = itemsOf(answer, body);
    const type = answer.finish === "length" || answer.finish === "content-filter" ? "incomplete" : "completed";
    return {
      open: [event("response.created", started), event("response.in_progress", started)],
      body: items.flatMap((item, index) => itemEvents(item, index, answer, event)),
      finish: [event(`response.${type}`, { response: response(answer, "completed", items) })],
    } satisfies StreamEvents;
  },

  error(status, message) {
    return { error: { message, type: status === 429 ? "rate_limit_exceeded" : "api_error", param: null, code: null } };
  },

  overloaded() {
    return sse(
      {
        type: "error",
        sequence_number: 99,
        error: { type: "server_error", code: "server_is_overloaded", message: "Overloaded", param: null },
      },
      "error",
    );
  },

  read,
};

type EventMaker = (type: string, fields: object) => string;

function sequence(): EventMaker {
  let number = 0;
  return (type, fields) => sse({ type, sequence_number: number++, ...fields }, type);
}

function response(answer: Answer, status: string, output: unknown[]) {
  const { usage, finish } = answer;
  const reason = { length: "max_output_tokens", "content-filter": "content_filter" }[finish as string];
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: 1_700_000_000,
    model: answer.model,
    status: reason ? "incomplete" : status,
    incomplete_details: reason ? { reason } : null,
    error: null,
    output,
    usage: {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cacheRead },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.input + usage.output,
    },
    parallel_tool_calls: true,
    tools: [],
    tool_choice: "auto",
    metadata: {},
  };
}

/** Encrypted reasoning comes only to those who ask for it, as from OpenAI. */
function itemsOf(answer: Answer, body: any): any[] {
  const items: any[] = [];
  const encrypted = body?.include?.includes("reasoning.encrypted_content") && answer.signature;
  if (answer.reasoning) {
    items.push({
      type: "reasoning",
      id: `rs_${answer.id}`,
      summary: [{ type: "summary_text", text: answer.reasoning }],
      ...(encrypted && { encrypted_content: answer.signature }),
    });
  }
  if (answer.text || answer.toolCalls.length === 0) {
    items.push({
      type: "message",
      id: `msg_${answer.id}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: answer.text, annotations: [] }],
    });
  }
  for (const call of answer.toolCalls) {
    items.push({
      type: "function_call",
      id: `fc_${call.id}`,
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.input),
      status: "completed",
    });
  }
  return items;
}

function itemEvents(item: any, index: number, answer: Answer, event: EventMaker): string[] {
  const at = { item_id: item.id, output_index: index };
  const added = (empty: object) =>
    event("response.output_item.added", { output_index: index, item: { ...item, status: "in_progress", ...empty } });
  const done = event("response.output_item.done", { output_index: index, item });

  if (item.type === "reasoning") {
    const part = { ...at, summary_index: 0 };
    const { encrypted_content: _late, ...early } = item;
    return [
      event("response.output_item.added", { output_index: index, item: { ...early, summary: [] } }),
      event("response.reasoning_summary_part.added", { ...part, part: { type: "summary_text", text: "" } }),
      ...split(answer.reasoning).map((delta) => event("response.reasoning_summary_text.delta", { ...part, delta })),
      event("response.reasoning_summary_text.done", { ...part, text: answer.reasoning }),
      event("response.reasoning_summary_part.done", { ...part, part: item.summary[0] }),
      done,
    ];
  }
  if (item.type === "message") {
    const part = { ...at, content_index: 0 };
    return [
      added({ content: [] }),
      event("response.content_part.added", { ...part, part: { type: "output_text", text: "", annotations: [] } }),
      ...answer.pieces.map((delta) => event("response.output_text.delta", { ...part, delta })),
      event("response.output_text.done", { ...part, text: answer.text }),
      event("response.content_part.done", { ...part, part: item.content[0] }),
      done,
    ];
  }
  return [
    added({ arguments: "" }),
    ...split(item.arguments).map((delta) => event("response.function_call_arguments.delta", { ...at, delta })),
    event("response.function_call_arguments.done", { ...at, arguments: item.arguments }),
    done,
  ];
}

function read(body: any): RequestContent {
  const system: string[] = body.instructions ? [body.instructions] : [];
  const messages: ReadMessage[] = [];
  for (const item of body.input ?? []) {
    if (item.role === "system" || item.role === "developer") system.push(textOf(item.content));
    else readItem(item, messages);
  }
  return {
    system: system.join("\n"),
    messages,
    tools: (body.tools ?? []).map((tool: any) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
    })),
  };
}

/** Items of one turn of the assistant are one message; so are results that follow each other. */
function readItem(item: any, messages: ReadMessage[]): void {
  if (item.role === "user") {
    messages.push({ ...emptyMessage("user"), text: textOf(item.content), images: imagesOf(item.content) });
    return;
  }
  const role = item.type === "function_call_output" ? "tool" : "assistant";
  if (messages.at(-1)?.role !== role) messages.push(emptyMessage(role));
  const message = messages.at(-1)!;
  if (item.type === "function_call_output") {
    const result: ReadToolResult = { id: item.call_id, text: textOf(item.output), images: imagesOf(item.output) };
    message.toolResults.push(result);
  } else if (item.type === "function_call") {
    message.toolCalls.push({ id: item.call_id, name: item.name, input: inputOf(item.arguments) });
  } else if (item.type === "reasoning") {
    message.reasoning.push({ text: textOf(item.summary), signature: item.encrypted_content });
  } else if (item.role === "assistant") {
    message.text += textOf(item.content);
  }
}

function textOf(content: any): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part: any) => part.text ?? "").join("");
}

function imagesOf(content: any) {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: any) => imageOf(part.type === "input_image" ? part.image_url : undefined) ?? []);
}
