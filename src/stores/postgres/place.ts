/** Where a Postgres database is, for people: host, port and database, no user and no password. */
import type { PostgresPool } from "./pool.ts";

/** Host, port and database, for people: no user and no password. */
export function placeOf(connectionString: string | undefined, pool: PostgresPool | undefined): string {
  if (connectionString !== undefined) return placeOfUrl(connectionString);
  const { host, port, database, connectionString: given } = optionsOf(pool);
  if (given !== undefined) return placeOfUrl(given);
  const { PGHOST = "localhost", PGPORT = "5432", PGDATABASE } = process.env;
  const name = database ?? PGDATABASE;
  return `${host ?? PGHOST}:${port ?? PGPORT}${name ? `/${name}` : ""}`;
}

/** A scheme, an authority, and no "@" behind it. */
const form = /^(?:postgres(?:ql)?:\/\/|socket:(?:\/\/)?)[^/?#]*(?:[/?#][^@]*)?$/;

/**
 * Of a URL with a "/" in its password, say, a driver takes the user for the host and the rest of the password for the
 * database, and both stand in its errors. "/folder database" is a socket.
 */
export function isConnectionString(text: unknown): boolean {
  return typeof text === "string" && (text.startsWith("/") || form.test(text));
}

function placeOfUrl(text: string): string {
  if (!isConnectionString(text)) return "the given connection string";
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
