/** The two tables of a database, by prepared statements: what an append, a claim and a reading are in SQL. */
import type { Entry } from "../../core/log.ts";
import type { Claim, ClaimOptions, SessionInfo } from "../../core/store.ts";
import { checkAppend } from "../may-append.ts";
import type { SqliteConnection, SqliteStatement } from "./driver.ts";

export interface Append {
  session: string;
  entries: readonly Entry[];
  /** The same as JSON. */
  lines: readonly string[];
  epoch: number;
}

/** The methods that write are called within `inTransaction`. */
export class LogTables {
  readonly #database: SqliteConnection;
  readonly #begin: SqliteStatement;
  readonly #commit: SqliteStatement;
  readonly #held: SqliteStatement;
  readonly #insert: SqliteStatement;
  readonly #advance: SqliteStatement;
  readonly #read: SqliteStatement;
  readonly #claimed: SqliteStatement;
  readonly #grant: SqliteStatement;
  readonly #renew: SqliteStatement;
  readonly #release: SqliteStatement;
  readonly #list: SqliteStatement;

  constructor(database: SqliteConnection) {
    this.#database = database;
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#held = database.prepare("SELECT epoch, last_seq FROM haft_sessions WHERE session = ?");
    this.#insert = database.prepare("INSERT INTO haft_entries (session, seq, entry) VALUES (?, ?, ?)");
    this.#advance = database.prepare(
      `INSERT INTO haft_sessions (session, epoch, last_seq, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (session) DO UPDATE SET epoch = excluded.epoch, last_seq = excluded.last_seq,
         created_at = coalesce(created_at, excluded.created_at), updated_at = excluded.updated_at`,
    );
    this.#read = database.prepare("SELECT entry FROM haft_entries WHERE session = ? AND seq > ? ORDER BY seq");
    this.#claimed = database.prepare("SELECT epoch, worker, claimed_until FROM haft_sessions WHERE session = ?");
    this.#grant = database.prepare(
      `INSERT INTO haft_sessions (session, epoch, worker, claimed_until) VALUES (?, ?, ?, ?)
       ON CONFLICT (session) DO UPDATE SET epoch = excluded.epoch, worker = excluded.worker,
         claimed_until = excluded.claimed_until`,
    );
    this.#renew = database.prepare(
      "UPDATE haft_sessions SET claimed_until = ? WHERE session = ? AND epoch = ? AND worker IS NOT NULL",
    );
    this.#release = database.prepare(
      "UPDATE haft_sessions SET worker = NULL, claimed_until = NULL WHERE session = ? AND epoch = ?",
    );
    this.#list = database.prepare(
      `SELECT session, created_at, updated_at, worker, claimed_until, last_seq + 1 -
         (SELECT min(seq) FROM haft_entries WHERE haft_entries.session = haft_sessions.session) AS entries
       FROM haft_sessions WHERE last_seq IS NOT NULL ORDER BY updated_at DESC, session LIMIT ?`,
    );
  }

  /** All of what `work` writes, or nothing; on the disk when it returns, as far as the durability goes. */
  inTransaction<T>(work: () => T): T {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** @throws HaftError `STORE_EPOCH_STALE`, `STORE_CONFLICT` before anything is written */
  append({ session, entries, lines, epoch }: Append): void {
    const row = this.#held.get(session);
    const held = { epoch: Number(row?.epoch ?? epoch), last: numberOf(row?.last_seq) };
    checkAppend(session, held, entries, epoch);
    if (entries.length === 0) return;
    for (const [index, { seq }] of entries.entries()) this.#insert.run(session, seq, lines[index]!);
    const last = entries.at(-1)!;
    this.#advance.run(session, epoch, last.seq, entries[0]!.at, last.at);
  }

  read(session: string, after: number): string[] {
    return this.#read.all(session, after).map(({ entry }) => entry as string);
  }

  claim(session: string, { worker, ttlMs }: ClaimOptions): Claim {
    const now = Date.now();
    const row = this.#claimed.get(session);
    const until = numberOf(row?.claimed_until);
    if (until !== undefined && until > now)
      return { granted: false, worker: String(row?.worker), expiresInMs: until - now, epoch: Number(row?.epoch) };
    const epoch = Number(row?.epoch ?? 0) + 1;
    this.#grant.run(session, epoch, worker, now + ttlMs);
    return { granted: true, epoch };
  }

  renew(session: string, epoch: number, ttlMs: number): boolean {
    return Number(this.#renew.run(Date.now() + ttlMs, session, epoch).changes) === 1;
  }

  release(session: string, epoch: number): void {
    this.#release.run(session, epoch);
  }

  list(limit: number): SessionInfo[] {
    const now = Date.now();
    return this.#list.all(limit).map((row) => ({
      session: String(row.session),
      entries: Number(row.entries),
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
      ...((numberOf(row.claimed_until) ?? 0) > now && { worker: String(row.worker) }),
    }));
  }

  /** Some failures have rolled back by themselves. */
  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {}
  }
}

function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
