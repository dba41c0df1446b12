/** What a run starts with: the log that was given, and what the store has of the session. */
import { HaftError, invalidOption, messageOf } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import type { Entry } from "../core/log.ts";
import { currentEntry } from "../core/log-version.ts";
import { Snapshot, type SnapshotJson } from "../core/snapshot.ts";

export interface Past {
  entries: readonly Entry[];
  /** The run that goes on or is replayed; undefined when a new one begins. */
  run: string | undefined;
  isFinished: boolean;
}

/** @throws HaftError `OPTIONS_INVALID`, `SNAPSHOT_INVALID`, `LOG_VERSION_UNKNOWN` */
export function givenEntries({ log }: ExecuteOptions): readonly Entry[] {
  if (log === undefined) return [];
  const entries = Array.isArray(log) ? (log as readonly Entry[]) : Snapshot.from(log as SnapshotJson).entries;
  return entries.map(checkedEntry);
}

/**
 * The given log when the store has less of the session: the rest is written first. The store's when it has more.
 *
 * @throws HaftError `STORE_FAILED`, `LOG_CONFLICT`, and what the store throws
 */
export async function pastEntries(
  { store, epoch = 0 }: ExecuteOptions,
  session: string,
  given: readonly Entry[],
): Promise<readonly Entry[]> {
  if (!store) return given;
  try {
    const kept = await store.read(session);
    checkSameLog(session, given, kept);
    if (given.length <= kept.length) return kept;
    await store.append(session, given.slice(kept.length), { epoch });
    return given;
  } catch (cause) {
    if (HaftError.is(cause)) throw cause;
    throw new HaftError("STORE_FAILED", `The log of session "${session}" could not be read: ${messageOf(cause)}`, {
      cause,
      hint: "Nothing was started. Mend the store, then go on with the same session.",
    });
  }
}

/**
 * Which run these options mean: one that has not ended goes on; without anything new to say, an ended one is replayed. A run
 * inside a call, which has its id, is never begun anew.
 */
export function pastRun(entries: readonly Entry[], { prompt, messages }: ExecuteOptions, inside?: string): Past {
  const run = lastRun(entries, inside);
  const isFinished = entries.some(({ type, key }) => type === "run-end" && key === run);
  const isNew = isFinished && inside === undefined && (prompt !== undefined || messages !== undefined);
  return { entries, run: isNew ? undefined : run, isFinished };
}

function lastRun(entries: readonly Entry[], inside: string | undefined): string | undefined {
  for (let index = entries.length - 1; index >= 0; index--) {
    const { type, key } = entries[index]!;
    if (type === "run-start" && (inside === undefined ? !key.includes("/") : key === inside)) return key;
  }
  return undefined;
}

/** Both logs grow at their end only, so the last entry that both have tells whether they are one. */
function checkSameLog(session: string, given: readonly Entry[], kept: readonly Entry[]): void {
  const last = Math.min(given.length, kept.length) - 1;
  if (last < 0 || JSON.stringify(given[last]) === JSON.stringify(kept[last])) return;
  const { seq } = kept[last]!;
  throw new HaftError(
    "LOG_CONFLICT",
    `The log that was given and session "${session}" in the store parted by entry ${seq}`,
    {
      hint: "Someone else went on with this session, or decided otherwise. Read the session anew, or give another session.",
    },
  );
}

function checkedEntry(entry: unknown, index: number): Entry {
  const { seq, key, type } = isPlainObject(entry) ? entry : {};
  if (!Number.isInteger(seq) || typeof key !== "string" || typeof type !== "string")
    throw invalidOption(`log[${index}] is no entry of a log`, "Give the entries of a store, or a snapshot.");
  return currentEntry(entry as Entry, "The log");
}
