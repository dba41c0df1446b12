/** One Postgres database: brought to this version's tables at first use, and asked again when the connection to it was lost. */
import { setTimeout as sleep } from "node:timers/promises";
import { isCurrent } from "../sql/versions.ts";
import { isLost, isTableMissing, postgresError, unavailable } from "./errors.ts";
import type { PostgresPool } from "./pool.ts";
import { migrationsMade, type Statement } from "./statements.ts";

export interface DatabaseSettings {
  place: string;
  pool: () => Promise<PostgresPool>;
  /** Milliseconds for which a lost connection is sought again. */
  retryMs: number;
  /** Named statements, prepared once for each connection. */
  prepares: boolean;
}

export class PostgresDatabase {
  readonly #settings: DatabaseSettings;
  #ready: Promise<PostgresPool> | undefined;

  constructor(settings: DatabaseSettings) {
    this.#settings = settings;
  }

  /**
   * What the statement gives. After a lost connection it is asked again: for statements that may be done twice.
   *
   * @throws HaftError `STORE_UNAVAILABLE`, `STORE_FAILED`, `STORE_PACKAGE_MISSING`, `STORE_VERSION_UNKNOWN`
   */
  async ask(statement: Statement, values: unknown[], retryMs = this.#settings.retryMs): Promise<any[]> {
    return this.whileLost(() => this.once(statement, values), retryMs);
  }

  /** Once, with the driver's own errors. */
  async once({ name, text }: Statement, values: unknown[]): Promise<any[]> {
    const pool = await this.#open();
    const { rows } = await pool.query({ text, values, ...(this.#settings.prepares && { name }) });
    return rows;
  }

  /** Again and again while the connection is lost, with longer and longer pauses. */
  async whileLost<T>(work: (attempt: number) => Promise<T>, retryMs = this.#settings.retryMs): Promise<T> {
    const { place } = this.#settings;
    const startedAt = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await work(attempt);
      } catch (error) {
        if (!isLost(error)) throw postgresError(place, error);
        const waitedMs = performance.now() - startedAt;
        if (waitedMs >= retryMs) throw unavailable(place, error, waitedMs);
        await sleep(Math.min(retryMs - waitedMs, 1_000, 25 * 2 ** attempt) * (0.5 + Math.random() / 2));
      }
    }
  }

  /** One that failed is tried again at the next use. */
  #open(): Promise<PostgresPool> {
    this.#ready ??= this.#prepare().catch((error) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #prepare(): Promise<PostgresPool> {
    const pool = await this.#settings.pool();
    for (let attempt = 1; ; attempt++) {
      if (isCurrent(`Postgres at ${this.#settings.place}`, await madeMigrations(pool))) return pool;
      try {
        await bringUp(pool, this.#settings.place);
      } catch (error) {
        // Several processes may be the first: one of them wins, and the others look again.
        if (attempt === 5 || isLost(error)) throw error;
        await sleep(50 * attempt);
      }
    }
  }
}

async function madeMigrations(pool: PostgresPool): Promise<string[]> {
  try {
    const { rows } = await pool.query({ text: migrationsMade.text });
    return rows.map(({ name }) => String(name));
  } catch (error) {
    if (isTableMissing(error)) return [];
    throw error;
  }
}

async function bringUp(pool: PostgresPool, place: string): Promise<void> {
  const [{ Kysely, PostgresDialect }, { migrate }] = await Promise.all([import("kysely"), import("../sql/migrate.ts")]);
  // Not destroyed: that would end the pool.
  const db = new Kysely<any>({ dialect: new PostgresDialect({ pool: pool as any }) });
  const { rows } = await pool.query({ text: "SELECT current_schema() AS schema" });
  await migrate(db, `Postgres at ${place}`, rows[0]?.schema ?? undefined);
}
