/** Where a Postgres is and who may use it: passwords, schemas, poolers, and that no error tells a secret. */
import { connect, createServer } from "node:net";
import { inspect } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Entry } from "../../src/core/log.ts";
import { type PostgresStoreOptions, postgresStore } from "../../src/stores/index.ts";
import { isPostgresRequired, openPostgres, type PostgresServer, whyNoPostgres } from "../helpers/postgres-server.ts";

const missing = isPostgresRequired ? undefined : whyNoPostgres();
const secret = "my-pass-word";

describe("a connection string", () => {
  test.each([
    `postgres://me:12/${secret}@127.0.0.1:1/db`,
    `postgres://me:12#${secret}@127.0.0.1:1/db`,
    `postgres://me:12?${secret}@127.0.0.1:1/db`,
    `postgres://me:${secret}@1/2@127.0.0.1:1/db`,
    `host=127.0.0.1 password=${secret}`,
    `mysql://me:${secret}@127.0.0.1/db`,
  ])("that would be read in another way than it is meant is refused: %s", (connectionString) => {
    const error = thrownBy(() => postgresStore({ connectionString }));
    expect(error).toMatchObject({ code: "OPTIONS_INVALID", hint: expect.stringContaining("%2F") });
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
  });

  test.each([
    [`postgres://me:${secret}%2F%40@127.0.0.1:1/db`, "127.0.0.1:1/db"],
    [`postgresql://127.0.0.1:1/db?user=me&password=${secret}`, "127.0.0.1:1/db"],
    [`postgres://me:${secret}@/db?host=/nowhere-at-all`, "the given connection string"],
    ["/nowhere-at-all db", "the given connection string"],
  ])("that nobody answers: %s", async (connectionString, place) => {
    const error = await thrownLater(async () => {
      const store = postgresStore({ connectionString, retryMs: 0 });
      await store.read("s").finally(() => store.close());
    });
    expect(error).toMatchObject({ code: "STORE_UNAVAILABLE", message: expect.stringContaining(place) });
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
  });

  test("a certificate that is not there is no reason to wait", async () => {
    const connectionString = `postgres://me:${secret}@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/nowhere-at-all`;
    const store = postgresStore({ connectionString });
    expect(await thrownLater(() => store.read("s"))).toMatchObject({ code: "STORE_FAILED" });
    await store.close();
  });
});

describe.skipIf(missing !== undefined)(`places in Postgres${missing ? ` (skipped: ${missing})` : ""}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await openPostgres();
  }, 60_000);
  afterAll(() => server?.close());

  function open(connectionString: string, options: PostgresStoreOptions = {}) {
    const store = postgresStore({ connectionString, ...options });
    onTestFinished(() => store.close());
    return store;
  }

  test("a password that is wrong is said at once", async () => {
    const url = new URL(await server.database());
    url.password = secret;
    const error = await thrownLater(() => open(url.href).read("s"));
    expect(error).toMatchObject({ code: "STORE_FAILED", hint: expect.stringContaining("password") });
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
  });

  test("two schemas of one database are two places", async () => {
    const url = await server.database();
    for (const schema of ["one", "two"]) {
      await query(url, `CREATE SCHEMA ${schema}`);
      const store = open(`${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`);
      expect(await store.list()).toEqual([]);
      await store.append("s", [entry(schema)], { epoch: 0 });
      expect(await store.read("s")).toEqual([entry(schema)]);
    }
  });

  test("a user who may not make tables uses those that are there", async () => {
    const url = await server.database();
    const [name, user] = [new URL(url).pathname.slice(1), `user_${new URL(url).pathname.slice(6)}`];
    await query(url, `CREATE ROLE ${user} LOGIN PASSWORD '${secret}'`);
    onTestFinished(() => query(url, `DROP OWNED BY ${user}; DROP ROLE ${user}`));
    await query(url, `REVOKE ALL ON SCHEMA public FROM public; GRANT USAGE ON SCHEMA public TO ${user}`);
    const theirs = new URL(url);
    theirs.username = user;
    theirs.password = secret;
    expect(await thrownLater(() => open(theirs.href).list())).toMatchObject({
      code: "STORE_FAILED",
      message: expect.stringContaining(name),
      hint: expect.stringContaining("right to make tables"),
    });
    await open(url).append("s", [entry("ours")], { epoch: 0 });
    await query(url, `GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO ${user}`);
    expect(await open(theirs.href).read("s")).toEqual([entry("ours")]);
  });

  test("prepare: false goes through a pooler that takes no settings; without it, that is said at once", async () => {
    const url = await behindPooler(await server.database());
    const store = open(url, { prepare: false });
    await store.append("s", [entry("pooled")], { epoch: 0 });
    expect(await store.read("s")).toEqual([entry("pooled")]);
    expect(await thrownLater(() => open(url).read("s"))).toMatchObject({
      code: "STORE_FAILED",
      hint: expect.stringContaining("prepare: false"),
    });
  });
});

/** As PgBouncer does: a connection that comes with a setting of its own is refused, in the server's protocol. */
async function behindPooler(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const pooler = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("error", () => {});
      from.on("close", () => to.destroy());
    }
    client.once("data", (startup) => {
      if (startup.includes("statement_timeout"))
        return client.end(refusal("unsupported startup parameter: statement_timeout"));
      upstream.write(startup);
      client.pipe(upstream);
      upstream.pipe(client);
    });
  });
  await new Promise<void>((resolve) => pooler.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void pooler.close());
  const behind = new URL(url);
  behind.host = `127.0.0.1:${(pooler.address() as { port: number }).port}`;
  return behind.href;
}

/** An ErrorResponse of the protocol. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

function entry(text: string): Entry {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  return { v: 2, seq: 0, at: 0, key: "run_1", type: "message", via: "prompt", message };
}

async function query(connectionString: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

function thrownLater(work: () => Promise<unknown>): Promise<unknown> {
  return work().then(
    () => undefined,
    (error: unknown) => error,
  );
}
