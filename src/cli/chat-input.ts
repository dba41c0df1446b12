/** What a person says next: at a terminal by a prompt, from a pipe line by line. */
import { createInterface } from "node:readline";
import { isCancel, text } from "@clack/prompts";
import type { Screen } from "./render/screen.ts";
import { clean } from "./render/text.ts";

export const CTRL_C: unique symbol = Symbol("Ctrl-C");

/** undefined: there is nothing more. */
export type Said = string | typeof CTRL_C | undefined;

export function chatInput(screen: Screen, isTerminal: boolean): () => Promise<Said> {
  return isTerminal ? () => prompt(screen) : lines(screen);
}

async function prompt(screen: Screen): Promise<Said> {
  const said = await screen.hold(() => text({ message: "You", placeholder: "Say what to do, or /help" }));
  return isCancel(said) ? CTRL_C : (said ?? "").trim();
}

function lines(screen: Screen): () => Promise<Said> {
  const reader = createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await reader.next();
    if (done) return undefined;
    if (value.trim()) screen.print(`> ${clean(value)}\n`);
    return value.trim();
  };
}
