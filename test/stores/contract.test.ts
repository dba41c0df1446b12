import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Entry, Store } from "../../src/core/log.ts";
import { fileStore, memoryStore } from "../../src/stores/index.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "haft-store-"));
  folders.push(made);
  return made;
}

const stores: Record<string, () => Promise<Store>> = {
  memory: async () => memoryStore(),
  file: async () => fileStore(join(await folder(), "deep", "sessions")),
};

/** An append may also be done at once, without a promise. */
async function append(store: Store, session: string, entries: Entry[], epoch = 0): Promise<void> {
  await store.append(session, entries, { epoch });
}

function entry(seq: number, text = `entry ${seq}`): Entry {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  return { v: 2, seq, at: seq, key: "run_1", type: "message", via: "prompt", message };
}

describe.each(Object.entries(stores))("the %s store", (_, open) => {
  test("a session that was never written to is empty", async () => {
    expect(await (await open()).read("nobody")).toEqual([]);
  });

  test("entries come back in order, whole or from a place on", async () => {
    const store = await open();
    await append(store, "s", [entry(0), entry(1)]);
    await append(store, "s", [entry(2)]);
    expect(await store.read("s")).toEqual([entry(0), entry(1), entry(2)]);
    expect(await store.read("s", 1)).toEqual([entry(2)]);
    expect(await store.read("s", 2)).toEqual([]);
  });

  test("sessions do not see each other", async () => {
    const store = await open();
    await append(store, "a", [entry(0, "of a")]);
    await append(store, "a.b", [entry(0, "of a.b")]);
    expect(await store.read("a")).toEqual([entry(0, "of a")]);
    expect(await store.read("a.b")).toEqual([entry(0, "of a.b")]);
  });

  test("what was read belongs to the reader", async () => {
    const store = await open();
    await append(store, "s", [entry(0)]);
    (await store.read("s"))[0]!.key = "changed";
    expect((await store.read("s"))[0]!.key).toBe("run_1");
  });

  test("texts of every kind come back", async () => {
    const store = await open();
    const text = `line\nline\u2028 "quoted" \\ \u0000 🪓 ${"long ".repeat(50_000)}`;
    await append(store, "s", [entry(0, text)]);
    expect(await store.read("s")).toEqual([entry(0, text)]);
  });

  test("appends that are not waited for keep their order", async () => {
    const store = await open();
    await Promise.all(Array.from({ length: 50 }, (_, seq) => append(store, "s", [entry(seq)])));
    expect((await store.read("s")).map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, seq) => seq));
  });

  test("a writer of an older epoch writes nothing, and a newer one takes over", async () => {
    const store = await open();
    await append(store, "s", [entry(0)], 1);
    await append(store, "s", [entry(1)], 2);
    await expect(append(store, "s", [entry(2)], 1)).rejects.toMatchObject({ code: "STORE_EPOCH_STALE" });
    await expect(append(store, "s", [entry(2)])).rejects.toMatchObject({ code: "STORE_EPOCH_STALE" });
    await append(store, "s", [entry(2)], 2);
    expect((await store.read("s")).map(({ seq }) => seq)).toEqual([0, 1, 2]);
  });

  test("a place is written once: whoever comes second has not read what is there", async () => {
    const store = await open();
    await append(store, "s", [entry(0), entry(1)]);
    await expect(append(store, "s", [entry(1, "another")])).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: expect.stringContaining("goes on with entry 2"),
    });
    await expect(append(store, "s", [entry(3)])).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    expect(await store.read("s")).toEqual([entry(0), entry(1)]);
  });

  test("a refused append does not stop the ones after it", async () => {
    const store = await open();
    const all = [entry(0), entry(7), entry(1)].map((one) => append(store, "s", [one]));
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("very many entries go in one append", async () => {
    const store = await open();
    const many = Array.from({ length: 150_000 }, (_, seq) => ({ v: 2, seq, at: 0, key: "r", type: "x" }) as never);
    await append(store, "s", many);
    expect(await store.read("s", 149_998)).toHaveLength(1);
  });
});
