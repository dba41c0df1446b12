/** Keeps a project's sessions in its `.haft` folder, out of its version control. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, HaftError } from "../base/errors.ts";
import type { Decision, PendingCall } from "../core/decision.ts";
import type { Entry, Store } from "../core/log.ts";
import { pendingCalls, Snapshot } from "../core/snapshot.ts";

export const HAFT_FOLDER = ".haft";

export interface SessionStore {
  store: Store;
  /** Why the sessions are not kept, where they are not. */
  note?: string;
}

/** In memory where the folder cannot be written. */
export async function openSessionStore(cwd: string): Promise<SessionStore> {
  const { fileStore, memoryStore } = await import("../stores/index.ts");
  try {
    return { store: fileStore(join(await haftFolder(cwd), "sessions")) };
  } catch (thrown) {
    const note = `The log of this session is not kept: ${join(cwd, HAFT_FOLDER)} cannot be written (${codeOf(thrown)}).`;
    return { store: memoryStore(), note };
  }
}

/** The folder, made when it is not there. It holds conversations, so git is told to leave it out. */
export async function haftFolder(cwd: string): Promise<string> {
  const folder = join(cwd, HAFT_FOLDER);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore)) await writeFile(ignore, "*\n");
  return folder;
}

/** The calls of a session that wait for a decision. */
export async function waitingCalls(store: Store, session: string): Promise<PendingCall[]> {
  return pendingCalls(await store.read(session));
}

/**
 * Adds a decision to a session's log; running the session goes on from there.
 *
 * @throws HaftError SESSION_UNKNOWN, DECISION_UNKNOWN, DECISION_EXPIRED, DECISION_INVALID
 */
export async function decide(
  store: Store,
  session: string,
  callId: string,
  decision: Decision,
  who: { by?: string } = {},
): Promise<void> {
  const entries = await knownSession(store, session);
  const decided = new Snapshot(entries.at(-1)!.key.split("/")[0]!, entries).decide(callId, decision, who);
  await store.append(session, decided.entries.slice(entries.length), { epoch: 0 });
}

/** The entries of a session that must be there. */
export async function knownSession(store: Store, session: string): Promise<Entry[]> {
  const entries = await store.read(session);
  if (entries.length > 0) return entries;
  throw new HaftError("SESSION_UNKNOWN", `There is no session "${session}" in this folder.`, {
    hint: `Sessions are kept in ${HAFT_FOLDER}/sessions of the working folder; --cwd names another one.`,
  });
}
