/** Tells those who watch a run how an answer grows. */
import type { Recorder } from "../record.ts";
import type { Listener } from "./collect.ts";

export class Shown implements Listener {
  /** Text was shown: another model would tell it differently. */
  anyText = false;
  /** Something was shown that is void when the call fails. */
  any = false;
  readonly #log: Recorder;
  readonly #key: string;
  readonly #toolNames = new Map<string, string>();

  constructor(log: Recorder, key: string) {
    this.#log = log;
    this.#key = key;
  }

  text(text: string): void {
    this.any = true;
    this.anyText = true;
    this.#log.emit({ type: "text-delta", key: this.#key, text });
  }

  reasoning(text: string): void {
    this.any = true;
    this.#log.emit({ type: "reasoning-delta", key: this.#key, text });
  }

  toolInput(id: string, name: string, text: string): void {
    if (name !== "") this.#toolNames.set(id, name);
    const known = this.#toolNames.get(id);
    if (known === undefined) return; // a call that the provider makes itself
    this.any = true;
    this.#log.emit({ type: "tool-input-delta", key: this.#key, id, name: known, text });
  }
}

/** For a stream that nobody watches. */
export const nobody: Listener = { text() {}, reasoning() {}, toolInput() {} };
