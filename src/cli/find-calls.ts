/** Which waiting call is meant: of a session that is named, or of whichever session it waits in. */
import { HaftError } from "../base/errors.ts";
import type { PendingCall } from "../core/decision.ts";
import type { SessionStore } from "../core/store.ts";
import { waitingCalls } from "../project/index.ts";
import { usageError } from "./exit-codes.ts";
import { findSession, MANY } from "./find-session.ts";
import { matching } from "./resume.ts";

export interface FoundCalls {
  session: string;
  calls: readonly PendingCall[];
}

/**
 * `call` is a call's id, the beginning of one, or with a session its short form or "all".
 *
 * @throws HaftError SESSION_UNKNOWN, DECISION_UNKNOWN, and USAGE_INVALID where several begin so
 */
export async function findCalls(store: SessionStore, call: string, session: string | undefined): Promise<FoundCalls> {
  if (session !== undefined) {
    const found = await findSession(store, session);
    return { session: found, calls: matching(await waitingCalls(store, found), call) };
  }
  if (!call.startsWith("run_")) {
    throw usageError(
      `"${call}" is the id of a call within a session, and no session is named.`,
      "Add --session <id>, or give the whole id of the call: run_…/2/1. haft sessions lists what waits.",
    );
  }
  return findAnywhere(store, call);
}

async function findAnywhere(store: SessionStore, call: string): Promise<FoundCalls> {
  const found: { session: string; waiting: PendingCall }[] = [];
  for (const { session } of await store.list({ limit: MANY })) {
    for (const waiting of await waitingCalls(store, session)) {
      if (waiting.callId === call) return { session, calls: [waiting] };
      if (waiting.callId.startsWith(call)) found.push({ session, waiting });
    }
  }
  const [only] = found;
  if (only && found.length === 1) return { session: only.session, calls: [only.waiting] };
  if (!only) {
    throw new HaftError("DECISION_UNKNOWN", `No call "${call}" waits for a decision in this folder.`, {
      hint: "haft sessions lists the sessions in which calls wait, and haft log <id> shows which.",
    });
  }
  const ids = found.slice(0, 5).map(({ waiting }) => waiting.callId);
  throw usageError(`${found.length} calls that wait begin with "${call}": ${ids.join(", ")}.`, "Write more of the id.");
}
