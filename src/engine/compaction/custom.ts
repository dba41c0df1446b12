/** A compactor of somebody else: what it gives is looked at before it becomes the conversation. */
import { decode, encode } from "../../base/codec.ts";
import type { Compactor, CompactorContext } from "../../core/compaction.ts";
import { type Message, toMessage } from "../../core/message.ts";
import { checkMessages } from "../check-messages.ts";
import { sizeOf } from "./turns.ts";

/** @throws what it throws, or what is wrong with what it gave */
export async function compactedBy(
  compactor: Compactor,
  messages: readonly Message[],
  about: CompactorContext,
): Promise<Message[]> {
  const given = await compactor(copyOf(messages), about);
  if (!Array.isArray(given)) throw new Error("it gave no list of messages");
  checkMessages(given);
  const made = copyOf(given.map(toMessage));
  const problem = problemOf(made);
  if (problem) throw new Error(problem);
  if (sizeOf(made) >= sizeOf(messages)) throw new Error("what it gave is not shorter");
  return made;
}

/** What it is given, and what it gave, is nobody else's. */
function copyOf(messages: readonly Message[]): Message[] {
  return decode(encode(messages, "messages")) as Message[];
}

/** What providers refuse. */
function problemOf(messages: readonly Message[]): string | undefined {
  if (messages.length === 0) return "it gave no messages";
  if (messages[0]!.role !== "user")
    return `it gave a conversation that begins with a message of the role "${messages[0]!.role}"`;
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const asked = message.role === "tool" && before ? idsOf(before) : [];
    if (message.role === "tool" && asked.join() !== idsOf(message).join())
      return `messages[${index}] has results without their calls, or not all of them`;
    if (message.role === "assistant" && idsOf(message).length > 0 && messages[index + 1]?.role !== "tool")
      return `messages[${index}] has calls without results`;
  }
  return undefined;
}

function idsOf({ role, content }: Message): string[] {
  const ids: string[] = [];
  for (const part of content) {
    if (part.type === (role === "tool" ? "tool-result" : "tool-call"))
      ids.push((part as { toolCallId: string }).toolCallId);
  }
  return ids.sort();
}
