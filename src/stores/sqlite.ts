/** Logs in one SQLite file: the store of projects and of the command line. Several processes of one machine may use it at once. */
import { resolve } from "node:path";
import { invalidOption } from "../base/errors.ts";
import type { Entry } from "../core/log.ts";
import type { AppendOptions, Claim, ClaimOptions, ListOptions, SessionInfo, SessionStore } from "../core/store.ts";
import { closedStore } from "./closed.ts";
import { plainStore } from "./plain-store.ts";
import { readEntry } from "./read-entry.ts";
import { checkClaim, checkSessionName, checkTtl } from "./session-name.ts";
import type { SqliteConnection } from "./sqlite/driver.ts";
import { sqliteError } from "./sqlite/errors.ts";
import { GroupCommit } from "./sqlite/group-commit.ts";
import { closeDatabase, openDatabase } from "./sqlite/open.ts";
import { type Append, LogTables } from "./sqlite/tables.ts";

export interface SqliteStoreOptions {
  /**
   * Default `"strict"`: what was acknowledged outlives a power cut. `"fast"`: it outlives the process, and a power cut
   * may take the last moments.
   */
  durability?: "strict" | "fast";
}

/**
 * The file is opened at the first use, and made when it is not there, with its folder and for its owner alone.
 * `node:sqlite` opens it where Node has it without a warning (24.15, 25.7), else the package `libsql`.
 *
 * Not for network drives: their locks do not hold.
 *
 * Errors, at the first use or later: STORE_PACKAGE_MISSING, STORE_VERSION_UNKNOWN, STORE_CORRUPT, STORE_FAILED.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): SessionStore {
  return plainStore(new SqliteStore(path, options));
}

interface Opened {
  database: SqliteConnection;
  tables: LogTables;
  commits: GroupCommit;
}

class SqliteStore implements SessionStore {
  readonly #path: string;
  readonly #durability: "strict" | "fast";
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  /** Appends that wait for the file to be opened: nobody overtakes them. */
  #waiting = 0;
  #isClosed = false;

  constructor(path: string, { durability = "strict" }: SqliteStoreOptions) {
    if (typeof path !== "string" || path === "" || path === ":memory:" || path.includes("\0"))
      throw invalidOption("sqliteStore: path is to be that of a file", "Without a file, use memoryStore().");
    if (durability !== "strict" && durability !== "fast")
      throw invalidOption(`sqliteStore: durability is "strict" or "fast", not ${JSON.stringify(durability)}`);
    this.#path = resolve(path);
    this.#durability = durability;
  }

  async read(session: string, after = -1): Promise<Entry[]> {
    checkSessionName(session);
    const lines = await this.#do(({ tables }) => tables.read(session, after));
    return lines.map((line) => readEntry(line, session));
  }

  append(session: string, entries: readonly Entry[], { epoch }: AppendOptions): Promise<void> | void {
    this.#checkOpen();
    checkSessionName(session);
    const append: Append = { session, entries, lines: entries.map((entry) => JSON.stringify(entry)), epoch };
    if (!this.#opened || this.#waiting > 0) return this.#appendLater(append);
    return this.#append(this.#opened, append);
  }

  async claim(session: string, options: ClaimOptions): Promise<Claim> {
    checkSessionName(session);
    checkClaim(options);
    return this.#do(({ tables }) => tables.inTransaction(() => tables.claim(session, options)));
  }

  async renew(session: string, { epoch, ttlMs }: { epoch: number; ttlMs: number }): Promise<boolean> {
    checkSessionName(session);
    checkTtl(ttlMs);
    return this.#do(({ tables }) => tables.inTransaction(() => tables.renew(session, epoch, ttlMs)));
  }

  async release(session: string, { epoch }: AppendOptions): Promise<void> {
    checkSessionName(session);
    return this.#do(({ tables }) => tables.inTransaction(() => tables.release(session, epoch)));
  }

  async list({ limit = 50 }: ListOptions = {}): Promise<SessionInfo[]> {
    return this.#do(({ tables }) => tables.list(limit));
  }

  /** What was asked for before this is still done. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const opened = await this.#opening?.catch(() => undefined);
    opened?.commits.flush();
    if (opened) closeDatabase(opened.database);
  }

  async #appendLater(append: Append): Promise<void> {
    this.#waiting++;
    const opened = await this.#open().finally(() => this.#waiting--);
    return this.#append(opened, append);
  }

  #append({ tables, commits }: Opened, append: Append): Promise<void> | void {
    if (this.#durability === "strict") return commits.add(append);
    return this.#guarded(() => tables.inTransaction(() => tables.append(append)));
  }

  /** Sees all that was appended before it. */
  async #do<T>(work: (opened: Opened) => T): Promise<T> {
    this.#checkOpen();
    const opened = this.#opened ?? (await this.#open());
    opened.commits.flush();
    return this.#guarded(() => work(opened));
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw sqliteError(this.#path, cause);
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closedStore();
  }

  /** One that failed is tried again at the next use. */
  #open(): Promise<Opened> {
    this.#opening ??= openDatabase(this.#path, this.#durability).then(
      (database) => {
        const tables = new LogTables(database);
        this.#opened = { database, tables, commits: new GroupCommit(this.#path, tables) };
        return this.#opened;
      },
      (error) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }
}
