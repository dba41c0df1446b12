/** Makes a conversation shorter: old results become placeholders; where that is not enough, old turns become a summary. */
import { messageOf } from "../../base/errors.ts";
import type { Entry, EntryOf } from "../../core/log.ts";
import { type Message, userText } from "../../core/message.ts";
import { type NameOf, namesFor, withoutOldImages, withoutResults } from "./placeholders.ts";
import { cutFor, type Pins, pinsOf, sizeOf, turnsOf } from "./turns.ts";

export interface ToShorten {
  messages: readonly Message[];
  entries: readonly Entry[];
  /** Estimated tokens of the messages: what must not be passed, and what is short enough without a summary. */
  limit: number;
  goal: number;
  keepTurns: number;
  /** The model has a tool that reads results. */
  canRead: boolean;
  /** @throws why there is no summary */
  summarize(messages: readonly Message[]): Promise<string>;
  warn(message: string): void;
  /** @throws the reason of an abort */
  check(): void;
}

export interface Shortened {
  messages: Message[];
  method: EntryOf<"compaction">["method"];
}

const SUMMARY = "[What happened before this was made shorter. Notes of it:]";
const LEFT_OUT = "[The conversation was too long: its oldest part was left out here.]";

/** Undefined where nothing can be made shorter. @throws the reason of an abort */
export async function shorten(task: ToShorten): Promise<Shortened | undefined> {
  const { messages, limit, goal } = task;
  const turns = turnsOf(messages);
  const nameOf: NameOf = task.canRead ? namesFor(messages, task.entries) : () => undefined;
  const cut = cutFor(messages, turns, task.keepTurns, limit / 2);

  const pruned = withPlaceholders(messages, cut, nameOf, goal);
  if (sizeOf(pruned) <= goal) return smaller(task, { messages: pruned, method: "placeholders" });

  const pins = pinsOf(messages, task.entries);
  const summed = await withSummary(task, cut, pins);
  if (summed) return fitted(task, { messages: summed, method: "summary" }, nameOf);
  if (sizeOf(pruned) <= limit) return smaller(task, { messages: pruned, method: "placeholders" });
  return fitted(task, withoutOldest(pruned, turns, pins, goal), nameOf);
}

/** The images first; then the results, all at once: a cache that is lost is lost once. */
function withPlaceholders(messages: readonly Message[], cut: number, nameOf: NameOf, goal: number): Message[] {
  const imageless = withoutOldImages(messages, cut, nameOf);
  return sizeOf(imageless) <= goal ? imageless : withoutResults(messages, 0, cut, nameOf);
}

/** Undefined where there is nothing to sum up, or nobody who does it. */
async function withSummary(task: ToShorten, cut: number, pins: Pins): Promise<Message[] | undefined> {
  const { messages } = task;
  const old = messages.slice(0, cut).filter((_, index) => index !== pins.task);
  if (old.every((message) => isNote(message) || message === messages[pins.prompt])) return undefined;
  try {
    const text = await task.summarize(old);
    const made = assembled(messages, cut, pins, [userText(`${SUMMARY}\n\n${text}`)]);
    if (sizeOf(made) < sizeOf(messages)) return made;
    task.warn("The summary of a conversation was as long as the conversation, and is not used");
  } catch (error) {
    task.check();
    task.warn(`A long conversation could not be summed up: ${messageOf(error)}`);
  }
  return undefined;
}

/** Notes of an earlier time stay: they are all that is left of it. */
function withoutOldest(messages: readonly Message[], turns: readonly number[], pins: Pins, goal: number): Shortened {
  const notes = messages.filter((message, index) => index !== pins.task && isNote(message));
  const cut = cutFor(messages, turns, turns.length, goal - sizeOf(notes));
  if (cut === 0) return { messages: [...messages], method: "placeholders" };
  const earlier = notes.filter((note) => messages.indexOf(note) < cut);
  return { messages: assembled(messages, cut, pins, [...earlier, userText(LEFT_OUT)]), method: "dropped" };
}

function isNote(message: Message): boolean {
  const [first] = message.content;
  return message.role === "user" && first?.type === "text" && first.text.startsWith(SUMMARY);
}

/** The task and what was last asked for stay as they were said, also where they are old. */
function assembled(
  messages: readonly Message[],
  cut: number,
  { task, prompt }: Pins,
  notes: readonly Message[],
): Message[] {
  const first = task >= 0 && task < cut ? [messages[task]!] : [];
  const last = prompt >= 0 && prompt < cut && prompt !== task ? [messages[prompt]!] : [];
  return [...first, ...notes, ...last, ...messages.slice(cut)];
}

/** Where the last turns alone are too long, their results go as well, the oldest first. */
function fitted(task: ToShorten, { messages, method }: Shortened, nameOf: NameOf): Shortened | undefined {
  let fitting = messages;
  for (let end = 1; end <= messages.length && sizeOf(fitting) > task.limit; end++) {
    if (messages[end - 1]!.role === "tool") fitting = withoutResults(fitting, end - 1, end, nameOf);
  }
  return smaller(task, { messages: fitting, method });
}

function smaller({ messages }: ToShorten, made: Shortened): Shortened | undefined {
  return sizeOf(made.messages) < sizeOf(messages) ? made : undefined;
}
