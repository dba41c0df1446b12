/** SQLite itself: the one that is in Node where it is whole, else the package libsql. Both speak like better-sqlite3. */
import { HaftError } from "../../base/errors.ts";

export type SqliteValue = string | number | null;
export type SqliteRow = Record<string, unknown>;

export interface SqliteStatement {
  run(...values: SqliteValue[]): { changes: number | bigint };
  get(...values: SqliteValue[]): SqliteRow | undefined;
  all(...values: SqliteValue[]): SqliteRow[];
}

export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** Opens a file that is there. */
export type OpenSqlite = (path: string) => SqliteConnection;

/** @throws HaftError `STORE_PACKAGE_MISSING` */
export async function loadDriver(): Promise<OpenSqlite> {
  if (isInNode(process.versions.node)) {
    const name: string = "node:sqlite"; // the types of the oldest Node that we know have no such module
    const { DatabaseSync } = (await import(name)) as { DatabaseSync: new (path: string) => SqliteConnection };
    return (path) => new DatabaseSync(path);
  }
  const { default: Database } = await loadLibsql();
  return (path) => new Database(path) as unknown as SqliteConnection;
}

/** Since these versions `node:sqlite` prints no warning that it is experimental. */
export function isInNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major === 24) return minor >= 15;
  if (major === 25) return minor >= 7;
  return major > 25;
}

async function loadLibsql() {
  try {
    return await import("libsql");
  } catch (cause) {
    throw new HaftError(
      "STORE_PACKAGE_MISSING",
      "The SQLite store comes from the package libsql on this version of Node, and it is not installed or cannot be loaded.",
      { hint: "npm install libsql", data: { package: "libsql" }, cause },
    );
  }
}
