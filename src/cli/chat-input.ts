/** What a person says next: at a terminal by a prompt, from a pipe line by line. */
import { createInterface } from "node:readline";
import { CTRL_C, CTRL_D, GONE, openPrompt } from "./ask/prompt.ts";
import { pasted } from "./ask/terminal-input.ts";
import type { Screen } from "./render/screen.ts";
import { clean } from "./render/text.ts";

/** undefined: there is nothing more. */
export type Said = string | typeof CTRL_C | typeof GONE | undefined;

export function chatInput(screen: Screen, isTerminal: boolean): () => Promise<Said> {
  if (!isTerminal) return lines(screen);
  const library = import("@clack/prompts"); // before the first turn: between a turn and a prompt nobody hears Ctrl-C
  return async () => prompt(screen, await library);
}

async function prompt(screen: Screen, { text }: typeof import("@clack/prompts")): Promise<Said> {
  const look = { message: "You", placeholder: "Say what to do, or /help" };
  const said = await screen.hold(() => openPrompt((place) => text({ ...look, ...place })));
  if (said === CTRL_D) return undefined;
  return said === CTRL_C || said === GONE ? said : pasted(said ?? "").trim();
}

function lines(screen: Screen): () => Promise<Said> {
  const reader = createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await reader.next();
    if (done) return undefined;
    const said = value.trim();
    if (said) screen.print(`> ${clean(said)}\n`);
    return said;
  };
}
