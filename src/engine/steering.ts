/** What people say to a run while it goes on. */
import type { EntryOf } from "../core/log.ts";
import { type UserMessage, userText } from "../core/message.ts";
import type { RunLog } from "./record.ts";

type Said = Pick<EntryOf<"message">, "key" | "message">;

export class Steering {
  /** Said, and not yet in the conversation. */
  readonly #said: Said[] = [];
  readonly #followUps: string[] = [];
  readonly #early: UserMessage[] = [];
  #log: RunLog | undefined;
  /** The iteration that goes on: what is said now comes after it. */
  #key = "";
  #isOver = false;
  onSteer: (() => void) | undefined;

  /** From here on, what is said goes to the log at once. `waiting` is what the log has of it already. */
  start(log: RunLog, key: string, waiting: readonly Said[]): void {
    this.#log = log;
    this.#said.push(...waiting);
    this.#key = key;
    for (const message of this.#early.splice(0)) this.say(message);
  }

  at(key: string): void {
    this.#key = key;
  }

  steer(text: string): boolean {
    return this.say(userText(text));
  }

  say(message: UserMessage): boolean {
    if (this.#isOver) return false;
    if (!this.#log) {
      this.#early.push(message);
      return true;
    }
    this.#said.push(this.#log.record(this.#key, { type: "message", via: "steer", message }));
    this.onSteer?.();
    return true;
  }

  followUp(text: string): boolean {
    if (this.#isOver) return false;
    this.#followUps.push(text);
    return true;
  }

  get waiting(): boolean {
    return this.#said.length > 0;
  }

  /** What was said before this iteration. A run that goes on may know already what is said during it. */
  takeBefore(key: string): UserMessage[] {
    const taken = this.#said.filter((said) => said.key !== key);
    const left = this.#said.filter((said) => said.key === key);
    this.#said.splice(0, this.#said.length, ...left);
    return taken.map(({ message }) => message as UserMessage);
  }

  takeAll(): UserMessage[] {
    return this.#said.splice(0).map(({ message }) => message as UserMessage);
  }

  /** The next follow-up, recorded, when the run would end otherwise. */
  takeFollowUp(): UserMessage | undefined {
    const text = this.#followUps.shift();
    if (text === undefined || !this.#log) return undefined;
    return this.#log.record(this.#key, { type: "message", via: "follow-up", message: userText(text) })
      .message as UserMessage;
  }

  /** From here on nobody is listened to. */
  end(): void {
    this.#isOver = true;
  }
}
