/** Where logs live, and whose turn it is to write to one. */
import type { Entry } from "./log.ts";

/** Where logs live. */
export interface Store {
  /** The entries of a session in order of `seq`, those with a greater `seq` than `after` when it is given. */
  read(session: string, after?: number): Promise<Entry[]>;
  /** Durable when it resolves, or at once when it gives no promise. All of the entries, or none. */
  append(session: string, entries: readonly Entry[], options: AppendOptions): Promise<void> | void;
}

export interface AppendOptions {
  /** A writer whose epoch is not the session's any more can write nothing (HaftError `STORE_EPOCH_STALE`). */
  epoch: number;
}

/**
 * A store that also knows whose turn it is. One worker at a time has a session: it claims it, renews that claim while it
 * works, and gives it back. Every claim has a higher epoch than the ones before, and an append with a lower one than
 * the last that was granted is refused. Time is the store's own, not that of the worker.
 */
export interface SessionStore extends Store {
  /** Takes the session, new or not, when nobody has it or their claim has run out. */
  claim(session: string, options: ClaimOptions): Promise<Claim>;
  /** Has it for `ttlMs` from now. False: somebody else has taken it since, or it was given back. */
  renew(session: string, options: { epoch: number; ttlMs: number }): Promise<boolean>;
  /** Gives it back. Of an epoch that is not the last one granted, it changes nothing. */
  release(session: string, options: { epoch: number }): Promise<void>;
  /** The sessions that were written to, the last one first. */
  list(options?: ListOptions): Promise<SessionInfo[]>;
  /** Nothing is read or written after this. What was acknowledged is kept. */
  close(): Promise<void>;
}

export interface ClaimOptions {
  /** Who takes it, for people: "host:pid", say. */
  worker: string;
  /** Milliseconds until it is anybody's, unless it is renewed. */
  ttlMs: number;
}

export type Claim =
  | { granted: true; epoch: number }
  /**
   * Who has it, and for how many milliseconds more, unless they renew it. `epoch` is theirs, where the store tells it: whoever
   * knows that they are gone can give it back for them.
   */
  | { granted: false; worker: string; expiresInMs: number; epoch?: number };

export interface ListOptions {
  /** Default 50. */
  limit?: number;
}

export interface SessionInfo {
  session: string;
  /** How many entries it has. */
  entries: number;
  /** Milliseconds since 1970: its first entry, and its last. */
  createdAt: number;
  updatedAt: number;
  /** Who has it now, where somebody does and the store tells it. */
  worker?: string;
}
