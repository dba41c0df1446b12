/** Opens one prompt of the prompt library, and tells the ways of not answering apart. */

import type { Readable } from "node:stream";
import type { CANCEL_SYMBOL } from "@clack/prompts";
import { onStopSignal } from "../signals.ts";
import { TerminalInput } from "./terminal-input.ts";

export const CTRL_C: unique symbol = Symbol("Ctrl-C");
/** Ctrl-D on an empty line: there is nothing more to say. */
export const CTRL_D: unique symbol = Symbol("Ctrl-D");
/** The terminal has gone, or a signal wants the process to end: nobody should be asked again. */
export const GONE: unique symbol = Symbol("gone");

export type Answer<T> = T | typeof CTRL_C | typeof CTRL_D | typeof GONE;

const SHOW_CURSOR = "\x1b[?25h";

/** What every prompt of the library takes. */
export interface PromptPlace {
  input: Readable;
  signal: AbortSignal;
}

/**
 * `open` is a prompt at this place. At Ctrl-D the library closes its input and never answers: here the prompt is
 * cancelled then. `abortSignal` cancels it, too. With `dropsTypeAhead`, keys pressed before the question do not count.
 */
export async function openPrompt<T>(
  open: (place: PromptPlace) => Promise<T | typeof CANCEL_SYMBOL>,
  { abortSignal, dropsTypeAhead }: { abortSignal?: AbortSignal; dropsTypeAhead?: boolean } = {},
): Promise<Answer<T>> {
  const input = new TerminalInput({ dropsTypeAhead });
  const ended = new AbortController();
  input.on("keypress", (_text: string | undefined, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (!key?.ctrl || key.name !== "d") return;
    // The library's reader has seen the key by then: it pauses its input only where Ctrl-D meant the end.
    setImmediate(() => input.isPaused() && ended.abort());
  });
  const leaving = whenGone();
  try {
    const signal = abortSignal ? AbortSignal.any([abortSignal, ended.signal]) : ended.signal;
    const answer = await Promise.race([open({ input, signal }), leaving.gone]);
    if (answer === GONE) process.stdout.write(SHOW_CURSOR);
    if (answer === GONE || typeof answer !== "symbol") return answer as T | typeof GONE;
    return ended.signal.aborted ? CTRL_D : CTRL_C;
  } finally {
    leaving.ignore();
    input.close();
  }
}

/** The prompt itself is left as it is then: it would fail at a terminal that is not there. */
function whenGone(): { gone: Promise<typeof GONE>; ignore(): void } {
  let ignore = () => {};
  const gone = new Promise<typeof GONE>((resolve) => {
    const onGone = () => resolve(GONE);
    const ignoreSignals = onStopSignal(onGone);
    process.stdin.once("end", onGone).once("error", onGone);
    ignore = () => {
      ignoreSignals();
      process.stdin.off("end", onGone).off("error", onGone);
    };
  });
  return { gone, ignore: () => ignore() };
}
