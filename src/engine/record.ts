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

export interface LogSettings {
  /** What is in the store already, or was given as a log. */
  entries: readonly Entry[];
  redact: Redact;
  /** Told of each event, once it is durable. */
  tell(event: RunEvent): void;
  /** Told once, when the store failed: the run cannot go on. */
  failed(error: HaftError): void;
  store?: { store: Store; session: string; epoch: number };
}

interface Batch {
  entries: Entry[];
  done: Promise<void>;
  settle(error?: HaftError): void;
}

/**
 * `record` gives the entry as it was written: who asked for a call sees what a replay will see.
 * What must not be lost before the next step awaits `durable()`; entries recorded meanwhile share one append.
 */
export class RunLog {
  readonly entries: Entry[];
  readonly #settings: LogSettings;
  #seq: number;
  #open: Batch | undefined;
  #writing: Promise<void> | undefined;
  #failure: HaftError | undefined;
  #closed = false;

  constructor(settings: LogSettings) {
    this.#settings = settings;
    this.entries = settings.entries.slice();
    this.#seq = (this.entries.at(-1)?.seq ?? -1) + 1;
  }

  record<B extends EntryBody>(key: string, body: B): EntryOf<B["type"]> {
    const entry = {
      v: LOG_VERSION,
      seq: this.#seq,
      at: Date.now(),
      key,
      ...this.#settings.redact(body),
    } as unknown as Entry;
    if (this.#closed) return entry as EntryOf<B["type"]>; // what comes too late is not part of the run
    this.#seq++;
    this.entries.push(entry);
    if (this.#settings.store) this.#enqueue(entry);
    else this.#settings.tell(entry);
    return entry as EntryOf<B["type"]>;
  }

  /** Says something to those who watch now. */
  emit(event: LiveEvent): void {
    if (!this.#closed) this.#settings.tell(this.#settings.redact(event));
  }

  /** Resolves when all that was recorded so far is in the store; undefined when it is already. */
  durable(): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure);
    return this.#open?.done ?? this.#writing;
  }

  /** After this, nothing is recorded any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.durable();
  }

  #enqueue(entry: Entry): void {
    if (!this.#open) {
      this.#open = newBatch();
      if (!this.#writing) queueMicrotask(() => this.#write());
    }
    this.#open.entries.push(entry);
  }

  /** One append after the other, until nothing waits. */
  async #write(): Promise<void> {
    const { store, session, epoch } = this.#settings.store!;
    while (this.#open) {
      const batch: Batch = this.#open;
      this.#open = undefined;
      this.#writing = batch.done;
      try {
        if (this.#failure) throw this.#failure;
        await store.append(session, batch.entries, { epoch });
        for (const entry of batch.entries) this.#settings.tell(entry);
        batch.settle();
      } catch (cause) {
        this.#fail(cause, batch);
      }
    }
    this.#writing = undefined;
  }

  #fail(cause: unknown, batch: Batch): void {
    const first = this.#failure === undefined;
    this.#failure ??= HaftError.is(cause)
      ? cause
      : new HaftError("STORE_FAILED", `The log could not be written: ${messageOf(cause)}`, {
          cause,
          hint: "Nothing further was started. Mend the store, then go on with the same session.",
        });
    batch.settle(this.#failure);
    if (first) this.#settings.failed(this.#failure);
  }
}

function newBatch(): Batch {
  let settle!: Batch["settle"];
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error ? reject(error) : resolve());
  });
  done.catch(() => {}); // whoever awaits durable() sees it; so does failed()
  return { entries: [], done, settle };
}
