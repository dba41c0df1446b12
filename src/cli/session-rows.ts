/** What a list of sessions says of each: where it stands, what it was asked to do, and how many calls wait. */
import type { Entry } from "../core/log.ts";
import { withoutNested } from "../core/log-keys.ts";
import { textOf } from "../core/message.ts";
import { pendingCalls } from "../core/snapshot.ts";
import type { SessionInfo, SessionStore } from "../core/store.ts";
import { isGone, workerName } from "../project/index.ts";

/**
 * - `running`: a process has it.
 * - `waiting`: a call waits for a decision, or all are decided and nobody has gone on since.
 * - `ended`: its last run came to an end, good or not.
 * - `stopped`: its last run did not, and nobody works on it: the process crashed, or was killed.
 */
export type SessionStatus = "running" | "waiting" | "ended" | "stopped";

export interface SessionRow extends SessionInfo {
  status: SessionStatus;
  /** Calls that wait for a decision. */
  waiting: number;
  /** What it was asked first. */
  task: string;
}

/** The last one first. */
export async function sessionRows(store: SessionStore, limit: number): Promise<SessionRow[]> {
  const infos = await store.list({ limit });
  const rows: SessionRow[] = [];
  for (const info of infos) rows.push(rowOf(info, await store.read(info.session)));
  return rows;
}

export function rowOf({ worker, ...info }: SessionInfo, entries: readonly Entry[]): SessionRow {
  const isHeld = worker !== undefined && !isGone(worker);
  const waiting = pendingCalls(entries).length;
  const asked = entries.find((entry) => entry.type === "message" && entry.via === "prompt");
  const task = asked?.type === "message" ? textOf(asked.message) : "";
  const isAsked = waiting > 0 || entries.at(-1)?.type === "decision";
  const status = isHeld ? "running" : hasEnded(entries) ? "ended" : isAsked ? "waiting" : "stopped";
  return { ...info, status, waiting, task, ...(isHeld && { worker: workerName(worker) }) };
}

/** Its last run, not one inside a call. */
export function hasEnded(entries: readonly Entry[]): boolean {
  const edges = withoutNested(entries).filter(({ type }) => type === "run-start" || type === "run-end");
  return edges.at(-1)?.type === "run-end";
}
