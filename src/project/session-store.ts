/** What is done to the sessions of a project: the calls that wait are listed and decided, and a log is forked. */
import { forkEntries } from "../agents/fork.ts";
import { HaftError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import type { Entry, Store } from "../core/log.ts";
import { pendingCalls, Snapshot } from "../core/snapshot.ts";
import type { SessionStore } from "../core/store.ts";
import { withSession } from "./lease.ts";

/** The calls of a session that wait for a decision. */
export async function waitingCalls(store: Store, session: string): Promise<PendingCall[]> {
  return pendingCalls(await store.read(session));
}

export interface Decided {
  callId: string;
  decision: Decision;
  /** Of the claim under which it is written. */
  epoch: number;
  /** Who decided, for whoever reads the log. */
  by?: string;
}

/**
 * Adds a decision to a session's log; running the session goes on from there.
 *
 * @throws HaftError SESSION_UNKNOWN, DECISION_UNKNOWN, DECISION_EXPIRED, DECISION_INVALID
 */
export async function decide(store: Store, session: string, { callId, decision, epoch, by }: Decided): Promise<void> {
  const entries = await knownSession(store, session);
  const decided = new Snapshot("", entries).decide(callId, decision, by === undefined ? {} : { by });
  await store.append(session, decided.entries.slice(entries.length), { epoch });
}

/** The entries of a session that must be there. */
export async function knownSession(store: Store, session: string): Promise<Entry[]> {
  const entries = await store.read(session);
  if (entries.length > 0) return entries;
  throw new HaftError("SESSION_UNKNOWN", `There is no session "${session}" in this folder.`, {
    hint: "haft sessions lists those that there are; --cwd names another folder.",
  });
}

/** The entries up to `at`, the last one when it is undefined, as a session of its own. Gives its id. */
export async function fork(store: SessionStore, session: string, at?: number): Promise<string> {
  const entries = await knownSession(store, session);
  const last = entries.at(-1)!.seq;
  if (at !== undefined && (at < entries[0]!.seq || at > last)) {
    throw new HaftError("USAGE_INVALID", `Session "${session}" has no entry ${at}.`, {
      hint: `It has entries ${entries[0]!.seq} to ${last}: haft log ${session}`,
    });
  }
  const made = newId("session");
  const forked = forkEntries(entries, at);
  await withSession(store, made, async ({ epoch }) => store.append(made, forked, { epoch }));
  return made;
}
