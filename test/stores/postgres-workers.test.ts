/** Several processes on one Postgres: the first use, a worker that stands still, and one whose answer was lost with its session. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Entry } from "../../src/core/log.ts";
import type { SessionStore } from "../../src/core/store.ts";
import { type PostgresStoreOptions, postgresStore } from "../../src/stores/index.ts";
import { cuttingProxy } from "../helpers/cutting-proxy.ts";
import { startProcess } from "../helpers/own-process.ts";
import { isPostgresRequired, openPostgres, type PostgresServer, whyNoPostgres } from "../helpers/postgres-server.ts";

const missing = isPostgresRequired ? undefined : whyNoPostgres();

function entry(seq: number, text = `entry ${seq}`): Entry {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  return { v: 2, seq, at: seq, key: "run_1", type: "message", via: "prompt", message };
}

describe.skipIf(missing !== undefined)(`workers on Postgres${missing ? ` (skipped: ${missing})` : ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await openPostgres();
  }, 60_000);
  afterAll(() => server?.close());

  function open(options: PostgresStoreOptions): SessionStore {
    const store = postgresStore(options);
    onTestFinished(() => store.close());
    return store;
  }

  test("three processes are the first to use a database", async () => {
    const url = await server.database();
    const sessions = ["a", "b", "c"];
    const writers = sessions.map((session) => startProcess("postgres-writer.mjs", url, session));
    await Promise.all(writers.map((writer) => writer.printed(5)));
    for (const { child } of writers) child.kill("SIGKILL");
    await Promise.all(writers.map(({ ended }) => ended));
    const store = open({ connectionString: url });
    for (const [index, session] of sessions.entries()) {
      const acknowledged = writers[index]!.lines.map(Number);
      const written = (await store.read(session)).map(({ seq }) => seq);
      expect(written.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(written.length - acknowledged.length).toBeLessThanOrEqual(1); // the one whose answer it did not live to print
    }
  });

  test("a process that stood still while another took its session over can append nothing", async () => {
    const url = await server.database();
    const writer = startProcess("postgres-writer.mjs", url, "s");
    await writer.printed(5);
    writer.child.kill("SIGSTOP");
    const store = open({ connectionString: url });
    const epoch = await takeOver(store, "s");
    expect(epoch).toBe(2);
    const before = await store.read("s");
    const next = entry(before.length, "of the one that took over");
    await store.append("s", [next], { epoch });

    writer.child.kill("SIGCONT");
    await writer.ended;
    expect(writer.lines.at(-1)).toBe("STORE_EPOCH_STALE");
    expect(await store.read("s")).toEqual([...before, next]);
    expect(before.map(({ seq }) => seq)).toEqual([...before.keys()]);
    expect(writer.lines.length - 1).toBeLessThanOrEqual(before.length); // what it was told is written, is
  });

  test("an answer that was lost is not made up for to a worker that lost its session", async () => {
    const direct = await server.database();
    const { hostname, port } = new URL(direct);
    const proxy = await cuttingProxy({ host: hostname, port: Number(port || 5432) });
    onTestFinished(() => proxy.close());
    const behind = new URL(direct);
    behind.host = `127.0.0.1:${proxy.port}`;
    const store = open({ connectionString: behind.href });
    await store.append("s", [entry(0)], { epoch: 1 });

    const keeper = new pg.Client({ connectionString: direct });
    await keeper.connect();
    await keeper.query("BEGIN");
    await keeper.query("LOCK TABLE haft_entries IN ACCESS EXCLUSIVE MODE");
    const append = Promise.resolve(store.append("s", [entry(1)], { epoch: 1 })).catch((error: unknown) => error);
    await until(async () => (await waitingForLocks(keeper)) === 1);
    proxy.freeze(); // its answer reaches nobody
    await keeper.query("COMMIT");
    await keeper.end();
    const other = open({ connectionString: direct });
    await until(async () => (await other.read("s")).length === 2);
    expect(await takeOver(other, "s")).toBe(2);
    proxy.cut();
    proxy.heal();
    expect(await append).toMatchObject({ code: "STORE_EPOCH_STALE" });
    expect(await other.read("s")).toEqual([entry(0), entry(1)]);
  });
});

/** Waits until the claim of another has run out. */
async function takeOver(store: SessionStore, session: string): Promise<number> {
  for (;;) {
    const claim = await store.claim(session, { worker: "the next", ttlMs: 60_000 });
    if (claim.granted) return claim.epoch;
    await sleep(claim.expiresInMs);
  }
}

async function waitingForLocks(client: pg.Client): Promise<number> {
  const text = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO haft_entries%'`;
  return (await client.query(text)).rows[0].n;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}
