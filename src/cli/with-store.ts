/** Opens the store of a folder for a command that runs nothing. */
import type { SessionStore } from "../core/store.ts";
import { findSessionStore, readStoreSettings, type StoreFlags } from "../project/index.ts";
import { printNotes } from "./render/header.ts";
import { Screen } from "./render/screen.ts";

/** In a folder without sessions, nothing is made: `work` gets an empty store that keeps nothing. */
export async function withStore<T>(flags: StoreFlags, work: (store: SessionStore) => Promise<T>): Promise<T> {
  const { cwd, config } = await readStoreSettings(flags);
  const { memoryStore } = await import("../stores/index.ts");
  const found = await findSessionStore(cwd, config);
  printNotes(new Screen(process.stderr), found?.notes ?? []);
  try {
    return await work(found?.store ?? memoryStore());
  } finally {
    await found?.close();
  }
}
