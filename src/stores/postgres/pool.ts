/** Connections to Postgres: the package `pg`, loaded when a store is first used. */
import { HaftError } from "../../base/errors.ts";

/** What the store needs of a `Pool` of the package `pg`. */
export interface PostgresPool {
  query(query: { text: string; values?: unknown[]; name?: string }): Promise<{ rows: any[] }>;
  connect(): Promise<unknown>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): unknown;
}

export interface PoolSettings {
  connectionString: string | undefined;
  max: number;
  timeoutMs: number;
  /** A pooler in transaction mode is between: PgBouncer takes no connection that comes with settings of its own. */
  isPooled: boolean;
}

/** @throws HaftError `STORE_PACKAGE_MISSING` */
export async function makePool({ connectionString, max, timeoutMs, isPooled }: PoolSettings): Promise<PostgresPool> {
  const { default: pg } = await loadPackage();
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: "haft",
    keepAlive: true,
    allowExitOnIdle: true,
    connectionTimeoutMillis: timeoutMs,
    // A connection that nobody cut and nothing comes from is given up, and the server gives the statement up as well.
    query_timeout: timeoutMs,
    ...(!isPooled && { statement_timeout: timeoutMs }),
  });
  pool.on("error", () => {}); // an idle connection was cut: the next query makes another
  return pool as unknown as PostgresPool;
}

async function loadPackage() {
  try {
    return await import("pg");
  } catch (cause) {
    throw new HaftError("STORE_PACKAGE_MISSING", "The Postgres store needs the package pg, which is not installed", {
      hint: "npm install pg",
      data: { package: "pg" },
      cause,
    });
  }
}
