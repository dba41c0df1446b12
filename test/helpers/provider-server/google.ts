/** Google's generateContent, as the provider server speaks it. */

import { type Protocol, sse } from "./protocol.ts";
import { emptyMessage, type ReadImage, type ReadMessage, type ReadToolResult, type RequestContent } from "./request.ts";
import type { Answer } from "./script.ts";

const route = /\/models\/([^:]+):(generateContent|streamGenerateContent)(?:\?.*)?$/;

export const google: Protocol = {
  name: "google",
  overloadedStatus: 503,

  match(path) {
    const [, model, method] = route.exec(path) ?? [];
    if (!model) return undefined;
    return { model: decodeURIComponent(model), stream: method === "streamGenerateContent", dialect: "google" };
  },

  reply(answer) {
    const parts = partsOf(answer);
    return chunkOf(answer, parts.length > 0 ? parts : [{ text: "" }], finishReason(answer));
  },

  events(answer) {
    const [first, ...rest] = streamedParts(answer);
    const last = answer.signature && answer.toolCalls.length === 0 ? [signedText("", answer)] : [{ text: "" }];
    return {
      open: first ? [sse(chunkOf(answer, [first]))] : [],
      body: rest.map((part) => sse(chunkOf(answer, [part]))),
      finish: [sse(chunkOf(answer, last, finishReason(answer)))],
    };
  },

  error(status, message) {
    const names: Record<number, string> = {
      400: "INVALID_ARGUMENT",
      401: "UNAUTHENTICATED",
      429: "RESOURCE_EXHAUSTED",
      503: "UNAVAILABLE",
    };
    return { error: { code: status, message, status: names[status] ?? "INTERNAL" } };
  },

  overloaded() {
    return sse({ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } });
  },

  read,
};

function chunkOf(answer: Answer, parts: unknown[], finish?: string) {
  const { usage } = answer;
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, ...(finish && { finishReason: finish }) }],
    usageMetadata: {
      promptTokenCount: usage.input,
      cachedContentTokenCount: usage.cacheRead,
      candidatesTokenCount: usage.output - usage.reasoning,
      thoughtsTokenCount: usage.reasoning,
      totalTokenCount: usage.input + usage.output,
    },
    modelVersion: answer.model,
    responseId: `resp-${answer.id}`,
  };
}

function finishReason({ finish }: Answer): string {
  return { stop: "STOP", length: "MAX_TOKENS", "content-filter": "SAFETY", "tool-calls": "STOP" }[finish];
}

function partsOf(answer: Answer): unknown[] {
  const text = answer.toolCalls.length === 0 ? signedText(answer.text, answer) : { text: answer.text };
  return [...thoughtsOf(answer), ...(answer.text ? [text] : []), ...callsOf(answer)];
}

/** A stream signs its text with an empty part at the end. */
function streamedParts(answer: Answer): unknown[] {
  return [...thoughtsOf(answer), ...answer.pieces.map((text) => ({ text })), ...callsOf(answer)];
}

function thoughtsOf(answer: Answer): unknown[] {
  return answer.reasoning ? [{ text: answer.reasoning, thought: true }] : [];
}

/** Only the first of parallel calls is signed, as from Google. */
function callsOf(answer: Answer): unknown[] {
  return answer.toolCalls.map((call, i) => ({
    functionCall: { ...(call.givenId && { id: call.givenId }), name: call.name, args: call.input },
    ...(i === 0 && answer.signature && { thoughtSignature: answer.signature }),
  }));
}

function signedText(text: string, answer: Answer) {
  return { text, ...(answer.signature && { thoughtSignature: answer.signature }) };
}

function read(body: any): RequestContent {
  return {
    system: (body.systemInstruction?.parts ?? []).map((part: any) => part.text).join("\n"),
    messages: (body.contents ?? []).flatMap(readContent),
    tools: (body.tools ?? [])
      .flatMap((tool: any) => tool.functionDeclarations ?? [])
      .map(({ name, description, parameters }: any) => ({ name, description, parameters })),
  };
}

/** Results and the user's own words share a role in this protocol; here they are two messages. */
function readContent({ role, parts }: { role: string; parts: any[] }): ReadMessage[] {
  if (role === "model") return [readModel(parts)];
  const toolResults = readResults(parts);
  if (toolResults.length > 0) return [{ ...emptyMessage("tool"), toolResults }];
  return [{ ...emptyMessage("user"), text: textOf(parts), images: imagesOf(parts) }];
}

function readModel(parts: any[]): ReadMessage {
  return {
    ...emptyMessage("assistant"),
    text: textOf(parts.filter((part) => !part.thought)),
    toolCalls: parts
      .filter((part) => part.functionCall)
      .map(({ functionCall }) => ({ id: functionCall.id, name: functionCall.name, input: functionCall.args })),
    reasoning: parts
      .filter((part) => part.thought || part.thoughtSignature)
      .map((part) => ({ text: part.thought ? part.text : "", signature: part.thoughtSignature })),
  };
}

/** Models before Gemini 3 get an image beside the result, not in it: it belongs to the result before it. */
function readResults(parts: any[]): ReadToolResult[] {
  const results: ReadToolResult[] = [];
  for (const part of parts) {
    if (part.functionResponse) {
      const { id, response, parts: inner } = part.functionResponse;
      const { content } = response;
      const text = typeof content === "string" ? content : JSON.stringify(content);
      results.push({ id, text, images: imagesOf(inner ?? []) });
    } else if (part.inlineData) {
      results.at(-1)?.images.push(...imagesOf([part]));
    }
  }
  return results;
}

function textOf(parts: any[]): string {
  return parts.map((part) => part.text ?? "").join("");
}

function imagesOf(parts: any[]): ReadImage[] {
  return parts
    .filter((part) => part.inlineData)
    .map(({ inlineData }) => ({ mediaType: inlineData.mimeType, data: inlineData.data }));
}
