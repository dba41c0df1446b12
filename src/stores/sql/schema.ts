/** The tables of the stores in databases, for SQLite and Postgres alike: their columns, and how each came to be. */
import type { Generated, Kysely, Migration } from "kysely";
import type { migrationNames } from "./versions.ts";

/** Numbers are integers; times are milliseconds since 1970. A driver may give 64-bit numbers as text. */
export interface Tables {
  haft_sessions: SessionsTable;
  haft_entries: EntriesTable;
}

interface SessionsTable {
  session: string;
  /** Of the last claim that was granted, or of an append that was higher. */
  epoch: Generated<number>;
  /** Null until the first entry is written, as are the two times. */
  last_seq: number | null;
  /** Who has it, until when; null when nobody has. */
  worker: string | null;
  claimed_until: number | null;
  /** `at` of its first entry. */
  created_at: number | null;
  /** `at` of its last entry. */
  updated_at: number | null;
}

interface EntriesTable {
  session: string;
  seq: number;
  /** JSON. Text, for JSON has what a database's own type has not: "\u0000". */
  entry: string;
}

export const migrations: Record<(typeof migrationNames)[number], Migration> = {
  "0001-sessions": { up: createSessions },
};

async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("haft_sessions")
    .addColumn("session", "text", (column) => column.primaryKey().notNull())
    .addColumn("epoch", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("last_seq", "bigint")
    .addColumn("worker", "text")
    .addColumn("claimed_until", "bigint")
    .addColumn("created_at", "bigint")
    .addColumn("updated_at", "bigint")
    .execute();
  await db.schema
    .createTable("haft_entries")
    .addColumn("session", "text", (column) => column.notNull())
    .addColumn("seq", "bigint", (column) => column.notNull())
    .addColumn("entry", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("haft_entries_pk", ["session", "seq"])
    .execute();
}
