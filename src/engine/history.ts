/** The conversation as a reading of the log. */
import { decode } from "../base/codec.ts";
import { copyPlain, type Json } from "../base/json.ts";
import type { Entry, EntryOf, LoggedMessage } from "../core/log.ts";
import { isIterationKey, withoutNested } from "../core/log-keys.ts";
import type { Message, ToolMessage, ToolOutput, ToolResultPart } from "../core/message.ts";
import { modelText } from "../core/tool-result.ts";

/** Messages and assigns that the entries leave behind. */
export interface History {
  messages: Message[];
  assigns: Record<string, unknown>;
  /** Said while the last iteration, which has not ended, went on. */
  waiting: EntryOf<"message">[];
  /** What a model, or a compaction, last told of its length: in tokens, of so many messages. */
  measured: { tokens: number; messages: number };
  /** There are results of which the model reads a part only. */
  hasMore: boolean;
}

/** `inside`: a run inside a call, whose entries these are; else what runs inside calls have said is no part of it. */
export function readHistory(entries: readonly Entry[], inside?: string): History {
  if (entries.length === 0)
    return { messages: [], assigns: {}, waiting: [], measured: { tokens: 0, messages: 0 }, hasMore: false };
  const messages: Message[] = [];
  const held: EntryOf<"message">[] = []; // said during an iteration: it comes after that iteration
  const ends = new Map<string, EntryOf<"tool-end">>();
  const calls = new Map<string, EntryOf<"tool-call">>();
  let open: EntryOf<"model-response"> | undefined;
  let ended = ""; // the last iteration that ended
  let assigns: Record<string, unknown> = {};
  let measured = { tokens: 0, messages: 0 };
  const reader: Reader = { hasMore: false };
  const release = () => messages.push(...held.splice(0).map(({ message }) => decodeMessage(message)));

  for (const entry of inside === undefined ? withoutNested(entries) : entries) {
    switch (entry.type) {
      case "run-start":
      case "run-end":
        open = undefined;
        release();
        break;
      case "message":
        if (isSaidDuring(entry, ended, open !== undefined)) held.push(entry);
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
        if (open) {
          messages.push({ role: "assistant", content: open.content });
          const tokens = open.usage.inputTokens + open.usage.outputTokens;
          if (tokens > 0) measured = { tokens, messages: messages.length };
        }
        append(messages, entry.messages, {
          part: (callId) => partOf(open, calls.get(callId), ends.get(callId), reader),
        });
        assigns = { ...assigns, ...assignsOf(entry.key, ends) };
        release();
        open = undefined;
        ended = entry.key;
        ends.clear();
        calls.clear();
        break;
      case "compaction":
        replaceAll(messages, entry.messages.map(decodeMessage));
        measured = { tokens: entry.after, messages: messages.length };
        reader.hasMore ||= JSON.stringify(entry.messages).includes(READ_RESULT);
        break;
    }
  }
  return { messages, assigns, waiting: held, measured, hasMore: reader.hasMore };
}

/** The list stays the same, for whoever holds it. */
export function replaceAll(messages: Message[], others: readonly Message[]): void {
  messages.length = 0;
  for (const message of others) messages.push(message);
}

/**
 * A steer has the key of the iteration that went on, or of the one before when none did. A follow-up is there within an iteration
 * when the run stopped in it.
 */
function isSaidDuring({ via, key }: EntryOf<"message">, ended: string, isOpen: boolean): boolean {
  if (via === "follow-up") return isOpen;
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

function partOf(
  open: EntryOf<"model-response"> | undefined,
  call: EntryOf<"tool-call"> | undefined,
  end: EntryOf<"tool-end"> | undefined,
  reader: Reader,
): ToolResultPart | undefined {
  if (!call || !end) return undefined;
  const asked = open?.content.find((part) => part.type === "tool-call" && part.toolCallId === call.id);
  return resultPart({ id: call.id, name: asked?.type === "tool-call" ? asked.toolName : call.name }, end, reader);
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

type ToolEnd = EntryOf<"tool-end">;

/** Takes note of results of which the model reads a part only. */
export interface Reader {
  hasMore: boolean;
}

/** The tool that reads on in a result. */
export const READ_RESULT = "read_result";

/** Characters of a result above which the model reads a preview. */
export const RESULT_LIMIT = 50_000;

/** A call's end as the model reads it, under the id and the name that it used. */
export function resultPart({ id, name }: { id: string; name: string }, end: ToolEnd, reader: Reader): ToolResultPart {
  return { type: "tool-result", toolCallId: id, toolName: name, output: outputOf(end, reader) };
}

/** The whole text of a result, as far as it is text. */
export function wholeText({ error, content, output }: ToolEnd): string {
  if (error) return error.hint ? `${error.message}\n${error.hint}` : error.message;
  if (!content) return output === undefined ? "" : textOfOutput(output);
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function outputOf(end: ToolEnd, reader: Reader): ToolOutput {
  const { content, error, limit = RESULT_LIMIT } = end;
  const text = wholeText(end);
  const isLong = text.length > limit && limit > 0;
  if (isLong) reader.hasMore = true;
  const value = isLong ? preview(text, limit, end.key) : text;
  if (error) return { type: "error-text", value };
  if (!content) return { type: "text", value };
  const parts = content.map(imageOrText);
  if (!isLong) return { type: "content", value: parts };
  return { type: "content", value: [{ type: "text", text: value }, ...parts.filter(({ type }) => type !== "text")] };
}

type ContentItem = Extract<ToolOutput, { type: "content" }>["value"][number];

function imageOrText(part: NonNullable<ToolEnd["content"]>[number]): ContentItem {
  return part.type === "text" ? part : { type: "image-data", data: part.data, mediaType: part.mediaType };
}

/** Almost every output is plain JSON, whose text needs no decoding. */
function textOfOutput(output: Json): string {
  if (typeof output === "string") return output;
  const text = JSON.stringify(output);
  return text.includes('"$haft"') ? modelText(decode(output)) : text;
}

/** A fifth of the limit: the most of it from the beginning, and the end. */
function preview(text: string, limit: number, callId: string): string {
  const head = endOfPiece(text, Math.floor(limit * 0.15));
  const tail = endOfPiece(text, text.length - Math.floor(limit * 0.05));
  const way = `${READ_RESULT}({ "call": "${callId}", "offset": ${head} }) reads on; with "grep" it finds lines.`;
  const note = `[… Characters ${head} to ${tail} of ${text.length} are left out here. ${way} …]`;
  return `${text.slice(0, head)}\n\n${note}\n\n${text.slice(tail)}`;
}

/** After a whole character, and after a whole line where one ends near. */
export function endOfPiece(text: string, place: number): number {
  const line = text.lastIndexOf("\n", place - 1) + 1;
  if (line > 0 && place - line < 200) return line;
  return isInsidePair(text, place) ? place - 1 : place;
}

function isInsidePair(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff;
}
