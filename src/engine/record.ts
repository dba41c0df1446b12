/** The one door out of a run: redact once, append to the store, tell the watchers. */
import { HaftError, messageOf } from "../base/errors.ts";
import {
  type Entry,
  type EntryBody,
  type EntryOf,
  type LiveEvent,
  LOG_VERSION,
  type RunEvent,
  type Store,
} from "../core/log.ts";
import type { Redact } from "../core/secrets.ts";
import type { LiveText } from "./live-text.ts";

export interface LogSettings {
  /** What is in the store already, or was given as a log. */
  entries: readonly Entry[];
  redact: Redact;
  /** Takes out of live text, which comes in pieces; left out when there is nothing to take out. */
  live: LiveText | undefined;
  /** Told of each event, once it is durable. */
  watchers: { tell(event: RunEvent): void };
  trace?: (event: RunEvent) => void;
  /** Aborted when the store failed: the run cannot go on. */
  abort: { abort(reason: unknown): void };
  store?: { store: Store; session: string; epoch: number };
}

/** What the log of a run inside a call is made with. */
export type BranchSettings = Pick<LogSettings, "redact" | "live" | "trace">;

/** Who wants to be told of each event beside the watchers. */
export interface Follower {
  show(event: RunEvent): void;
}

/** What a run writes to: a log of its own, or its part of another one. */
export type Recorder = Pick<RunLog, keyof RunLog>;

/** What one append takes, and what watchers are told once it is written: entries, and the live events between them. */
interface Batch {
  readonly entries: Entry[];
  readonly events: RunEvent[];
}

/**
 * `record` gives the entry as it was written: who asked for a call sees what a replay will see.
 * What must not be lost before the next step awaits `durable()`. Everything recorded until then goes in one append; what
 * nobody waits for is written a moment later.
 */
export class RunLog {
  readonly entries: Entry[];
  readonly #settings: LogSettings;
  #seq: number;
  #open: Batch | undefined;
  #last: Promise<void> | undefined;
  #scheduled: ReturnType<typeof setImmediate> | undefined;
  /** The last append gave no promise, and the first is tried at once to see whether it does. */
  #writesAtOnce = true;
  #failure: HaftError | undefined;
  #closed = false;
  /** How many of our own entries watchers were told of. */
  #told = 0;
  readonly #live: LiveText | undefined;
  /** Runs inside calls. Replaced, never changed. */
  #followers: readonly Follower[] | undefined;

  constructor(settings: LogSettings) {
    this.#settings = settings;
    this.entries = settings.entries.slice();
    this.#seq = (this.entries.at(-1)?.seq ?? -1) + 1;
    this.#live = settings.live;
  }

  record<B extends EntryBody>(key: string, body: B): EntryOf<B["type"]> {
    const clean = this.#settings.redact(body);
    const entry = { v: LOG_VERSION, seq: this.#seq, at: Date.now(), key, ...clean } as unknown as EntryOf<B["type"]>;
    if (this.#closed) return entry; // what comes too late is not part of the run
    if (this.#live) this.#endLive(this.#live, key, body.type);
    this.#seq++;
    this.entries.push(entry);
    if (!this.#settings.store) this.#show(entry);
    else this.#enqueue(entry);
    return entry;
  }

  /** Says something to those who watch now, after the entries that came before it. */
  emit(event: LiveEvent): void {
    if (this.#closed) return;
    const passed = this.#live ? this.#live.pass(event) : event;
    if (passed) this.#pass(passed);
  }

  #endLive(live: LiveText, key: string, type: Entry["type"]): void {
    for (const rest of live.end(key, type)) this.#pass(rest);
  }

  #pass(event: LiveEvent): void {
    if (this.#last || this.#open) this.#batch().events.push(event);
    else this.#show(event);
  }

  /** Resolves when all that was recorded so far is in the store; undefined when it is already. */
  durable(): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    if (this.#open && this.#open.entries.length > 0) this.#write(this.#open);
    return this.#last;
  }

  /** What watchers were told of since the run was started here: its own entries, as far as they are durable. */
  get told(): readonly Entry[] {
    const { length } = this.#settings.entries;
    return this.entries.slice(length, length + this.#told);
  }

  /** What leaves the run without being an entry. */
  redacted<T>(value: T): T {
    return this.#settings.redact(value);
  }

  /** Why the store takes nothing any more. */
  get failure(): HaftError | undefined {
    return this.#failure;
  }

  follow(follower: Follower): void {
    this.#followers = [...(this.#followers ?? []), follower];
  }

  unfollow(follower: Follower): void {
    this.#followers = this.#followers?.filter((one) => one !== follower);
  }

  /** After this, nothing is recorded any more. */
  close(): Promise<void> | undefined {
    this.#closed = true;
    return this.durable();
  }

  /** A store that gave no promise the last time is written to at once. */
  #enqueue(entry: Entry): void {
    if (this.#writesAtOnce && !this.#last) {
      this.#writeAtOnce(entry);
      return;
    }
    const batch = this.#batch();
    batch.entries.push(entry);
    batch.events.push(entry);
    this.#scheduled ??= setImmediate(() => void this.durable()?.catch(() => {}));
  }

  #writeAtOnce(entry: Entry): void {
    const written = this.#append([entry]);
    this.#writesAtOnce = written === undefined;
    if (written) this.#keep(written.then(() => this.#show(entry)));
    else this.#show(entry);
  }

  /** Appends go one after the other; a store that writes at once needs no promise. */
  #write(batch: Batch): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    this.#open = undefined;
    const { entries } = batch;
    const written = this.#last ? this.#last.then(() => this.#append(entries)) : this.#append(entries);
    if (written) this.#keep(written.then(() => this.#tell(batch)));
    else this.#tell(batch);
  }

  #batch(): Batch {
    this.#open ??= { entries: [], events: [] };
    return this.#open;
  }

  #append(entries: readonly Entry[]): Promise<void> | undefined {
    const { store, session, epoch } = this.#settings.store!;
    try {
      const written = store.append(session, entries, { epoch });
      return written?.catch((cause) => {
        throw this.#fail(cause);
      });
    } catch (cause) {
      return Promise.reject(this.#fail(cause));
    }
  }

  #tell(batch: Batch): void {
    for (const event of batch.events) this.#show(event);
  }

  #keep(written: Promise<void>): void {
    this.#last = written;
    written.then(
      () => this.#settle(written),
      () => {}, // whoever awaits durable() sees it; so does failed()
    );
  }

  /** Live events that came during the last append are told now. */
  #settle(written: Promise<void>): void {
    if (this.#last !== written) return;
    this.#last = undefined;
    if (!this.#open || this.#open.entries.length > 0) return;
    const { events } = this.#open;
    this.#open = undefined;
    for (const event of events) this.#show(event);
  }

  #show(event: RunEvent): void {
    if ("seq" in event) {
      this.#told++;
      seal(event);
    }
    this.#settings.watchers.tell(event);
    this.#settings.trace?.(event);
    if (this.#followers) for (const follower of this.#followers) follower.show(event);
  }

  #fail(cause: unknown): HaftError {
    if (this.#failure) return this.#failure;
    this.#failure = HaftError.is(cause)
      ? cause
      : new HaftError("STORE_FAILED", `The log could not be written: ${messageOf(cause)}`, {
          cause,
          hint: "Nothing further was started. Mend the store, then go on with the same session.",
        });
    this.#settings.abort.abort(this.#failure);
    return this.#failure;
  }
}

/** What a watcher or a hook is shown is the log itself: none of them makes another entry of it, such as a decision. */
function seal(entry: Entry): void {
  Object.freeze(entry);
  if (entry.type === "tool-call" || entry.type === "tool-pause") freezeJson(entry.input);
  else if (entry.type === "decision") freezeJson(entry.decision);
}

function freezeJson(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const key in value) freezeJson((value as Record<string, unknown>)[key]);
}
