/** Whose turn it is: one worker at a time, each with a higher epoch than those before it. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionStore } from "../../core/store.ts";
import { append, claimed, entry, refused, type StoreCase, seqs } from "./case.ts";

export const claimCases: StoreCase[] = [
  {
    name: "claims: a session that nobody has is granted, new or not",
    async run(bench) {
      assert.equal(await claimed(bench.store, "new"), 1);
      await append(bench.store, "old", [entry(0)]);
      assert.equal(await claimed(bench.other(), "old"), 1);
    },
  },
  {
    name: "claims: one that somebody has is not, and it is said who has it",
    async run(bench) {
      const epoch = await claimed(bench.store, "s", { worker: "host:17" });
      for (const store of [bench.store, bench.other()]) {
        const claim = await store.claim("s", { worker: "two", ttlMs: 60_000 });
        assert.ok(!claim.granted, "the second claim is refused");
        assert.equal(claim.worker, "host:17");
        assert.equal(claim.epoch ?? epoch, epoch, "an epoch that is told is that of who has it");
        assert.ok(claim.expiresInMs > 0 && claim.expiresInMs <= 60_000, `expires in ${claim.expiresInMs} ms`);
      }
      await claimed(bench.other(), "another");
    },
  },
  {
    name: "claims: of many at once, one is granted",
    async run(bench) {
      const stores = [bench.store, bench.other(), bench.other()];
      const all = Array.from({ length: 12 }, (_, number) =>
        stores[number % 3]!.claim("s", { worker: `worker ${number}`, ttlMs: 60_000 }),
      );
      assert.equal((await Promise.all(all)).filter(({ granted }) => granted).length, 1);
    },
  },
  {
    name: "claims: one that ran out is granted to the next, with a higher epoch, and the first can write nothing",
    async run(bench) {
      const { store } = bench;
      const first = await claimed(store, "s", { ttlMs: 20 });
      await append(store, "s", [entry(0)], first);
      const other = bench.other();
      const second = await claimedInTime(other, "s");
      assert.ok(second > first, `${second} is higher than ${first}`);
      await refused(() => store.append("s", [entry(1)], { epoch: first }), "STORE_EPOCH_STALE");
      await refused(() => store.append("s", [entry(1)], { epoch: 0 }), "STORE_EPOCH_STALE");
      await append(other, "s", [entry(1)], second);
      assert.deepEqual(await seqs(store, "s"), [0, 1]);
    },
  },
  {
    name: "claims: one that ran out and that nobody took may still write and be renewed",
    async run({ store }) {
      const epoch = await claimed(store, "s", { ttlMs: 1 });
      await sleep(10);
      await append(store, "s", [entry(0)], epoch);
      assert.equal(await store.renew("s", { epoch, ttlMs: 60_000 }), true);
      assert.equal((await store.claim("s", { worker: "two", ttlMs: 1 })).granted, false);
    },
  },
  {
    name: "claims: renewed, it lasts longer than it was granted for",
    async run(bench) {
      const epoch = await claimed(bench.store, "s", { ttlMs: 100 });
      assert.equal(await bench.store.renew("s", { epoch, ttlMs: 60_000 }), true);
      await sleep(150);
      const claim = await bench.other().claim("s", { worker: "two", ttlMs: 1 });
      assert.ok(!claim.granted, "it is not anybody's yet");
      assert.ok(claim.expiresInMs > 100, `expires in ${claim.expiresInMs} ms`);
    },
  },
  {
    name: "claims: whoever lost it is told so when it renews, and takes nothing from the next",
    async run(bench) {
      const { store } = bench;
      const first = await claimed(store, "s", { ttlMs: 1 });
      const second = await claimedInTime(bench.other(), "s");
      assert.equal(await store.renew("s", { epoch: first, ttlMs: 60_000 }), false);
      await store.release("s", { epoch: first });
      assert.equal((await store.claim("s", { worker: "three", ttlMs: 1 })).granted, false);
      assert.equal(await store.renew("s", { epoch: second, ttlMs: 60_000 }), true);
    },
  },
  {
    name: "claims: given back, it is anybody's at once, and its epoch is not given again",
    async run(bench) {
      const { store } = bench;
      const first = await claimed(store, "s");
      await store.release("s", { epoch: first });
      assert.equal(await store.renew("s", { epoch: first, ttlMs: 60_000 }), false);
      await store.release("s", { epoch: first });
      const second = await claimed(bench.other(), "s");
      assert.ok(second > first, `${second} is higher than ${first}`);
      assert.deepEqual(await store.read("s"), [], "a claim writes no entry");
    },
  },
  {
    name: "claims: the epoch is higher than that of any append",
    async run(bench) {
      await append(bench.store, "s", [entry(0)], 7);
      assert.equal(await claimed(bench.other(), "s"), 8);
    },
  },
  {
    name: "claims: a session that was never claimed has nothing to renew or to give back",
    async run({ store }) {
      assert.equal(await store.renew("s", { epoch: 1, ttlMs: 60_000 }), false);
      await store.release("s", { epoch: 1 });
      assert.equal(await claimed(store, "s"), 1);
    },
  },
  {
    name: "claims: without a worker, or for no time, they are refused",
    async run({ store }) {
      await refused(() => store.claim("s", { worker: "", ttlMs: 1 }), "OPTIONS_INVALID");
      for (const ttlMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
        await refused(() => store.claim("s", { worker: "one", ttlMs }), "OPTIONS_INVALID");
      assert.equal(await claimed(store, "s"), 1);
    },
  },
];

/** Waits until the claim of another has run out. */
async function claimedInTime(store: SessionStore, session: string): Promise<number> {
  for (;;) {
    const claim = await store.claim(session, { worker: "next", ttlMs: 60_000 });
    if (claim.granted) return claim.epoch;
    assert.ok(claim.expiresInMs <= 20, `the claim runs out in ${claim.expiresInMs} ms, and was granted for 20`);
    await sleep(claim.expiresInMs + 1);
  }
}
