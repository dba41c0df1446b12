/** Long conversations: models that say how long they are, and what becomes of them. */
import type { Entry, EntryOf } from "../../src/core/log.ts";
import type { ScriptedRequest, ScriptedStep } from "../../src/testing/scripted-model.ts";
import { ofType, scriptedModel } from "./support.ts";

/** About a hundred tokens a hundred words. */
export function words(count: number, word = "word"): string {
  return Array.from({ length: count }, (_, index) => `${word}${index}`).join(" ");
}

/** What a request holds, as a provider would count it. */
export function tokensIn({ prompt, tools }: ScriptedRequest): number {
  return Math.ceil((JSON.stringify(prompt).length + JSON.stringify(tools ?? []).length) / 4);
}

/** Answers, and says how much it read. */
export function counted(answer: ScriptedStep | string): (request: ScriptedRequest) => ScriptedStep {
  return (request) => {
    const step = typeof answer === "string" ? { text: answer } : answer;
    return { ...step, usage: { inputTokens: tokensIn(request), outputTokens: 10 } };
  };
}

/** Somebody asks for notes of a conversation. */
export function isForNotes({ prompt }: ScriptedRequest): boolean {
  return prompt[0]?.role === "system" && prompt[0].content.startsWith("You keep the notes");
}

type Steps = (ScriptedStep | string | ((request: ScriptedRequest) => ScriptedStep | string))[];

/** Plays its steps, and writes "notes" whenever somebody asks for notes. */
export function noting(steps: Steps) {
  let place = 0;
  const answer = (request: ScriptedRequest) => {
    if (isForNotes(request)) return { text: "notes", usage: { inputTokens: 7, outputTokens: 3 } };
    const step = steps[place++]!;
    return typeof step === "function" ? step(request) : step;
  };
  return scriptedModel(Array(steps.length + 60).fill(answer));
}

export function compactions(entries: readonly Entry[]): EntryOf<"compaction">[] {
  return ofType(entries, "compaction");
}

export function textOf(prompt: readonly unknown[]): string {
  return JSON.stringify(prompt);
}
