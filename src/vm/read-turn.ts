/** A turn's text, read: the first time that anybody looks at what the guest has written. */
import { messageOf } from "../base/errors.ts";
import type { Turn } from "../core/program.ts";

export function readTurn(text: string): Turn {
  try {
    return JSON.parse(text) as Turn;
  } catch (thrown) {
    const message = `The engine wrote what cannot be read: ${messageOf(thrown)}`;
    return { calls: [], timers: [], prints: [], done: { type: "lost", message } };
  }
}
