/** The sessions of a folder, as a program of one's own would read them. */
import { join } from "node:path";
import type { Entry } from "../../../src/core/log.ts";
import type { SessionStore } from "../../../src/core/store.ts";
import { sqliteStore } from "../../../src/stores/index.ts";

export async function withDatabase<T>(cwd: string, work: (store: SessionStore) => Promise<T>): Promise<T> {
  const store = sqliteStore(join(cwd, ".haft/haft.db"));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export function logOf(cwd: string, session: string): Promise<Entry[]> {
  return withDatabase(cwd, (store) => store.read(session));
}
