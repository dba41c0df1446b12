/** Old results leave the conversation, and say where they can be read. Their images go first. */
import type { Entry } from "../../core/log.ts";
import type { Message, ToolMessage, ToolResultPart } from "../../core/message.ts";
import { READ_RESULT } from "../history.ts";

/** What is shorter than this stays: a placeholder is not much shorter. */
const SMALL = 400;

/** How to name a result for whoever wants to read it; undefined where nobody can. */
export type NameOf = (part: ToolResultPart) => string | undefined;

/** The names of the results of a conversation: their keys in its log. Ids of providers may repeat, so both are read from their ends. */
export function namesFor(messages: readonly Message[], entries: readonly Entry[]): NameOf {
  const keys = new Map<string, string[]>();
  const ended = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "tool-call") keys.set(entry.id, [...(keys.get(entry.id) ?? []), entry.key]);
    else if (entry.type === "tool-end") ended.add(entry.key);
  }
  const names = new Map<ToolResultPart, string>();
  for (const { role, content } of [...messages].reverse()) {
    if (role !== "tool") continue;
    for (const part of [...content].reverse()) {
      const key = keys.get(part.toolCallId)?.pop();
      if (key !== undefined && ended.has(key)) names.set(part, key);
    }
  }
  return (part) => names.get(part);
}

/** The same conversation; of the results before `cut`, no images. */
export function withoutOldImages(messages: readonly Message[], cut: number, nameOf: NameOf): Message[] {
  return mapResults(messages, 0, cut, (part) => withoutImages(part, nameOf));
}

/** The same conversation; of the results from `start` to `end`, those that are short. */
export function withoutResults(messages: readonly Message[], start: number, end: number, nameOf: NameOf): Message[] {
  return mapResults(messages, start, end, (part) => placeholder(part, nameOf));
}

function mapResults(
  messages: readonly Message[],
  start: number,
  end: number,
  change: (part: ToolResultPart) => ToolResultPart,
): Message[] {
  return messages.map((message, index) => {
    if (message.role !== "tool" || index < start || index >= end) return message;
    const content = message.content.map(change);
    const isSame = content.every((part, place) => part === message.content[place]);
    return isSame ? message : ({ ...message, content } satisfies ToolMessage);
  });
}

function withoutImages(part: ToolResultPart, nameOf: NameOf): ToolResultPart {
  const { output, toolName } = part;
  if (output.type !== "content" || output.value.every(({ type }) => type === "text")) return part;
  const value = output.value.map((item) =>
    item.type === "text" ? item : { type: "text" as const, text: note(toolName, item.mediaType, nameOf(part)) },
  );
  return { ...part, output: { type: "content", value } };
}

function placeholder(part: ToolResultPart, nameOf: NameOf): ToolResultPart {
  const { output, toolName } = part;
  const text = output.type === "content" ? textOf(output.value) : output.value;
  const images = output.type === "content" ? output.value.filter(({ type }) => type !== "text").length : 0;
  if (text.length < SMALL && images === 0) return part;
  const size = `${text.length} characters${images > 0 ? ` and ${images} image${images > 1 ? "s" : ""}` : ""}`;
  return { ...part, output: { type: "text", value: note(toolName, size, nameOf(part)) } };
}

function textOf(items: readonly { type: string; text?: string }[]): string {
  return items.map(({ text = "" }) => text).join("");
}

function note(tool: string, what: string, name: string | undefined): string {
  const way = name === undefined ? "It cannot be read again." : `${READ_RESULT}({ "call": "${name}" }) gives it again.`;
  return `[The result of ${tool} was taken out to make room: ${what}. ${way}]`;
}
