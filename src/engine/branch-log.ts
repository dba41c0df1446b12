/** The log of a run inside a call: a part of the log of the run around, written through its door. */
import { type Entry, type EntryBody, type EntryOf, type LiveEvent, LOG_VERSION, type RunEvent } from "../core/log.ts";
import { isIn } from "../core/log-keys.ts";
import type { LiveText } from "./live-text.ts";
import type { BranchSettings, Follower, Recorder } from "./record.ts";

/** What is secret here is taken out before the log around takes out what is secret there. */
export class BranchLog implements Recorder, Follower {
  readonly #around: Recorder;
  readonly #run: string;
  readonly #settings: BranchSettings;
  readonly #live: LiveText | undefined;
  #closed = false;

  constructor(around: Recorder, run: string, settings: BranchSettings) {
    this.#around = around;
    this.#run = run;
    this.#settings = settings;
    this.#live = settings.live;
    if (settings.trace) around.follow(this);
  }

  /** All of the log around. */
  get entries(): Entry[] {
    return this.#around.entries;
  }

  record<B extends EntryBody>(key: string, body: B): EntryOf<B["type"]> {
    const clean = this.#settings.redact(body);
    if (this.#closed) {
      const place = { v: LOG_VERSION, seq: this.entries.length, at: Date.now(), key };
      return { ...place, ...this.#around.redacted(clean) } as unknown as EntryOf<B["type"]>;
    }
    if (this.#live) for (const rest of this.#live.end(key, body.type)) this.#around.emit(rest);
    return this.#around.record(key, clean);
  }

  emit(event: LiveEvent): void {
    if (this.#closed) return;
    const passed = this.#live ? this.#live.pass(event) : event;
    if (passed) this.#around.emit(passed);
  }

  durable(): Promise<void> | undefined {
    return this.#around.durable();
  }

  get told(): readonly Entry[] {
    return this.#around.told.filter(({ key }) => isIn(this.#run, key));
  }

  redacted<T>(value: T): T {
    return this.#around.redacted(this.#settings.redact(value));
  }

  get failure(): Recorder["failure"] {
    return this.#around.failure;
  }

  /** Told of all that the log around tells: what is inside the run is for its own hook. */
  show(event: RunEvent): void {
    if (isIn(this.#run, event.key)) this.#settings.trace?.(event);
  }

  follow(follower: Follower): void {
    this.#around.follow(follower);
  }

  unfollow(follower: Follower): void {
    this.#around.unfollow(follower);
  }

  close(): Promise<void> | undefined {
    this.#closed = true;
    const written = this.#around.durable();
    const leave = () => this.#around.unfollow(this);
    if (written) written.then(leave, leave);
    else leave();
    return written;
  }
}
