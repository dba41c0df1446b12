/** Logs in Postgres: the store of workers on several machines. */
import { invalidOption } from "../base/errors.ts";
import type { Entry } from "../core/log.ts";
import type { AppendOptions, Claim, ClaimOptions, ListOptions, SessionInfo, SessionStore } from "../core/store.ts";
import { closedStore } from "./closed.ts";
import { checkAppend, type Held } from "./may-append.ts";
import { plainStore } from "./plain-store.ts";
import { PostgresDatabase } from "./postgres/database.ts";
import { isConnectionString, placeOf } from "./postgres/place.ts";
import { makePool, type PostgresPool } from "./postgres/pool.ts";
import * as statements from "./postgres/statements.ts";
import { readEntry } from "./read-entry.ts";
import { checkClaim, checkSessionName, checkTtl } from "./session-name.ts";

export type { PostgresPool } from "./postgres/pool.ts";

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. Default: what the variables PGHOST, PGUSER and so on say. */
  connectionString?: string;
  /** A `Pool` of the package `pg`, in place of one of the store's own. It stays yours to end. */
  pool?: PostgresPool;
  /** Connections of the store's own pool. Default 10; claims have two more, so that a busy pool makes no worker look dead. */
  maxConnections?: number;
  /** Milliseconds that one statement, or making a connection, may take. Default 15,000. Of the store's own pools. */
  timeoutMs?: number;
  /** Milliseconds for which a lost connection is sought again. Default 30,000; 0: not at all. */
  retryMs?: number;
  /** `false` behind a pooler in transaction mode: no prepared statements, and no time limit that the server keeps. Default `true`. */
  prepare?: boolean;
}

/**
 * Connects at the first use, and makes its tables where they are missing. Needs the package `pg`.
 *
 * An append is one statement. When its connection is lost, the store looks whether it was written before it tries again, so that
 * nothing is written twice.
 *
 * Errors, at the first use or later: STORE_PACKAGE_MISSING, STORE_UNAVAILABLE, STORE_VERSION_UNKNOWN, STORE_FAILED.
 */
export function postgresStore(options: PostgresStoreOptions = {}): SessionStore {
  return plainStore(new PostgresStore(options));
}

class PostgresStore implements SessionStore {
  readonly #logs: PostgresDatabase;
  readonly #claims: PostgresDatabase;
  readonly #pools: Pools;
  /** Appends of a session go one after the other: the last one of each that has any. */
  readonly #last = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(options: PostgresStoreOptions) {
    checkOptions(options);
    const { retryMs = 30_000, prepare = true, connectionString, pool } = options;
    const pools = new Pools(options);
    const shared = { place: placeOf(connectionString, pool), retryMs, prepares: prepare };
    this.#pools = pools;
    this.#logs = new PostgresDatabase({ ...shared, pool: () => pools.logs() });
    this.#claims = new PostgresDatabase({ ...shared, pool: () => pools.claims() });
  }

  async read(session: string, after = -1): Promise<Entry[]> {
    this.#checkOpen();
    checkSessionName(session);
    await this.#last.get(session)?.catch(() => {});
    const rows = await this.#logs.ask(statements.read, [session, after]);
    return rows.map(({ entry }) => readEntry(entry, session));
  }

  async append(session: string, entries: readonly Entry[], { epoch }: AppendOptions): Promise<void> {
    this.#checkOpen();
    checkSessionName(session);
    const lines = entries.map((entry) => JSON.stringify(entry));
    const before = this.#last.get(session);
    const work = before
      ? before.then(ignore, ignore).then(() => this.#write(session, entries, lines, epoch))
      : this.#write(session, entries, lines, epoch);
    this.#last.set(session, work);
    try {
      await work;
    } finally {
      if (this.#last.get(session) === work) this.#last.delete(session);
    }
  }

  async claim(session: string, options: ClaimOptions): Promise<Claim> {
    this.#checkOpen();
    checkSessionName(session);
    checkClaim(options);
    for (;;) {
      const [granted] = await this.#claims.ask(statements.claim, [session, options.worker, Math.ceil(options.ttlMs)]);
      if (granted) return { granted: true, epoch: Number(granted.epoch) };
      const [row] = await this.#claims.ask(statements.claimed, [session]);
      const expiresInMs = Number(row?.left_ms ?? 0);
      if (expiresInMs > 0 && row.worker !== null)
        return { granted: false, worker: row.worker, expiresInMs, epoch: Number(row.epoch) };
    }
  }

  async renew(session: string, { epoch, ttlMs }: { epoch: number; ttlMs: number }): Promise<boolean> {
    this.#checkOpen();
    checkSessionName(session);
    checkTtl(ttlMs);
    const rows = await this.#claims.ask(statements.renew, [session, epoch, Math.ceil(ttlMs)], ttlMs / 2);
    return rows.length === 1;
  }

  async release(session: string, { epoch }: AppendOptions): Promise<void> {
    this.#checkOpen();
    checkSessionName(session);
    await this.#claims.ask(statements.release, [session, epoch]);
  }

  async list({ limit = 50 }: ListOptions = {}): Promise<SessionInfo[]> {
    this.#checkOpen();
    const rows = await this.#logs.ask(statements.list, [limit]);
    return rows.map(({ session, entries, created_at, updated_at, worker }) => ({
      session,
      entries: Number(entries),
      createdAt: Number(created_at),
      updatedAt: Number(updated_at),
      ...(worker !== null && { worker }),
    }));
  }

  /** What was asked for before this is still done. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#last.values());
    await this.#pools.end();
  }

  /** When nothing was written, what is held says why. If they fit by then, who was in between has gone, and it is tried again. */
  #write(session: string, entries: readonly Entry[], lines: readonly string[], epoch: number): Promise<void> {
    const values = entries.length > 0 ? valuesOf(session, entries, lines, epoch) : undefined;
    return this.#logs.whileLost(async (attempt) => {
      do {
        const rows = values ? await this.#logs.once(statements.append, values) : [];
        if (rows.length > 0) return;
        const held = await this.#held(session, epoch);
        // Written by an attempt whose answer was lost. When another has the session since, this writer is not to go on all the same.
        if (attempt > 1 && held.epoch === epoch && (await this.#isThere(session, entries, lines))) return;
        checkAppend(session, held, entries, epoch);
      } while (values);
    });
  }

  async #isThere(session: string, entries: readonly Entry[], lines: readonly string[]): Promise<boolean> {
    if (entries.length === 0) return false;
    const rows = await this.#logs.once(statements.readBetween, [session, entries[0]!.seq, entries.at(-1)!.seq]);
    return rows.length === lines.length && rows.every(({ entry }, index) => entry === lines[index]);
  }

  async #held(session: string, epoch: number): Promise<Held> {
    const [row] = await this.#logs.once(statements.held, [session]);
    const last = row?.last_seq ?? undefined;
    return { epoch: Number(row?.epoch ?? epoch), last: last === undefined ? undefined : Number(last) };
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedStore();
  }
}

/** The store's own two, or the one that was given. */
class Pools {
  readonly #options: PostgresStoreOptions;
  #logs: Promise<PostgresPool> | undefined;
  #claims: Promise<PostgresPool> | undefined;

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    options.pool?.on("error", ignore);
  }

  logs(): Promise<PostgresPool> {
    this.#logs ??= this.#make(this.#options.maxConnections ?? 10);
    return this.#logs;
  }

  claims(): Promise<PostgresPool> {
    if (this.#options.pool) return this.logs();
    this.#claims ??= this.#make(2);
    return this.#claims;
  }

  async end(): Promise<void> {
    if (this.#options.pool) return;
    const made = await Promise.allSettled([this.#logs, this.#claims]);
    await Promise.all(made.map((one) => (one.status === "fulfilled" ? one.value?.end() : undefined)));
  }

  async #make(max: number): Promise<PostgresPool> {
    const { pool, connectionString, timeoutMs = 15_000, prepare = true } = this.#options;
    return pool ?? makePool({ connectionString, max, timeoutMs, isPooled: !prepare });
  }
}

function valuesOf(session: string, entries: readonly Entry[], lines: readonly string[], epoch: number): unknown[] {
  const [first, last] = [entries[0]!, entries.at(-1)!];
  return [session, epoch, entries.map(({ seq }) => seq), lines, first.seq, last.seq, first.at, last.at];
}

function checkOptions({ connectionString, pool, maxConnections, timeoutMs, retryMs }: PostgresStoreOptions): void {
  if (connectionString !== undefined && !isConnectionString(connectionString))
    throw invalidOption(
      "postgresStore: the connectionString is not postgres://user:password@host:port/database",
      "In a user and a password, / is written %2F, # is %23, ? is %3F and @ is %40.",
    );
  if (pool !== undefined && typeof pool.query !== "function")
    throw invalidOption("postgresStore: pool is to be a Pool of the package pg");
  if (pool !== undefined && connectionString !== undefined)
    throw invalidOption("postgresStore has a pool and a connectionString", "Give one of both.");
  if (maxConnections !== undefined && !(Number.isInteger(maxConnections) && maxConnections > 0))
    throw invalidOption("postgresStore: maxConnections is to be a whole number above 0");
  for (const [name, value] of Object.entries({ timeoutMs, retryMs }))
    if (value !== undefined && !(Number.isFinite(value) && value >= (name === "retryMs" ? 0 : 1)))
      throw invalidOption(`postgresStore: ${name} is to be a number of milliseconds`);
}

function ignore(): void {}
