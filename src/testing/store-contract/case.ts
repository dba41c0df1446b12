/** What a case of the store contract is made of, and what it is given to work with. */
import assert from "node:assert/strict";
import { HaftError } from "../../base/errors.ts";
import { type Entry, LOG_VERSION } from "../../core/log.ts";
import type { ClaimOptions, SessionStore } from "../../core/store.ts";

/** A store to be tested, new and empty. */
export interface StoreSubject {
  store: SessionStore;
  /** Another store on the same data, as another process would open it. Left out by stores that have no place. */
  other?(): SessionStore;
  /** Called when the case is over and its stores are closed. */
  close?(): Promise<void>;
}

export interface StoreCase {
  name: string;
  run(bench: StoreBench): Promise<void>;
}

/** Makes the store, runs the case on it and cleans up, whatever happens. */
export async function withStore(make: () => Promise<StoreSubject>, storeCase: StoreCase): Promise<void> {
  const subject = await make();
  const bench = new StoreBench(subject);
  try {
    await storeCase.run(bench);
  } finally {
    await bench.close();
    await subject.close?.();
  }
}

/** The store of one case, with the few verbs that cases are written in. */
export class StoreBench {
  readonly store: SessionStore;
  readonly #others: SessionStore[] = [];
  readonly #subject: StoreSubject;

  constructor(subject: StoreSubject) {
    this.store = subject.store;
    this.#subject = subject;
  }

  /** As another process sees the data; the same store where there is no other way to it. */
  other(): SessionStore {
    const other = this.#subject.other?.();
    if (other) this.#others.push(other);
    return other ?? this.store;
  }

  async close(): Promise<void> {
    for (const store of [...this.#others, this.store]) await store.close();
  }
}

/** `at` grows with `seq`. */
export function entry(seq: number, text = `entry ${seq}`, at = 1_700_000_000_000 + seq): Entry {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  return { v: LOG_VERSION, seq, at, key: "run_1", type: "message", via: "prompt", message };
}

/** An append may also be done at once, without a promise; then it throws. */
export async function append(store: SessionStore, session: string, entries: Entry[], epoch = 0): Promise<void> {
  await store.append(session, entries, { epoch });
}

export async function seqs(store: SessionStore, session: string, after?: number): Promise<number[]> {
  return (await store.read(session, after)).map(({ seq }) => seq);
}

/** The epoch of a claim that must be granted. */
export async function claimed(store: SessionStore, session: string, options?: Partial<ClaimOptions>): Promise<number> {
  const claim = await store.claim(session, { worker: "one", ttlMs: 60_000, ...options });
  assert.ok(claim.granted, `the claim is granted, got ${JSON.stringify(claim)}`);
  assert.ok(Number.isInteger(claim.epoch) && claim.epoch > 0, `an epoch is a number from 1, got ${claim.epoch}`);
  return claim.epoch;
}

/** The call must fail with a HaftError of one of these codes, that says something. */
export async function refused(call: () => unknown, ...codes: string[]): Promise<void> {
  const thrown = await (async () => call())().then(
    (value) => assert.fail(`expected ${codes.join(" or ")}, got ${JSON.stringify(value)?.slice(0, 200)}`),
    (error: unknown) => error,
  );
  if (thrown instanceof assert.AssertionError) throw thrown;
  assert.ok(HaftError.is(thrown), `expected a HaftError, got ${thrown}`);
  assert.ok(codes.includes(thrown.code), `expected ${codes.join(" or ")}, got ${thrown.code}: ${thrown.message}`);
  assert.ok(thrown.message.length > 10, "an error says what was wrong, in a sentence");
}
