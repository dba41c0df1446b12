/** haft/stores: where logs live. */
export { fileStore } from "./file.ts";
export { memoryStore } from "./memory.ts";
export { type PostgresPool, type PostgresStoreOptions, postgresStore } from "./postgres.ts";
export { type SqliteStoreOptions, sqliteStore } from "./sqlite.ts";
