/** An interrupted run as plain JSON: a slice of its log, to which decisions are appended. */
import { encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { isPlainObject } from "../base/json.ts";
import type { Decision, PendingCall } from "./decision.ts";
import { checkDecision, checkPrincipal } from "./decision-check.ts";
import { type Entry, type EntryOf, LOG_VERSION, type LoggedMessage } from "./log.ts";
import { isIn } from "./log-keys.ts";
import { currentEntry } from "./log-version.ts";

export interface SnapshotJson {
  v: typeof LOG_VERSION;
  run: string;
  entries: Entry[];
}

/** As an earlier version of Haft gave it. */
export interface OldSnapshotJson {
  v: number;
  run: string;
  entries: readonly { v: number }[];
}

/**
 * ```ts
 * const result = await execute({ … });            // interrupted
 * const saved = JSON.stringify(result.snapshot);   // anywhere, for as long as you like
 * const snapshot = Snapshot.from(JSON.parse(saved)).resolve(callId, { approved: true });
 * await execute({ log: snapshot, … });             // the same options: goes on at that call
 * ```
 */
export class Snapshot implements SnapshotJson {
  readonly v = LOG_VERSION;
  readonly run: string;
  readonly entries: Entry[];

  constructor(run: string, entries: Entry[]) {
    this.run = run;
    this.entries = entries;
  }

  /**
   * Of this version or an earlier one.
   *
   * @throws HaftError `SNAPSHOT_INVALID` for anything but a snapshot, `LOG_VERSION_UNKNOWN` for one of a later version
   */
  static from(json: SnapshotJson | OldSnapshotJson | string): Snapshot {
    const value = typeof json === "string" ? parse(json) : json;
    if (typeof value?.v !== "number" || typeof value.run !== "string" || !areEntries(value.entries)) {
      throw new HaftError("SNAPSHOT_INVALID", "This is no snapshot", {
        hint: "Give what result.snapshot was as JSON: { v, run, entries }.",
      });
    }
    currentEntry(value, "The snapshot");
    const entries = value.entries.map((entry) => currentEntry(entry, "The snapshot"));
    return new Snapshot(value.run, entries);
  }

  /** The calls that wait for a decision. */
  get pending(): PendingCall[] {
    return pendingCalls(this.entries);
  }

  /** The call's output is this value. A new snapshot; this one stays as it is. */
  resolve(callId: string, value: unknown): Snapshot {
    return this.decide(callId, { value: encode(value ?? null) });
  }

  /** The call failed for this reason. */
  reject(callId: string, reason: string): Snapshot {
    return this.decide(callId, { error: reason });
  }

  /**
   * `by`: who decided, the name of a principal, for whoever reads the log.
   *
   * @throws HaftError `DECISION_UNKNOWN` when no such call waits, listing those that do; `DECISION_INVALID`;
   * `DECISION_EXPIRED` when its time is up
   */
  decide(callId: string, decision: Decision, { by }: { by?: string } = {}): Snapshot {
    checkDecision(decision);
    checkPrincipal(by);
    const call = this.pending.find((pending) => pending.callId === callId);
    if (!call) {
      const waiting = this.pending.map((pending) => pending.callId).join(", ") || "none";
      throw new HaftError("DECISION_UNKNOWN", `No call "${callId}" waits for a decision. Waiting: ${waiting}`);
    }
    if (isExpired(call)) throw expired(call);
    const seq = (this.entries.at(-1)?.seq ?? -1) + 1;
    const entry: Entry = {
      v: LOG_VERSION,
      seq,
      at: Date.now(),
      key: callId,
      type: "decision",
      decision,
      hash: call.hash,
      ...(by !== undefined && { by }),
    };
    return new Snapshot(this.run, [...this.entries, entry]);
  }

  /**
   * The same state as a run of its own, to be answered another way. Its calls have keys of their own, those that
   * are finished too; its first entry names the run that it comes from.
   */
  fork(): Snapshot {
    const run = newId("run");
    const last = this.entries.at(-1)?.seq ?? -1;
    return new Snapshot(
      run,
      this.entries.map((entry) => copied(entry, this.run, run, last)),
    );
  }

  toJSON(): SnapshotJson {
    return { v: this.v, run: this.run, entries: this.entries };
  }
}

/** Entries of earlier runs of the session keep their keys: they are the conversation. */
function copied(entry: Entry, from: string, run: string, seq: number): Entry {
  if (entry.key !== from && !entry.key.startsWith(`${from}/`)) return entry;
  const key = run + entry.key.slice(from.length);
  const moved = { ...entry, key };
  if (moved.type === "run-start") return key === run ? { ...moved, from: { run: from, seq } } : moved;
  if (moved.type !== "iteration-end") return moved;
  return { ...moved, messages: moved.messages.map((message) => withCalls(message, from, run)) };
}

function withCalls(message: LoggedMessage, from: string, run: string): LoggedMessage {
  if (message.role !== "tool" || !("calls" in message)) return message;
  return { role: "tool", calls: message.calls.map((call) => run + call.slice(from.length)) };
}

/**
 * Paused calls without a decision or an end after the pause, also those of runs inside calls. A call that waits for one
 * inside it is none of them.
 */
export function pendingCalls(entries: readonly Entry[]): PendingCall[] {
  const open = new Map<string, EntryOf<"tool-pause">>();
  for (const entry of entries) {
    if (entry.type === "tool-pause" && entry.reason !== "nested") open.set(entry.key, entry);
    else if (entry.type === "decision" && isAnswered(open, entry)) open.delete(entry.key);
    else if (entry.type === "tool-end" || entry.type === "run-end") close(open, entry);
  }
  return [...open.values()].map(toPending);
}

/** What is over waits for nobody, and nothing in it does. */
function close(open: Map<string, EntryOf<"tool-pause">>, { type, key: place }: Entry): void {
  if (type === "run-end" && !place.includes("/")) open.clear();
  else for (const key of open.keys()) if (isIn(place, key)) open.delete(key);
}

function isAnswered(open: ReadonlyMap<string, EntryOf<"tool-pause">>, decision: EntryOf<"decision">): boolean {
  const pause = open.get(decision.key);
  return pause !== undefined && answers(pause, decision);
}

/**
 * However it came into the log, a decision about a call that needs approval holds for this very call. What was decided
 * after the time was up is no yes.
 */
export function answers(pause: EntryOf<"tool-pause">, { at, hash, decision }: EntryOf<"decision">): boolean {
  if (pause.reason === "approval" && hash !== pause.hash) return false;
  return "deny" in decision || !isExpired(pause, at);
}

/** With an input of its own: whoever is asked may make another one of it, and decide for that. */
export function toPending(pause: EntryOf<"tool-pause">): PendingCall {
  const { key, name, input, hash, reason, message, meta, expiresAt } = pause;
  return {
    callId: key,
    name,
    input: structuredClone(input),
    hash,
    reason: reason as PendingCall["reason"],
    message,
    ...(meta !== undefined && { meta }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Nobody can decide about it any more: it is denied. */
export function isExpired({ expiresAt }: { expiresAt?: number }, now = Date.now()): boolean {
  return expiresAt !== undefined && now >= expiresAt;
}

function expired({ callId, name, expiresAt }: PendingCall): HaftError {
  const until = new Date(expiresAt!).toISOString();
  return new HaftError("DECISION_EXPIRED", `"${name}" (${callId}) could be decided about until ${until}`, {
    hint: "It counts as denied. Go on with the run: the model may ask for it again.",
    data: { callId, expiresAt },
  });
}

function areEntries(value: unknown): value is { v: number }[] {
  return Array.isArray(value) && value.every(isPlainObject);
}

function parse(text: string): SnapshotJson | undefined {
  try {
    return JSON.parse(text) as SnapshotJson;
  } catch {
    return undefined;
  }
}
