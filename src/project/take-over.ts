/** Brings the sessions of earlier versions, one file each, into a database that is new. The files stay as they are. */
import { existsSync } from "node:fs";
import { link, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, messageOf } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { Entry } from "../core/log.ts";
import type { SessionStore } from "../core/store.ts";

/**
 * They are written into a database beside, which takes its name when it is whole: it is taken over once, or not at all. A
 * session that cannot be read is left out. Gives what someone should know.
 */
export async function takeOver(folder: string, database: string): Promise<string[]> {
  if (existsSync(database)) return [];
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  if (names.length === 0) return [];
  const { fileStore, sqliteStore } = await import("../stores/index.ts");
  const made = join(dirname(database), `.${basename(database)}-${newId("new")}`);
  const [from, to] = [fileStore(folder), sqliteStore(made)];
  try {
    const notes: string[] = [];
    for (const name of names.sort()) notes.push(...(await copied(name, from, to)));
    await to.list({ limit: 1 });
    await to.close();
    return (await named(made, database)) ? notes : [];
  } finally {
    await Promise.all([from.close(), to.close()]);
    await remove(made);
  }
}

async function copied(name: string, from: SessionStore, to: SessionStore): Promise<string[]> {
  const session = name.slice(0, -".jsonl".length);
  let entries: Entry[];
  try {
    entries = await from.read(session);
  } catch (thrown) {
    return [`Session ${session} was not taken over into the database: ${messageOf(thrown)}`];
  }
  await to.append(session, entries, { epoch: 0 });
  return [];
}

/** False: another process was first, and what it made is used. */
async function named(made: string, database: string): Promise<boolean> {
  try {
    await link(made, database);
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST" || existsSync(database)) return false;
    await rename(made, database); // a file system without hard links
  }
  return true;
}

async function remove(database: string): Promise<void> {
  for (const end of ["", "-wal", "-shm"]) await rm(database + end, { force: true });
}
