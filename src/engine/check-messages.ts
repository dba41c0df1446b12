/** A conversation that is given must be one: roles and parts are checked before they reach a log or a provider. */
import { invalidOption } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";

const partsOf: Record<string, string[]> = {
  user: ["text", "file"],
  assistant: ["text", "file", "reasoning", "tool-call"],
  tool: ["tool-result"],
};

/** @throws HaftError `OPTIONS_INVALID` */
export function checkPrompt(prompt: unknown): void {
  if (prompt === undefined || typeof prompt === "string") return;
  if (!Array.isArray(prompt))
    throw invalidOption(`prompt must be text or a list of parts, got ${describeValue(prompt)}`);
  checkParts("user", prompt, "prompt");
}

/** @throws HaftError `OPTIONS_INVALID` */
export function checkMessages(messages: unknown): void {
  if (messages === undefined) return;
  if (!Array.isArray(messages))
    throw invalidOption(`messages must be a list of messages, got ${describeValue(messages)}`);
  for (const [index, message] of messages.entries()) checkMessage(message, `messages[${index}]`);
}

function checkMessage(message: unknown, place: string): void {
  if (typeof message === "string") return;
  if (!isPlainObject(message)) throw invalidOption(`${place} must be text or a message, got ${describeValue(message)}`);
  const { role, content } = message;
  if (typeof role !== "string" || !Object.hasOwn(partsOf, role)) {
    const hint = role === "system" ? "What a system message says goes into `instructions`." : undefined;
    throw invalidOption(`${place} has the role ${JSON.stringify(role)}; there are user, assistant and tool`, hint);
  }
  if (typeof content === "string" && role !== "tool") return;
  if (!Array.isArray(content)) throw invalidOption(`${place}.content must be text or a list of parts`);
  checkParts(role, content, `${place}.content`);
}

function checkParts(role: string, parts: readonly unknown[], place: string): void {
  const known = partsOf[role]!;
  for (const [index, part] of parts.entries()) {
    const type = isPlainObject(part) ? part.type : undefined;
    if (typeof type === "string" && known.includes(type)) continue;
    throw invalidOption(
      `${place}[${index}] is no part of a ${role} message: its type is ${JSON.stringify(type) ?? "missing"}`,
      `A ${role} message has parts of the type ${known.join(", ")}.`,
    );
  }
}
