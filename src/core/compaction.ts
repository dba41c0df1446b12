/** What a run is told of compaction: when a conversation is made shorter, by whom, and what is kept. */
import type { Message } from "./message.ts";
import type { ModelRef } from "./model.ts";

export type CompactionReason = "window" | "overflow" | "asked" | "clear";

export interface CompactionOptions {
  /** Tokens that the model can read and write. Default: what `@pydantic/genai-prices` says of it, where that is installed. */
  window?: number;
  /** The part of the window from which on the conversation is made shorter, above 0 and at most 1. Default 0.8. */
  share?: number;
  /** How many of the last steps (an answer and its results) stay word for word. Default 4; fewer where they are too long. */
  keepTurns?: number;
  /** Who writes the summary. Default: the model that is asked. */
  model?: ModelRef;
  /** What a summary must hold beside what it always holds. */
  instructions?: string;
  /** Takes the place of it all. When it fails, or what it gives is no conversation, Haft's own way is gone. */
  compactor?: Compactor;
}

/** Gives the conversation that goes on, shorter than the one that it is given: with each call its result, and a user's words first. */
export type Compactor = (
  messages: readonly Message[],
  about: CompactorContext,
) => readonly Message[] | Promise<readonly Message[]>;

export interface CompactorContext {
  /** Tokens that the model can read and write, where that is known. */
  window: number | undefined;
  /** How long the context is, in tokens. */
  tokens: number;
  reason: Exclude<CompactionReason, "clear">;
  /** Fires when the run is aborted. */
  abortSignal: AbortSignal;
  /** A summary of these messages, by the model that would write Haft's own. Rejects when it cannot be had. */
  summarize(messages: readonly Message[]): Promise<string>;
}
