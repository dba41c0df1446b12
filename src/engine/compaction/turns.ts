/** Where a conversation may be cut, and what of it is kept word for word. */
import { encode } from "../../base/codec.ts";
import type { Entry } from "../../core/log.ts";
import { estimateTokens, type Message } from "../../core/message.ts";

/**
 * The places where a turn begins: an answer with its results, and what was said before it. A cut there parts no call from its
 * result.
 */
export function turnsOf(messages: readonly Message[]): number[] {
  const starts: number[] = [];
  for (const [index, { role }] of messages.entries()) {
    const isFirstWord = role !== "tool" && messages[index - 1]?.role !== "user";
    if (isFirstWord) starts.push(index);
  }
  return starts;
}

/** Where the last turns begin that are kept: as many as are wanted and fit; the last one in any case. */
export function cutFor(messages: readonly Message[], turns: readonly number[], wanted: number, most: number): number {
  let cut = messages.length;
  let tokens = 0;
  for (const start of turns.slice(-wanted).reverse()) {
    tokens += sizeOf(messages.slice(start, cut));
    if (tokens > most && cut < messages.length) break;
    cut = start;
  }
  return cut;
}

/** Places in the conversation; -1 where there is none. */
export interface Pins {
  /** The first thing that the user said. */
  task: number;
  /** The last thing that the user asked for. */
  prompt: number;
}

export function pinsOf(messages: readonly Message[], entries: readonly Entry[]): Pins {
  return { task: messages.findIndex(({ role }) => role === "user"), prompt: lastPrompt(messages, entries) };
}

/** A conversation does not tell a prompt from a reminder; the log does. */
function lastPrompt(messages: readonly Message[], entries: readonly Entry[]): number {
  const said = lastAsked(entries);
  if (!said) return -1;
  const text = JSON.stringify(said);
  for (let index = messages.length - 1; index >= 0; index--)
    if (messages[index]!.role === "user" && JSON.stringify(encode(messages[index])) === text) return index;
  return -1;
}

function lastAsked(entries: readonly Entry[]): Message | undefined {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!;
    if (entry.type === "message" && (entry.via === "prompt" || entry.via === "follow-up")) return entry.message;
  }
  return undefined;
}

export function sizeOf(messages: readonly Message[]): number {
  let tokens = 0;
  for (const message of messages) tokens += estimateTokens(message);
  return tokens;
}
