/** The list of sessions, and the end of a store. */
import assert from "node:assert/strict";
import { append, claimed, entry, refused, type StoreCase, seqs } from "./case.ts";

export const lifeCases: StoreCase[] = [
  {
    name: "list: the sessions that were written to, the last one first",
    async run(bench) {
      const { store } = bench;
      assert.deepEqual(await store.list(), []);
      await claimed(store, "claimed");
      await append(store, "first", [entry(0, "", 1_000), entry(1, "", 2_000)]);
      await append(store, "second", [entry(0, "", 3_000)]);
      await append(store, "third", [entry(0, "", 4_000)]);
      await append(store, "first", [entry(2, "", 5_000)]);
      const all = [
        { session: "first", entries: 3, createdAt: 1_000, updatedAt: 5_000 },
        { session: "third", entries: 1, createdAt: 4_000, updatedAt: 4_000 },
        { session: "second", entries: 1, createdAt: 3_000, updatedAt: 3_000 },
      ];
      assert.deepEqual(await store.list(), all);
      assert.deepEqual(await bench.other().list({ limit: 2 }), all.slice(0, 2));
    },
  },
  {
    name: "list: fifty when no limit is given",
    async run({ store }) {
      for (let number = 0; number < 52; number++) await append(store, `s${number}`, [entry(0, "", 1_000 + number)]);
      assert.equal((await store.list()).length, 50);
      assert.equal((await store.list({ limit: 60 })).length, 52);
    },
  },
  {
    name: "close: what was asked for before is done, and nothing after it",
    async run(bench) {
      const { store } = bench;
      await append(store, "s", [entry(0)]);
      const written = append(store, "s", [entry(1)]);
      await store.close();
      await written;
      const calls = [
        () => store.append("s", [entry(2)], { epoch: 0 }),
        () => store.read("s"),
        () => store.claim("s", { worker: "one", ttlMs: 1 }),
        () => store.renew("s", { epoch: 1, ttlMs: 1 }),
        () => store.release("s", { epoch: 1 }),
        () => store.list(),
      ];
      for (const call of calls) await refused(call, "STORE_CLOSED");
      await store.close();
      const other = bench.other();
      if (other !== store) assert.deepEqual(await seqs(other, "s"), [0, 1]);
    },
  },
  {
    name: "close: a store that was never used closes",
    async run({ store }) {
      await store.close();
      await refused(() => store.read("s"), "STORE_CLOSED");
    },
  },
];
