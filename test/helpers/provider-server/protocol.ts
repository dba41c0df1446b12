/** What one provider's protocol must know for the provider server to speak it. */

import type { RequestContent } from "./request.ts";
import type { Answer } from "./script.ts";

/** The events of one stream, as lines of SSE, in three parts, so that a fault knows where it is. */
export interface StreamEvents {
  open: string[];
  body: string[];
  finish: string[];
}

export interface Protocol {
  readonly name: "openai-responses" | "chat-completions" | "anthropic" | "google";
  /** What the path and the body say; undefined when the path belongs to another protocol. */
  match(path: string, body: any): { model: string; stream: boolean; dialect: string } | undefined;
  /** The answer in one piece of JSON. */
  reply(answer: Answer, body: any, dialect: string): unknown;
  /** The answer as a stream. */
  events(answer: Answer, body: any, dialect: string): StreamEvents;
  /** The body of an HTTP error. */
  error(status: number, message: string): unknown;
  /** The event of a provider that fails in the middle of a stream. */
  overloaded(): string;
  /** The status of the same failure without a stream. */
  readonly overloadedStatus: number;
  read(body: any): RequestContent;
}

export function sse(data: unknown, event?: string): string {
  const line = typeof data === "string" ? data : JSON.stringify(data);
  return `${event ? `event: ${event}\n` : ""}data: ${line}\n\n`;
}

/** Text in up to three pieces, so that no client can rely on getting it whole. */
export function split(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += size) pieces.push(text.slice(i, i + size));
  return pieces;
}
