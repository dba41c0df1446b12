/** What people say to a run while it goes on. */
import type { EntryOf } from "../core/log.ts";
import { type UserMessage, userText } from "../core/message.ts";
import type { Recorder } from "./record.ts";

type Said = Pick<EntryOf<"message">, "key" | "message" | "via">;

const nothing: readonly never[] = [];

/** Most runs are never steered: the lists are replaced, not changed, and all begin as the same one. */
export class Steering {
  /** Said, and not yet in the conversation. */
  #said: readonly Said[] = nothing;
  #followUps: readonly string[] = nothing;
  #early: readonly UserMessage[] = nothing;
  #log: Recorder | undefined;
  /** The iteration that goes on: what is said now comes after it. */
  #key = "";
  #isOver = false;
  onSteer: (() => void) | undefined;

  /** From here on, what is said goes to the log at once. `waiting` is what the log has of it already. */
  start(log: Recorder, key: string, waiting: readonly Said[]): void {
    this.#log = log;
    if (waiting.length > 0) this.#said = [...this.#said, ...waiting];
    this.#key = key;
    for (const message of this.#early) this.say(message);
    this.#early = nothing;
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
      this.#early = [...this.#early, message];
      return true;
    }
    this.#said = [...this.#said, this.#log.record(this.#key, { type: "message", via: "steer", message })];
    this.onSteer?.();
    return true;
  }

  followUp(text: string): boolean {
    if (this.#isOver) return false;
    this.#followUps = [...this.#followUps, text];
    return true;
  }

  get waiting(): boolean {
    return this.#said.length > 0;
  }

  /** Calls that have not started are skipped for it. A follow-up that an earlier process left can wait. */
  get isUrgent(): boolean {
    return this.#said.some(({ via }) => via === "steer");
  }

  /** What was said before this iteration. A run that goes on may know already what is said during it. */
  takeBefore(key: string): UserMessage[] {
    const taken = this.#said.filter((said) => said.key !== key);
    this.#said = this.#said.filter((said) => said.key === key);
    return taken.map(({ message }) => message as UserMessage);
  }

  takeAll(): UserMessage[] {
    const taken = this.#said;
    this.#said = nothing;
    return taken.map(({ message }) => message as UserMessage);
  }

  /** The next follow-up, recorded, when the run would end otherwise. */
  takeFollowUp(): UserMessage | undefined {
    const [text] = this.#followUps;
    if (text === undefined || !this.#log) return undefined;
    this.#followUps = this.#followUps.slice(1);
    return this.#log.record(this.#key, { type: "message", via: "follow-up", message: userText(text) })
      .message as UserMessage;
  }

  /** Those that the run stops before, recorded: whoever goes on reads them. */
  takeFollowUps(): UserMessage[] {
    const taken: UserMessage[] = [];
    for (let next = this.takeFollowUp(); next; next = this.takeFollowUp()) taken.push(next);
    return taken;
  }

  /** From here on nobody is listened to. */
  end(): void {
    this.#isOver = true;
  }
}
