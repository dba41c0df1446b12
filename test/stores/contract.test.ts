import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { fileStore, memoryStore, postgresStore, sqliteStore } from "../../src/stores/index.ts";
import { type StoreSubject, storeContract } from "../../src/testing/index.ts";
import { isPostgresRequired, openPostgres, type PostgresServer, whyNoPostgres } from "../helpers/postgres-server.ts";

const subjects: Record<string, () => Promise<StoreSubject>> = {
  memory: async () => ({ store: memoryStore() }),
  file: () => inFolder((folder) => fileStore(join(folder, "deep", "sessions"))),
  "SQLite, strict": () => inFolder((folder) => sqliteStore(join(folder, "deep", "haft.db"))),
  "SQLite, fast": () => inFolder((folder) => sqliteStore(join(folder, "haft.db"), { durability: "fast" })),
};

describe.each(Object.entries(subjects))("the %s store", (_, make) => {
  for (const { name, run } of storeContract(make)) test.concurrent(name, run, 60_000);
});

const missing = isPostgresRequired ? undefined : whyNoPostgres();

describe.skipIf(missing !== undefined)(`the Postgres store${missing ? ` (skipped: ${missing})` : ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await openPostgres();
  }, 60_000);
  afterAll(() => server?.close());

  const make = async (): Promise<StoreSubject> => {
    const connectionString = await server.database();
    const open = () => postgresStore({ connectionString, maxConnections: 3 });
    return { store: open(), other: open };
  };
  for (const { name, run } of storeContract(make)) test(name, run, 60_000);
});

async function inFolder(open: (folder: string) => StoreSubject["store"]): Promise<StoreSubject> {
  const folder = await mkdtemp(join(tmpdir(), "haft-store-"));
  const close = async () => {
    await rm(folder, { recursive: true, force: true });
    if (existsSync(folder)) throw new Error("a store that is closed writes nothing");
  };
  return { store: open(folder), other: () => open(folder), close };
}
