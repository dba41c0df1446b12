/** Who has the session of a log file, and until when: a small file beside it, replaced whole. Read and written under the lock. */
import { readFileSync, renameSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { isPlainObject } from "../../base/json.ts";

export interface Lease {
  /** Of the last claim that was granted. */
  epoch: number;
  /** Absent when it was given back. */
  worker?: string;
  /** Milliseconds since 1970, by the clock of the machine. */
  until?: number;
}

/** One that a power cut emptied is none: whoever had it is gone as well. */
export function readLease(path: string): Lease | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isPlainObject(value) && Number.isInteger(value.epoch) ? (value as unknown as Lease) : undefined;
  } catch {
    return undefined;
  }
}

export async function writeLease(path: string, lease: Lease): Promise<void> {
  const next = `${path}.new`; // nobody else writes it: the lock is held
  const file = await open(next, "w");
  try {
    await file.writeFile(JSON.stringify(lease));
    await file.datasync();
  } finally {
    await file.close();
  }
  renameSync(next, path);
}
