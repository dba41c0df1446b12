/** What Postgres and the way to it throw, as errors that say what to do. Nothing of a connection string is in them but its place. */
import { HaftError, messageOf } from "../../base/errors.ts";

/** Of Postgres, by SQLSTATE: it was stopped, is about to start, has no connection left, or took longer than was allowed. */
const passing = ["57P01", "57P02", "57P03", "57014", "53300", "25006"];

/** Of the network. */
const network = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
];

/** The driver says these in words alone. */
const words =
  /connection terminated|read timeout|timeout exceeded when trying to connect|connection timeout|not queryable|connection error|socket hang up/i;

/** A pooler says all that is wrong with its one code, 08P01. This does not go by. */
const isRefusedSetting = /unsupported startup parameter/i;

/** The connection is to blame: the same may work in a while, and nobody knows whether it was done. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code === "ENOENT") return (error as { syscall?: unknown }).syscall === "connect"; // a server that starts makes its socket's file
  if (isRefusedSetting.test(messageOf(error))) return false;
  if (code !== undefined) return passing.includes(code) || code.startsWith("08") || network.includes(code);
  return words.test(messageOf(error));
}

export function isTableMissing(error: unknown): boolean {
  return codeOf(error) === "42P01";
}

export function unavailable(place: string, cause: unknown, waitedMs: number): HaftError {
  const after = waitedMs >= 1_000 ? ` (tried for ${Math.round(waitedMs / 1_000)} s)` : "";
  return new HaftError("STORE_UNAVAILABLE", `Postgres at ${place} cannot be reached${after}: ${messageOf(cause)}`, {
    hint: "Nothing further was started. When it is there again, go on with the same session.",
  });
}

const hints: Record<string, string> = {
  "28P01": "Look at the user and the password of the connection string.",
  "28000": "Look at the user of the connection string, and at what the server allows in pg_hba.conf.",
  "3D000": "Make the database first: createdb.",
  "42501": "The user needs the right to make tables at the first use, and to read and write them after that.",
  "53100": "The server's disk is full. Make room, then go on with the same session.",
  "08P01": "A pooler in transaction mode takes no settings with a connection: give prepare: false.",
  "26000": "A pooler in transaction mode keeps no prepared statements: give prepare: false.",
  "42P05": "A pooler in transaction mode keeps no prepared statements: give prepare: false.",
};

/** Already ours: as it is. */
export function postgresError(place: string, cause: unknown): HaftError {
  if (HaftError.is(cause)) return cause;
  return new HaftError("STORE_FAILED", `Postgres at ${place} failed: ${messageOf(cause)}`, {
    hint: hints[codeOf(cause) ?? ""] ?? "Mend the store, then go on with the same session.",
  });
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}
