/** What the contract of stores does not say of Postgres: connections that are lost, servers that stop, and the first use of a database. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Entry } from "../../src/core/log.ts";
import type { SessionStore } from "../../src/core/store.ts";
import { type PostgresStoreOptions, postgresStore } from "../../src/stores/index.ts";
import { cuttingProxy } from "../helpers/cutting-proxy.ts";
import { isPostgresRequired, openPostgres, type PostgresServer, whyNoPostgres } from "../helpers/postgres-server.ts";

const missing = isPostgresRequired ? undefined : whyNoPostgres();

function entry(seq: number, text = `entry ${seq}`): Entry {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  return { v: 2, seq, at: seq, key: "run_1", type: "message", via: "prompt", message };
}

describe.skipIf(missing !== undefined)(`the postgres store${missing ? ` (skipped: ${missing})` : ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await openPostgres();
  }, 60_000);
  afterAll(() => server?.close());

  async function open(options: Partial<PostgresStoreOptions> = {}): Promise<{ store: SessionStore; url: string }> {
    const url = options.connectionString ?? (await server.database());
    const store = postgresStore({ connectionString: url, ...options });
    onTestFinished(() => store.close());
    return { store, url };
  }

  /** Through a proxy that can be cut. */
  async function openBehindProxy(options: Partial<PostgresStoreOptions> = {}) {
    const direct = new URL(await server.database());
    const proxy = await cuttingProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
    onTestFinished(() => proxy.close());
    const url = new URL(direct);
    url.port = String(proxy.port);
    url.hostname = "127.0.0.1";
    const { store } = await open({ connectionString: url.href, ...options });
    return { store, proxy, direct: direct.href };
  }

  /** Appends one entry after the other until it is told to stop; tells how many were acknowledged. */
  function writing(store: SessionStore, session: string) {
    let isOver = false;
    let acknowledged = 0;
    const done = (async () => {
      for (let seq = 0; !isOver; seq++) {
        await store.append(session, [entry(seq)], { epoch: 0 });
        acknowledged = seq + 1;
      }
    })();
    const until = async (count: number) => {
      while (acknowledged < count) await Promise.race([sleep(5), done]);
    };
    const end = () => {
      isOver = true;
      return done;
    };
    return { until, end, acknowledged: () => acknowledged };
  }

  async function expectWhole(store: SessionStore, session: string, count: number): Promise<void> {
    const seqs = (await store.read(session)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: count }, (_, seq) => seq));
  }

  test("keeps every text, also what its own JSON type has not", async () => {
    const { store } = await open();
    const text = `nul \u0000, half a character \ud800, 🪓 ' " \\ $1 ${"long ".repeat(100_000)}`;
    await store.append("s", [entry(0, text)], { epoch: 0 });
    expect(await store.read("s")).toEqual([entry(0, text)]);
  });

  test("ten that are the first to use a database make its tables once", async () => {
    const url = await server.database();
    const stores = await Promise.all(Array.from({ length: 10 }, () => open({ connectionString: url })));
    await Promise.all(stores.map(({ store }, index) => store.append(`s${index}`, [entry(0)], { epoch: 0 })));
    expect(await stores[0]!.store.list()).toHaveLength(10);
  });

  test("a database that a later version has changed is refused, and not touched", async () => {
    const { store, url } = await open();
    await store.append("s", [entry(0)], { epoch: 0 });
    await query(url, "INSERT INTO haft_migrations (name, timestamp) VALUES ('9999-later', 'now')");
    const { store: older } = await open({ connectionString: url });
    await expect(older.append("s", [entry(1)], { epoch: 0 })).rejects.toMatchObject({ code: "STORE_VERSION_UNKNOWN" });
    await expectWhole(store, "s", 1);
  });

  test("without prepared statements it does the same", async () => {
    const { store, url } = await open({ prepare: false });
    await store.append("s", [entry(0), entry(1)], { epoch: 0 });
    await expect(store.append("s", [entry(1)], { epoch: 0 })).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    await expectWhole(store, "s", 2);
    const { store: prepared } = await open({ connectionString: url });
    await expectWhole(prepared, "s", 2);
  });

  test("a pool of one's own stays open when the store is closed", async () => {
    const pool = new pg.Pool({ connectionString: await server.database() });
    onTestFinished(() => pool.end());
    const store = postgresStore({ pool });
    await store.append("s", [entry(0)], { epoch: 0 });
    await store.close();
    expect((await pool.query("SELECT count(*)::int AS n FROM haft_entries")).rows).toEqual([{ n: 1 }]);
  });

  test("two writers, the same places: each place is written by one of them", async () => {
    const { store, url } = await open();
    const { store: other } = await open({ connectionString: url });
    const tries = Array.from({ length: 40 }, (_, index) => {
      const one = index % 2 === 0 ? store : other;
      return one.append("s", [entry(Math.floor(index / 2), `by ${index % 2}`)], { epoch: 0 });
    });
    const results = await Promise.allSettled(tries.map((one) => Promise.resolve(one)));
    const written = results.filter(({ status }) => status === "fulfilled").length;
    await expectWhole(store, "s", written);
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "STORE_CONFLICT" });
  });

  describe("claims", () => {
    test("of many at once, one is granted", async () => {
      const { store, url } = await open();
      const { store: other } = await open({ connectionString: url });
      const claims = await Promise.all(
        [store, other, store, other].map((one, index) => one.claim("s", { worker: `w${index}`, ttlMs: 60_000 })),
      );
      expect(claims.filter(({ granted }) => granted)).toEqual([{ granted: true, epoch: 1 }]);
      for (const claim of claims) if (!claim.granted) expect(claim.expiresInMs).toBeGreaterThan(50_000);
    });

    test("whoever lost it can neither renew nor write", async () => {
      const { store } = await open();
      expect(await store.claim("s", { worker: "first", ttlMs: 30 })).toEqual({ granted: true, epoch: 1 });
      await store.append("s", [entry(0)], { epoch: 1 });
      await sleep(60);
      expect(await store.claim("s", { worker: "second", ttlMs: 60_000 })).toEqual({ granted: true, epoch: 2 });
      expect(await store.renew("s", { epoch: 1, ttlMs: 60_000 })).toBe(false);
      await expect(store.append("s", [entry(1)], { epoch: 1 })).rejects.toMatchObject({ code: "STORE_EPOCH_STALE" });
      await store.append("s", [entry(1)], { epoch: 2 });
    });

    test("a pool that is full of work does not hold up a renewal", async () => {
      const { store, url } = await open({ maxConnections: 1 });
      await store.append("s", [entry(0)], { epoch: 0 });
      const { epoch } = (await store.claim("s", { worker: "w", ttlMs: 60_000 })) as { epoch: number };
      await locking(url, "LOCK TABLE haft_entries IN ACCESS EXCLUSIVE MODE", async () => {
        const waiting = store.read("s");
        await sleep(20);
        expect(await store.renew("s", { epoch, ttlMs: 60_000 })).toBe(true);
        return waiting;
      });
    });
  });

  describe("a lost connection", () => {
    test("cut while it writes: nothing is lost, nothing is there twice", async () => {
      const { store, proxy } = await openBehindProxy();
      const work = writing(store, "s");
      for (const count of [20, 40, 60]) {
        await work.until(count);
        proxy.cut();
        await sleep(30);
        proxy.heal();
      }
      await work.until(work.acknowledged() + 20);
      await work.end();
      await expectWhole(store, "s", work.acknowledged());
    });

    test("open, with nothing coming: it is given up, and another one is made", async () => {
      const { store, proxy } = await openBehindProxy({ timeoutMs: 300 });
      const work = writing(store, "s");
      await work.until(10);
      proxy.freeze();
      await sleep(100);
      const before = work.acknowledged();
      await sleep(400);
      expect(work.acknowledged()).toBe(before);
      proxy.heal();
      await work.until(before + 20);
      await work.end();
      await expectWhole(store, "s", work.acknowledged());
    });

    test("an append whose answer was lost is acknowledged, and not written again", async () => {
      const { store, proxy, direct } = await openBehindProxy({ timeoutMs: 2_000 });
      await store.append("s", [entry(0)], { epoch: 0 });
      let second: unknown;
      await locking(direct, "LOCK TABLE haft_entries IN ACCESS EXCLUSIVE MODE", async () => {
        second = store.append("s", [entry(1)], { epoch: 0 });
        await sleep(100); // the server has it, and waits for the lock
        proxy.freeze(); // its answer reaches nobody
      });
      await sleep(100);
      proxy.cut();
      proxy.heal();
      await second;
      await expectWhole(store, "s", 2);
    });

    test("every connection ended by the server's keeper", async () => {
      const { store, url } = await open();
      const work = writing(store, "s");
      for (const count of [20, 40]) {
        await work.until(count);
        await query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'haft'");
      }
      await work.until(work.acknowledged() + 20);
      await work.end();
      await expectWhole(store, "s", work.acknowledged());
    });

    test("a server that is stopped as by a crash, and starts again", async ({ skip }) => {
      const { control } = server;
      if (!control) return skip("the server of DATABASE_URL is not ours to stop");
      const { store } = await open({ retryMs: 100_000 });
      const work = writing(store, "s");
      await work.until(20);
      await control.stop("immediate");
      await control.start();
      await work.until(work.acknowledged() + 20);
      await work.end();
      await expectWhole(store, "s", work.acknowledged());
    }, 120_000);
  });

  describe("errors", () => {
    const secret = "pass-word-of-mine";

    test("nobody is there: says where, and not with what", async () => {
      const connectionString = `postgres://me:${secret}@127.0.0.1:1/nowhere`;
      const { store } = await open({ connectionString, retryMs: 60 });
      const error = await store.read("s").catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.stringContaining("127.0.0.1:1/nowhere"),
      });
      expect(JSON.stringify(error) + String(error)).not.toContain(secret);
    });

    test("a database that is not there is no reason to wait", async () => {
      const url = new URL(await server.database());
      url.pathname = "/not-there";
      const { store } = await open({ connectionString: url.href });
      await expect(store.read("s")).rejects.toMatchObject({
        code: "STORE_FAILED",
        hint: expect.stringContaining("createdb"),
      });
    });

    test("after it was closed", async () => {
      const { store } = await open();
      await store.append("s", [entry(0)], { epoch: 0 });
      await store.close();
      await expect(store.read("s")).rejects.toMatchObject({ code: "STORE_CLOSED" });
    });

    test.each([
      [
        "a pool and a connection string",
        { pool: { query: async () => ({ rows: [] }) }, connectionString: "postgres://x" },
      ],
      ["no connections", { maxConnections: 0 }],
      ["a time that is none", { timeoutMs: Number.NaN }],
    ])("options that do not fit: %s", (_, options) => {
      expect(() => postgresStore(options as PostgresStoreOptions)).toThrow(
        expect.objectContaining({ code: "OPTIONS_INVALID" }),
      );
    });
  });
});

async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** With a lock held, which is given back afterwards. */
async function locking<T>(connectionString: string, lock: string, work: () => Promise<T>): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("BEGIN");
  await client.query(lock);
  const waiting = work();
  try {
    await Promise.race([waiting, sleep(300)]);
  } finally {
    await client.query("COMMIT");
    await client.end();
  }
  await waiting;
}
