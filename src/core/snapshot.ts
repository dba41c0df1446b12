/** An interrupted run as plain JSON: a slice of its log, to which decisions are appended. */
import { encode } from "../base/codec.ts";
import { HaftError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Decision, PendingCall } from "./decision.ts";
import { checkDecision } from "./decision-check.ts";
import { type Entry, type EntryOf, LOG_VERSION, type LoggedMessage } from "./log.ts";
import { isIn } from "./log-keys.ts";

export interface SnapshotJson {
  v: 1;
  run: string;
  entries: Entry[];
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

  /** @throws HaftError `SNAPSHOT_INVALID` for anything but a snapshot of this version. */
  static from(json: SnapshotJson | string): Snapshot {
    const value = typeof json === "string" ? parse(json) : json;
    if (value?.v !== LOG_VERSION || typeof value.run !== "string" || !Array.isArray(value.entries)) {
      throw new HaftError("SNAPSHOT_INVALID", `This is no snapshot of version ${LOG_VERSION}`, {
        hint: "Give what result.snapshot was as JSON: { v, run, entries }.",
      });
    }
    return new Snapshot(value.run, value.entries);
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

  /** @throws HaftError `DECISION_UNKNOWN` when no such call waits, listing those that do; `DECISION_INVALID` */
  decide(callId: string, decision: Decision): Snapshot {
    checkDecision(decision);
    const call = this.pending.find((pending) => pending.callId === callId);
    if (!call) {
      const waiting = this.pending.map((pending) => pending.callId).join(", ") || "none";
      throw new HaftError("DECISION_UNKNOWN", `No call "${callId}" waits for a decision. Waiting: ${waiting}`);
    }
    const seq = (this.entries.at(-1)?.seq ?? -1) + 1;
    const entry: Entry = {
      v: LOG_VERSION,
      seq,
      at: Date.now(),
      key: callId,
      type: "decision",
      decision,
      hash: call.hash,
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
    else if (entry.type === "decision") open.delete(entry.key);
    else if (entry.type === "tool-end" || entry.type === "run-end") close(open, entry);
  }
  return [...open.values()].map(toPending);
}

/** What is over waits for nobody, and nothing in it does. */
function close(open: Map<string, EntryOf<"tool-pause">>, { type, key: place }: Entry): void {
  if (type === "run-end" && !place.includes("/")) open.clear();
  else for (const key of open.keys()) if (isIn(place, key)) open.delete(key);
}

/** With an input of its own: whoever is asked may make another one of it, and decide for that. */
export function toPending({ key, name, input, hash, reason, message, meta }: EntryOf<"tool-pause">): PendingCall {
  return {
    callId: key,
    name,
    input: structuredClone(input),
    hash,
    reason: reason as PendingCall["reason"],
    message,
    ...(meta !== undefined && { meta }),
  };
}

function parse(text: string): SnapshotJson | undefined {
  try {
    return JSON.parse(text) as SnapshotJson;
  } catch {
    return undefined;
  }
}
