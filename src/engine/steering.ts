/** What people say to a run while it goes on. */
import { type UserMessage, userText } from "../core/message.ts";
import type { RunLog } from "./record.ts";

export class Steering {
  readonly #steers: UserMessage[] = [];
  readonly #followUps: string[] = [];
  #log: RunLog | undefined;
  /** The place of what is said now: the iteration that goes on. */
  #key = "";
  #early: string[] = [];
  #over = false;
  onSteer: (() => void) | undefined;

  /** From here on, what is said goes to the log at once. */
  start(log: RunLog, key: string, waiting: readonly UserMessage[]): void {
    this.#log = log;
    this.#steers.push(...waiting);
    this.#key = key;
    for (const text of this.#early.splice(0)) this.steer(text);
  }

  at(key: string): void {
    this.#key = key;
  }

  steer(text: string): boolean {
    if (this.#over) return false;
    if (!this.#log) {
      this.#early.push(text);
      return true;
    }
    const { message } = this.#log.record(this.#key, { type: "message", via: "steer", message: userText(text) });
    this.#steers.push(message as UserMessage);
    this.onSteer?.();
    return true;
  }

  followUp(text: string): boolean {
    if (this.#over) return false;
    this.#followUps.push(text);
    return true;
  }

  get waiting(): boolean {
    return this.#steers.length > 0;
  }

  takeSteers(): UserMessage[] {
    return this.#steers.splice(0);
  }

  /** The next follow-up, recorded, when the run would end otherwise. */
  takeFollowUp(): UserMessage | undefined {
    const text = this.#followUps.shift();
    if (text === undefined || !this.#log) return undefined;
    return this.#log.record(this.#key, { type: "message", via: "follow-up", message: userText(text) })
      .message as UserMessage;
  }

  end(): void {
    this.#over = true;
  }
}
