/** A database file, ready for logs: made when it is new, brought to this version's tables, and set to the wanted durability. */
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isCurrent } from "../sql/versions.ts";
import { loadDriver, type OpenSqlite, type SqliteConnection } from "./driver.ts";
import { isBusy, sqliteError } from "./errors.ts";

/** How long a write waits for that of another process. */
const busyMs = 5_000;

/** @throws HaftError `STORE_PACKAGE_MISSING`, `STORE_VERSION_UNKNOWN`, `STORE_CORRUPT`, `STORE_FAILED` */
export async function openDatabase(path: string, durability: "strict" | "fast"): Promise<SqliteConnection> {
  const open = await loadDriver();
  let database: SqliteConnection | undefined;
  try {
    database = openFile(open, path);
    await prepare(database, path, durability);
    return database;
  } catch (cause) {
    database?.close();
    throw sqliteError(path, cause);
  }
}

/** What is in the file beside it goes into the database first, unless others work with it: then it may be copied alone. */
export function closeDatabase(database: SqliteConnection): void {
  try {
    database.exec("PRAGMA busy_timeout = 0");
    database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
  } catch {} // it is safe where it is
  database.close();
}

/** A new file is its owner's alone; SQLite gives the files beside it the same mode. */
function openFile(open: OpenSqlite, path: string): SqliteConnection {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, "a", 0o600));
  return open(path);
}

async function prepare(database: SqliteConnection, path: string, durability: "strict" | "fast"): Promise<void> {
  const isReady = await whenFree(() => isCurrent(path, madeMigrations(database)));
  await whenFree(() => database.prepare("PRAGMA journal_mode = WAL").all());
  database.exec(`PRAGMA synchronous = ${durability === "strict" ? "FULL" : "NORMAL"}`);
  if (!isReady) await bringUp(database, path);
  database.exec(`PRAGMA busy_timeout = ${busyMs}`);
}

/** The write lock is held all the while, so that of several who open it at once one does it and the others find it done. */
async function bringUp(database: SqliteConnection, path: string): Promise<void> {
  const [{ kyselyOn }, { migrate }] = await Promise.all([import("./kysely.ts"), import("../sql/migrate.ts")]);
  await whenFree(() => database.exec("BEGIN IMMEDIATE"));
  try {
    await migrate(kyselyOn(database), path);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** SQLite's own way to wait would stop the process, and so the other store in it that has the lock. */
async function whenFree<T>(work: () => T): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += 10) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs > busyMs) throw error;
      await sleep(10);
    }
  }
}

function madeMigrations(database: SqliteConnection): string[] {
  const table = database.prepare("SELECT name FROM sqlite_master WHERE name = 'haft_migrations'").all();
  if (table.length === 0) return [];
  return database
    .prepare("SELECT name FROM haft_migrations")
    .all()
    .map(({ name }) => String(name));
}
