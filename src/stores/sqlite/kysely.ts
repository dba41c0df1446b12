/** Kysely on a connection that is open already; the connection stays its owner's. */
import { Kysely, SqliteDialect } from "kysely";
import type { Tables } from "../sql/schema.ts";
import type { SqliteConnection, SqliteValue } from "./driver.ts";

export function kyselyOn(connection: SqliteConnection): Kysely<Tables> {
  const prepare = (sql: string) => {
    const statement = connection.prepare(sql);
    return {
      reader: /^\s*(?:select|with|pragma)\b/i.test(sql),
      all: (values: readonly unknown[]) => statement.all(...(values as SqliteValue[])),
      run: (values: readonly unknown[]) => ({
        changes: Number(statement.run(...(values as SqliteValue[])).changes),
        lastInsertRowid: 0,
      }),
      iterate: (values: readonly unknown[]) => statement.all(...(values as SqliteValue[])).values(),
    };
  };
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: { prepare, close: () => {} } }) });
}
