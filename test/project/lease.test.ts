/** Whose turn it is in a session, over each kind of store. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { SessionStore } from "../../src/core/store.ts";
import { holdSession, isGone, withSession, workerName } from "../../src/project/lease.ts";
import { fileStore, memoryStore, sqliteStore } from "../../src/stores/index.ts";

const folder = await mkdtemp(join(tmpdir(), "haft-lease-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const stores: [name: string, open: () => SessionStore][] = [
  ["memory", memoryStore],
  ["file", () => fileStore(join(folder, "files"))],
  ["sqlite", () => sqliteStore(join(folder, "haft.db"))],
];

/** The name of a process of this machine that has ended. */
function dead(): string {
  const url = new URL("../../src/stores/file/process-id.ts", import.meta.url);
  const script = `import { createJiti } from "jiti";
    const { ownName } = await createJiti(process.cwd() + "/x.mjs").import(${JSON.stringify(url.pathname)});
    process.stdout.write(ownName);`;
  const { stdout, stderr, pid } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  if (!stdout) throw new Error(stderr);
  return `${hostname()}:${pid} ${stdout}`;
}

test.each(stores)("held, it is nobody else's until it is given back (%s)", async (_name, open) => {
  const store = open();
  const held = await holdSession(store, "a");
  const refused = await holdSession(store, "a").catch((error) => error);
  expect(refused).toMatchObject({ code: "SESSION_BUSY", data: { worker: `${hostname()}:${process.pid}` } });
  await withSession(store, "b", async () => {});
  await held.end();
  const again = await holdSession(store, "a");
  expect(again.epoch).toBeGreaterThan(held.epoch);
  await held.end(); // gives back nothing of others
  await expect(holdSession(store, "a")).rejects.toMatchObject({ code: "SESSION_BUSY" });
  await again.end();
  await store.close();
});

test.each(stores)(
  "one that is gone has it no longer; one elsewhere keeps it until its time is up (%s)",
  async (_name, open) => {
    const store = open();
    const worker = dead();
    expect(isGone(worker)).toBe(true);
    expect(workerName(worker)).toMatch(/^[^ ]+:\d+$/);
    await store.claim("gone", { worker, ttlMs: 3_600_000 });
    const held = await holdSession(store, "gone");
    expect(held.epoch).toBe(2);
    await held.end();
    expect(isGone("other:1")).toBe(false);
    expect(isGone(worker.replaceAll(hostname(), "other"))).toBe(false);
    await store.claim("away", { worker: "other:1", ttlMs: 3_600_000 });
    await expect(holdSession(store, "away")).rejects.toMatchObject({
      code: "SESSION_BUSY",
      data: { worker: "other:1" },
    });
    await store.close();
  },
);

test("what fails gives it back all the same", async () => {
  const store = memoryStore();
  await expect(
    withSession(store, "a", async () => {
      throw new Error("no");
    }),
  ).rejects.toThrow("no");
  expect(await store.claim("a", { worker: "other:1", ttlMs: 1000 })).toMatchObject({ granted: true });
});
