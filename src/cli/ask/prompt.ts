/** Opens one prompt of the prompt library, and tells the ways of not answering apart. */

import type { CANCEL_SYMBOL } from "@clack/prompts";

export const CTRL_C: unique symbol = Symbol("Ctrl-C");
/** Ctrl-D on an empty line: there is nothing more to say. */
export const CTRL_D: unique symbol = Symbol("Ctrl-D");

export type Answer<T> = T | typeof CTRL_C | typeof CTRL_D;

/**
 * `open` is a prompt that takes this signal. At Ctrl-D the library closes its input and never answers, so that the
 * process would end in the middle of what it does: here the prompt is cancelled. `abortSignal` cancels it, too.
 */
export async function openPrompt<T>(
  open: (signal: AbortSignal) => Promise<T | typeof CANCEL_SYMBOL>,
  abortSignal?: AbortSignal,
): Promise<Answer<T>> {
  const closed = new AbortController();
  const onKey = (_text: string | undefined, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (!key?.ctrl || key.name !== "d") return;
    // The library's reader has seen the key by then: it pauses its input only where Ctrl-D meant the end.
    setImmediate(() => process.stdin.isPaused() && closed.abort());
  };
  const onEnd = () => closed.abort();
  process.stdin.on("keypress", onKey).once("end", onEnd);
  try {
    const signal = abortSignal ? AbortSignal.any([abortSignal, closed.signal]) : closed.signal;
    const answer = await open(signal);
    if (typeof answer !== "symbol") return answer as T;
    return closed.signal.aborted ? CTRL_D : CTRL_C;
  } finally {
    process.stdin.off("keypress", onKey).off("end", onEnd);
  }
}
