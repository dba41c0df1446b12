/** Going on with a session: decisions about the calls that wait, and the commands that make them. */
import { HaftError } from "../base/errors.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import type { Store } from "../core/log.ts";
import { decide, knownSession, waitingCalls } from "../project/index.ts";
import { DENIED } from "./ask/approval.ts";
import { usageError } from "./exit-codes.ts";
import { hasEnded } from "./session-rows.ts";

export interface ResumeFlags {
  session?: string;
  /** A call's id, its last part such as `2/1`, or "all". */
  approve?: string[];
  /** The same, and perhaps `=reason`. */
  deny?: string[];
  /** `call=value`: JSON, or else text. */
  answer?: string[];
}

export function checkResumeFlags({ session, approve, deny, answer }: ResumeFlags): void {
  if (session !== undefined || !(approve || deny || answer)) return;
  throw usageError(
    "--approve, --deny and --answer decide about a call of a session, and none is named.",
    "Add --session <id>: the run that stopped said which.",
  );
}

/** Writes the decisions into the session's log, under the epoch of whoever holds it. */
export async function recordDecisions(
  store: Store,
  { session, epoch }: { session: string; epoch: number },
  flags: ResumeFlags,
): Promise<void> {
  const given = decisionsOf(flags);
  if (given.length === 0) return;
  await knownSession(store, session);
  for (const { call, decision } of given) {
    const waiting = await waitingCalls(store, session);
    for (const { callId } of matching(waiting, call)) await decide(store, session, { callId, decision, epoch });
  }
}

function decisionsOf({ approve = [], deny = [], answer = [] }: ResumeFlags): { call: string; decision: Decision }[] {
  return [
    ...approve.map((call) => ({ call, decision: { approve: true as const } })),
    ...deny.map((given) => {
      const [call, reason] = split(given);
      return { call, decision: { deny: reason || DENIED } };
    }),
    ...answer.map((given) => {
      const [call, value] = split(given);
      if (value === undefined) throw usageError(`--answer ${given} has no value.`, "Write --answer <call>=<value>.");
      return { call, decision: { value: jsonOrText(value) } };
    }),
  ];
}

function split(given: string): [call: string, rest: string | undefined] {
  const at = given.indexOf("=");
  return at < 0 ? [given, undefined] : [given.slice(0, at), given.slice(at + 1)];
}

function jsonOrText(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function matching(waiting: readonly PendingCall[], call: string): readonly PendingCall[] {
  if (call === "all") return waiting;
  const found = waiting.find(({ callId }) => callId === call || shortId(callId) === call);
  if (found) return [found];
  const ids = waiting.map(({ callId }) => shortId(callId)).join(", ") || "none";
  throw new HaftError("DECISION_UNKNOWN", `No call "${call}" waits for a decision. Waiting: ${ids}.`, {
    hint: 'Name one that waits, or "all".',
  });
}

/** Without the run: iteration and call, and theirs in turn for a call of a run inside. Enough within a session that waits. */
export function shortId(callId: string): string {
  return callId.slice(callId.indexOf("/") + 1);
}

/** @throws HaftError when a session without a task has nothing to go on with */
export async function checkGoesOn(store: Store, session: string): Promise<void> {
  if (!hasEnded(await knownSession(store, session))) return;
  throw usageError(
    `The last run of ${session} has ended, and there is no new task.`,
    `Say what to do next: haft run --session ${session} "…"`,
  );
}
