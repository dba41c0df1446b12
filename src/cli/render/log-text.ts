/** What an entry of a log says to a person: a few words, and below them what it holds, cut. */
import type { Json } from "../../base/json.ts";
import type { Decision } from "../../core/decision.ts";
import type { Entry, EntryOf, LoggedError, RunEnding } from "../../core/log.ts";
import { textOf } from "../../core/message.ts";
import { count, duration, oneLine } from "./text.ts";
import { cardSubject, resultLines, textLines } from "./tool-card.ts";
import { visibleLine } from "./visible.ts";

export interface EntryText {
  words: string;
  /** Whole lines; whoever shows them cuts. */
  body?: string[];
  tone?: "bad" | "waits" | "good";
}

/** Kinds that this version does not know are shown as they are. */
export function entryText(entry: Entry): EntryText {
  switch (entry.type) {
    case "run-start":
      return { words: facts([`mode ${entry.mode}`, entry.sandbox?.kind, entry.from && `a fork of ${entry.from.run}`]) };
    case "message":
      return { words: entry.via, body: textLines(textOf(entry.message)) };
    case "model-start":
      return { words: facts([entry.model, attempt(entry.attempt)]) };
    case "model-response":
      return responseText(entry);
    case "model-error":
      return { words: facts([entry.model, attempt(entry.attempt), entry.then]), ...failure(entry.error) };
    case "tool-call":
      return { words: facts([entry.line && `line ${entry.line}`, called(entry.name, entry.input)]) };
    case "tool-pause":
      return { words: called(entry.name, entry.input), body: [`waits: ${visibleLine(entry.message)}`], tone: "waits" };
    case "decision":
      return decisionText(entry.decision);
    case "secret":
      return { words: facts([entry.action, entry.tool, entry.secrets.map(({ name }) => name).join(", ")]) };
    case "tool-start":
      return { words: facts([entry.name, attempt(entry.attempt)]) };
    case "tool-end":
      return endText(entry);
    case "program-start":
      return { words: `types ${entry.check}`, body: textLines(entry.code) };
    case "program-end":
      return {
        words: facts([entry.status, count(entry.calls, "call"), duration(entry.durationMs)]),
        ...(entry.error && failure(entry.error)),
      };
    case "timer":
      return { words: String(entry.timer) };
    case "state":
      return { words: `${entry.path} = ${valueText(entry.after)}` };
    case "iteration-end":
      return statusText(entry);
    case "run-end":
      return endingText(entry);
    default:
      return { words: otherText(entry) };
  }
}

function responseText({ model, content, usage, durationMs }: EntryOf<"model-response">): EntryText {
  const calls = content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
  const tokens = `${usage.inputTokens} in, ${usage.outputTokens} out`;
  const body = content.flatMap((part) => (part.type === "text" ? textLines(part.text) : []));
  return { words: facts([model, duration(durationMs), tokens, calls.length > 0 && `calls ${calls.join(", ")}`]), body };
}

function endText(end: EntryOf<"tool-end">): EntryText {
  const { name, durationMs, error, signal } = end;
  const how = error ? "failed" : signal ? "think again" : "done";
  return { words: facts([name, how, duration(durationMs)]), body: resultLines(end), ...(error && { tone: "bad" }) };
}

function decisionText(decision: Decision): EntryText {
  if ("approve" in decision) {
    const input = decision.input === undefined ? [] : [valueText(decision.input)];
    return { words: input.length > 0 ? "approved, with another input" : "approved", body: input, tone: "good" };
  }
  if ("deny" in decision) return { words: `denied: ${oneLine(decision.deny)}`, tone: "bad" };
  if ("value" in decision) return { words: "given a value", body: [valueText(decision.value)], tone: "good" };
  return { words: `failed: ${oneLine(decision.error)}`, tone: "bad" };
}

function statusText({ status }: EntryOf<"iteration-end">): EntryText {
  const { type, ...more } = status;
  return { words: facts([type, ...Object.values(more)]) };
}

function endingText({ status, stopReason, exit, output, error }: RunEnding): EntryText {
  const words = facts([status, stopReason, exit]);
  if (error) return { words, ...failure(error) };
  return { words, body: output === undefined ? [] : textLines(textOfValue(output)), tone: "good" };
}

function failure({ code, message, hint }: LoggedError): { body: string[]; tone: "bad" } {
  return { body: textLines(`${message} (${code})${hint ? `\n${hint}` : ""}`), tone: "bad" };
}

function otherText({ v, seq, at, key, type, ...rest }: Entry): string {
  return cardSubject(type, rest);
}

function called(name: string, input: Json): string {
  return visibleLine(`${name} ${cardSubject(name, input, visibleLine)}`);
}

function attempt(number: number): string | undefined {
  return number > 1 ? `attempt ${number}` : undefined;
}

function valueText(value: Json | undefined): string {
  return value === undefined ? "nothing" : oneLine(textOfValue(value));
}

function textOfValue(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function facts(words: readonly (string | number | false | undefined | null)[]): string {
  return words
    .filter((word) => word !== undefined && word !== false && word !== null && word !== "")
    .map((word) => oneLine(String(word)))
    .join(" · ");
}
