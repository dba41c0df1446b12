/** Brings a database to the layout that this version works with; loaded only when it is not there yet. */
import { type Kysely, Migrator } from "kysely";
import { migrations, type Tables } from "./schema.ts";
import { isCurrent } from "./versions.ts";

export const migrationTable = "haft_migrations";

/**
 * Makes the migrations that are missing, all or none. Several processes may do this at once: Postgres locks by itself,
 * and with SQLite whoever calls this holds the database's write lock. `schema`: the one in which Postgres makes tables,
 * for others of the same database may have such tables as well.
 *
 * @throws HaftError `STORE_VERSION_UNKNOWN`, and what the driver throws
 */
export async function migrate(db: Kysely<Tables>, place: string, schema?: string): Promise<void> {
  if (isCurrent(place, await madeMigrations(db, schema))) return;
  const { error } = await migrator(db, schema).migrateToLatest();
  if (error === undefined) return;
  isCurrent(place, await madeMigrations(db, schema)); // a later version came between: that is what to say
  throw error;
}

async function madeMigrations(db: Kysely<Tables>, schema: string | undefined): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isOurs = (one: { name: string; schema?: string }) =>
    one.name === migrationTable && (schema === undefined || one.schema === schema);
  if (!tables.some(isOurs)) return [];
  const rows = await (db as unknown as Kysely<Made>).selectFrom(migrationTable).select("name").execute();
  return rows.map(({ name }) => name);
}

interface Made {
  haft_migrations: { name: string };
}

function migrator(db: Kysely<Tables>, schema: string | undefined): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: migrationTable,
    migrationLockTableName: `${migrationTable}_lock`,
    migrationTableSchema: schema,
  });
}
