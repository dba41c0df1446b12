/** What a provider server is told to answer: the same words for every protocol. */

import type { RecordedRequest } from "./request.ts";

/** One answer of the model, or one failure. */
export interface Step {
  text?: string;
  /** The text as it is streamed. Default: `text` in one piece. */
  pieces?: string[];
  reasoning?: string;
  /** What the provider wants back with the reasoning. Default, where there is reasoning: a new one for each answer. */
  signature?: string;
  toolCalls?: ScriptedCall[];
  usage?: ScriptedUsage;
  /** Default: `tool-calls` when there are some, else `stop`. */
  finish?: "stop" | "length" | "content-filter" | "tool-calls";
  fault?: Fault;
  /** Waited before the first byte. */
  delayMs?: number;
  /** Waited after every event of a stream. */
  eventDelayMs?: number;
}

export interface ScriptedCall {
  /** Default: a new one for each call. Google's protocol gets one only when it is given here, as from Google. */
  id?: string;
  name: string;
  input: unknown;
}

/** Tokens. Cached ones are part of `input`, reasoning is part of `output`. */
export interface ScriptedUsage {
  input?: number;
  cacheRead?: number;
  /** Only Anthropic's and OpenRouter's protocols can say it. */
  cacheWrite?: number;
  output?: number;
  reasoning?: number;
}

/**
 * - `{ status }`: this HTTP status, with the provider's error body, and `retry-after` in seconds.
 * - `malformed`: one event is not JSON. · `cut`: the socket is destroyed in the middle.
 * - `truncated`: the stream ends as if all were well, without a finish. · `silence`: one event, then nothing.
 * - `html`: status 200 and a login page. · `overloaded`: an error event after the text, where a stream has one.
 */
export type Fault =
  | { status: number; retryAfter?: number | string; message?: string }
  | "malformed"
  | "cut"
  | "truncated"
  | "silence"
  | "html"
  | "overloaded";

/** Steps in order, or a function of the request and the number of requests before it. Default: always "Hello". */
export type Script = Step[] | ((request: RecordedRequest, index: number) => Step | Promise<Step>);

/** A step with everything filled in. */
export interface Answer {
  /** Unique, for the ids of the protocol. */
  id: string;
  model: string;
  text: string;
  pieces: string[];
  reasoning: string;
  signature: string | undefined;
  toolCalls: { id: string; givenId: string | undefined; name: string; input: unknown }[];
  usage: Required<ScriptedUsage>;
  finish: "stop" | "length" | "content-filter" | "tool-calls";
}

let counter = 0;

export function answerOf(step: Step, model: string): Answer {
  const id = `${process.pid.toString(36)}${(++counter).toString(36)}`;
  const text = step.text ?? step.pieces?.join("") ?? "";
  const calls = step.toolCalls ?? [];
  return {
    id,
    model,
    text,
    pieces: step.pieces ?? (text ? [text] : []),
    reasoning: step.reasoning ?? "",
    signature: step.signature ?? (step.reasoning ? `signature-${id}` : undefined),
    toolCalls: calls.map((call, i) => ({
      id: call.id ?? `call_${id}_${i}`,
      givenId: call.id,
      name: call.name,
      input: call.input,
    })),
    usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0, ...step.usage },
    finish: step.finish ?? (calls.length > 0 ? "tool-calls" : "stop"),
  };
}
