/** Opens the store that a project keeps its sessions in: SQLite, or what the settings say, or what this machine allows. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { codeOf, HaftError, messageOf } from "../base/errors.ts";
import type { SessionStore } from "../core/store.ts";
import type { ProjectConfig } from "./config.ts";
import { HAFT_FOLDER, haftFolder } from "./haft-folder.ts";

export interface OpenedStore {
  store: SessionStore;
  /** What someone should know: sessions that are not kept, or kept elsewhere than usual. */
  notes: string[];
  /** Closes it, unless it was given open. */
  close(): Promise<void>;
}

type StoreSettings = Pick<ProjectConfig, "store" | "durability">;

export const DATABASE = "haft.db";
export const SESSIONS = "sessions";

/**
 * One that the settings name has to work. Without a name, a store that cannot be had is replaced: files for SQLite, and
 * memory where the folder cannot be written.
 *
 * @throws HaftError STORE_PACKAGE_MISSING, STORE_VERSION_UNKNOWN, STORE_CORRUPT, STORE_FAILED
 */
export async function openSessionStore(cwd: string, { store, durability }: StoreSettings = {}): Promise<OpenedStore> {
  if (typeof store === "object") return { store, notes: [], close: async () => {} };
  const { fileStore, memoryStore } = await import("../stores/index.ts");
  if (store === "memory") return opened(memoryStore());
  let folder: string;
  try {
    folder = await haftFolder(cwd);
  } catch (thrown) {
    if (store !== undefined) throw unwritable(cwd, thrown);
    const note = `The log of this session is not kept: ${join(cwd, HAFT_FOLDER)} cannot be written (${codeOf(thrown)}).`;
    return opened(memoryStore(), [note]);
  }
  if (store === "file") return opened(fileStore(join(folder, SESSIONS)));
  try {
    return await openDatabase(folder, durability);
  } catch (thrown) {
    if (store !== undefined || !isReplaceable(thrown)) throw thrown;
    const before = existsSync(join(folder, DATABASE)) ? ` Those of ${DATABASE} are not seen.` : "";
    const note = `Sessions are kept as files in ${HAFT_FOLDER}/${SESSIONS}: ${messageOf(thrown)}${before}`;
    return opened(fileStore(join(folder, SESSIONS)), [note]);
  }
}

/** For reading: a folder without sessions stays without a store. */
export async function findSessionStore(cwd: string, settings: StoreSettings = {}): Promise<OpenedStore | undefined> {
  const folder = join(cwd, HAFT_FOLDER);
  const isThere =
    typeof settings.store === "object" || [DATABASE, SESSIONS].some((name) => existsSync(join(folder, name)));
  return isThere ? openSessionStore(cwd, settings) : undefined;
}

async function openDatabase(folder: string, durability: StoreSettings["durability"]): Promise<OpenedStore> {
  const [{ sqliteStore }, { takeOver }] = await Promise.all([import("../stores/index.ts"), import("./take-over.ts")]);
  const path = join(folder, DATABASE);
  const notes = await takeOver(join(folder, SESSIONS), path);
  const store = sqliteStore(path, durability === undefined ? {} : { durability });
  try {
    await store.list({ limit: 1 }); // opened at the first use: what is wrong with it is said now
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
  return opened(store, notes);
}

/** Without the package, or with files that cannot be written, nothing is lost by going on elsewhere. */
function isReplaceable(thrown: unknown): boolean {
  if (HaftError.is(thrown, "STORE_PACKAGE_MISSING")) return true;
  return HaftError.is(thrown, "STORE_FAILED") && /EACCES|EROFS|EPERM|readonly|unable to open/i.test(thrown.message);
}

function unwritable(cwd: string, cause: unknown): HaftError {
  return new HaftError("STORE_FAILED", `${join(cwd, HAFT_FOLDER)} cannot be written: ${messageOf(cause)}`, {
    hint: 'Make it writable, or set store: "memory".',
    cause,
  });
}

function opened(store: SessionStore, notes: string[] = []): OpenedStore {
  return { store, notes, close: () => store.close() };
}
