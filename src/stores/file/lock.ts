/** One process at a time: a symbolic link that is made or is there already, and names its owner. */
import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { HaftError } from "../../base/errors.ts";
import { isAlive, ownName } from "./process-id.ts";

/** Locks are held for the time of one write. */
const waitMs = 10_000;
/** When the owner cannot be seen from here: it is in another container. */
const unseenMs = 60_000;

/** @throws HaftError `STORE_FAILED` when a process that lives does not let go of it */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await lock(path);
  try {
    return await work();
  } finally {
    unlinkSync(path);
  }
}

async function lock(path: string): Promise<void> {
  let waitedMs = 0;
  while (!tryLock(path)) {
    const owner = ownerOf(path);
    if (owner === undefined) continue; // given back meanwhile
    if (isLeft(path, owner)) {
      await takeAway(path);
      continue;
    }
    if (waitedMs > waitMs) throw heldTooLong(path, owner);
    const pauseMs = 1 + Math.random() * Math.min(20, waitedMs);
    await sleep(pauseMs);
    waitedMs += pauseMs;
  }
}

/**
 * The lock of an owner that is dead. Nobody but its owner takes a lock away, or who holds the lock on doing so and has
 * looked again: else two that saw the same dead owner would, one after the other, and the second would take away the
 * lock that the first has made since.
 */
async function takeAway(path: string): Promise<void> {
  await withLock(`${path}.break`, async () => {
    const owner = ownerOf(path);
    if (owner !== undefined && isLeft(path, owner)) unlinkSync(path);
  });
}

function tryLock(path: string): boolean {
  try {
    symlinkSync(ownName, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isLeft(path: string, owner: string): boolean {
  const lives = isAlive(owner);
  if (lives !== undefined) return !lives;
  const made = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return made !== undefined && Date.now() - made > unseenMs;
}

function heldTooLong(path: string, owner: string): HaftError {
  return new HaftError("STORE_FAILED", `Process ${owner.split(":")[0]} has held ${path} for seconds`, {
    hint: "Look whether it hangs, end it, and go on with the same session.",
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
