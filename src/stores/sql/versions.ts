/** Which layouts of the tables this version of Haft knows; read without a package, each time that a database is opened. */
import { HaftError } from "../../base/errors.ts";

/** In the order in which they are made. A database keeps the names of those that it has in `haft_migrations`. */
export const migrationNames = ["0001-sessions"] as const;

/**
 * True when nothing is to be done; false when migrations are missing.
 *
 * @throws HaftError `STORE_VERSION_UNKNOWN` when a later version of Haft has been here
 */
export function isCurrent(place: string, done: readonly string[]): boolean {
  const known: readonly string[] = migrationNames;
  const unknown = done.filter((name) => !known.includes(name));
  if (unknown.length === 0) return known.every((name) => done.includes(name));
  throw new HaftError(
    "STORE_VERSION_UNKNOWN",
    `${place} was changed by a later version of Haft (${unknown.join(", ")}); this one knows ${known.join(", ")}`,
    { hint: "Update Haft. Nothing was changed.", data: { unknown, known } },
  );
}
