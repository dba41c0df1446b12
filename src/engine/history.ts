/** The conversation as a reading of the log. */
import { decode } from "../base/codec.ts";
import { copyPlain, type Json } from "../base/json.ts";
import type { Entry, EntryOf, LoggedMessage } from "../core/log.ts";
import { isIterationKey, withoutNested } from "../core/log-keys.ts";
import type { Message, ToolMessage, ToolResultPart } from "../core/message.ts";
import { modelText } from "../core/tool-result.ts";

/** Messages and assigns that the entries leave behind. */
export interface History {
  messages: Message[];
  assigns: Record<string, unknown>;
  /** Said while the last iteration, which has not ended, went on. */
  waiting: EntryOf<"message">[];
}

/** `inside`: a run inside a call, whose entries these are; else what runs inside calls have said is no part of it. */
export function readHistory(entries: readonly Entry[], inside?: string): History {
  if (entries.length === 0) return { messages: [], assigns: {}, waiting: [] };
  const messages: Message[] = [];
  const held: EntryOf<"message">[] = []; // said during an iteration: it comes after that iteration
  const ends = new Map<string, EntryOf<"tool-end">>();
  const calls = new Map<string, EntryOf<"tool-call">>();
  let open: EntryOf<"model-response"> | undefined;
  let ended = ""; // the last iteration that ended
  let assigns: Record<string, unknown> = {};
  const release = () => messages.push(...held.splice(0).map(({ message }) => decodeMessage(message)));

  for (const entry of inside === undefined ? withoutNested(entries) : entries) {
    switch (entry.type) {
      case "run-start":
      case "run-end":
        open = undefined;
        release();
        break;
      case "message":
        if (isSaidDuring(entry, ended)) held.push(entry);
        else messages.push(decodeMessage(entry.message));
        break;
      case "model-response":
        open = entry;
        break;
      case "tool-call":
        calls.set(entry.key, entry);
        break;
      case "tool-end":
        ends.set(entry.key, entry);
        break;
      case "iteration-end":
        if (open) messages.push({ role: "assistant", content: open.content });
        append(messages, entry.messages, { part: (callId) => partOf(open, calls.get(callId), ends.get(callId)) });
        assigns = { ...assigns, ...assignsOf(entry.key, ends) };
        release();
        open = undefined;
        ended = entry.key;
        ends.clear();
        calls.clear();
        break;
      case "compaction":
        messages.splice(0, messages.length, ...entry.messages);
        break;
    }
  }
  return { messages, assigns, waiting: held };
}

/** A steer has the key of the iteration that went on, or of the one before when none did. */
function isSaidDuring({ via, key }: EntryOf<"message">, ended: string): boolean {
  return via === "steer" && isIterationKey(key) && key !== ended;
}

/** Messages are encoded as a whole: bytes and URLs of files come back. */
export function decodeMessage(message: Message): Message {
  return decode(message as unknown as Json) as Message;
}

/** Appends messages, telling tool messages by their calls in full; neighbouring tool messages become one. */
export function append(messages: Message[], logged: readonly LoggedMessage[], ended: EndedCalls): void {
  for (const message of logged) {
    if (message.role === "tool")
      appendResults(messages, "calls" in message ? partsOf(message.calls, ended) : message.content);
    else messages.push(message);
  }
}

/** What the model reads of a call that is over. */
export interface EndedCalls {
  part(callId: string): ToolResultPart | undefined;
}

function appendResults(messages: Message[], content: ToolResultPart[]): void {
  const last = messages.at(-1);
  if (last?.role === "tool") messages[messages.length - 1] = { role: "tool", content: [...last.content, ...content] };
  else messages.push({ role: "tool", content } satisfies ToolMessage);
}

function partsOf(calls: readonly string[], ended: EndedCalls): ToolResultPart[] {
  const parts = calls.map((callId) => ended.part(callId));
  return parts.includes(undefined) ? parts.filter((found) => found !== undefined) : (parts as ToolResultPart[]);
}

/** A call's end as the model reads it, under the id and the name that it used. */
export function resultPart({ id, name }: { id: string; name: string }, end: EntryOf<"tool-end">): ToolResultPart {
  return { type: "tool-result", toolCallId: id, toolName: name, output: outputOf(end) };
}

function outputOf(end: EntryOf<"tool-end">): ToolResultPart["output"] {
  if (end.error)
    return {
      type: "error-text",
      value: end.error.hint ? `${end.error.message}\n${end.error.hint}` : end.error.message,
    };
  if (!end.content) return { type: "text", value: end.output === undefined ? "" : textOfOutput(end.output) };
  const value = end.content.map((part) =>
    part.type === "text" ? part : { type: "image-data" as const, data: part.data, mediaType: part.mediaType },
  );
  return { type: "content", value };
}

/** Almost every output is plain JSON, whose text needs no decoding. */
function textOfOutput(output: Json): string {
  if (typeof output === "string") return output;
  const text = JSON.stringify(output);
  return text.includes('"$haft"') ? modelText(decode(output)) : text;
}

function partOf(
  open: EntryOf<"model-response"> | undefined,
  call: EntryOf<"tool-call"> | undefined,
  end: EntryOf<"tool-end"> | undefined,
): ToolResultPart | undefined {
  if (!call || !end) return undefined;
  const asked = open?.content.find((part) => part.type === "tool-call" && part.toolCallId === call.id);
  return resultPart({ id: call.id, name: asked?.type === "tool-call" ? asked.toolName : call.name }, end);
}

/** The assigns of an iteration's calls. */
function assignsOf(iteration: string, ends: ReadonlyMap<string, EntryOf<"tool-end">>): Record<string, unknown> {
  const own = [...ends.values()].filter(({ key, assigns }) => assigns !== undefined && key.startsWith(`${iteration}/`));
  return mergeAssigns(own.map(({ key, assigns }) => ({ callId: key, assigns: assigns! })));
}

/** In the order of the calls: the last one wins. */
export function mergeAssigns(all: readonly { callId: string; assigns: Json }[]): Record<string, unknown> {
  const sorted = [...all].sort((a, b) => callNumber(a.callId) - callNumber(b.callId));
  return Object.assign({}, ...sorted.map(({ assigns }) => copyPlain(decode(assigns))));
}

function callNumber(callId: string): number {
  return Number(callId.slice(callId.lastIndexOf("/") + 1));
}
