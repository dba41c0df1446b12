/** Connections to Postgres: the package `pg`, loaded when a store is first used, and what is known of the place. */
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
}

/** @throws HaftError `STORE_PACKAGE_MISSING` */
export async function makePool({ connectionString, max, timeoutMs }: PoolSettings): Promise<PostgresPool> {
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
    statement_timeout: timeoutMs,
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

/** Host, port and database, for people: no user and no password. */
export function placeOf(connectionString: string | undefined, pool: PostgresPool | undefined): string {
  if (connectionString !== undefined) return placeOfUrl(connectionString);
  const { host, port, database, connectionString: given } = optionsOf(pool);
  if (given !== undefined) return placeOfUrl(given);
  const { PGHOST = "localhost", PGPORT = "5432", PGDATABASE } = process.env;
  const name = database ?? PGDATABASE;
  return `${host ?? PGHOST}:${port ?? PGPORT}${name ? `/${name}` : ""}`;
}

function placeOfUrl(text: string): string {
  try {
    const { hostname, port, pathname, searchParams } = new URL(text);
    return `${searchParams.get("host") || hostname || "localhost"}:${port || "5432"}${decodeURIComponent(pathname)}`;
  } catch {
    return "the given connection string";
  }
}

interface KnownOptions {
  host?: string;
  port?: number;
  database?: string;
  connectionString?: string;
}

function optionsOf(pool: PostgresPool | undefined): KnownOptions {
  return (pool as { options?: KnownOptions } | undefined)?.options ?? {};
}
