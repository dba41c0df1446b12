/** Who may write: nobody who lost its turn, nobody who has not read what another wrote; and all of an append or nothing. */
import assert from "node:assert/strict";
import { HaftError } from "../../base/errors.ts";
import type { SessionStore } from "../../core/store.ts";
import { append, entry, refused, type StoreCase, seqs } from "./case.ts";

export const writerCases: StoreCase[] = [
  {
    name: "writers: a place is written once; whoever comes second has not read what is there",
    async run(bench) {
      const { store } = bench;
      const other = bench.other();
      await append(store, "s", [entry(0), entry(1)]);
      await refused(() => other.append("s", [entry(1, "another")], { epoch: 0 }), "STORE_CONFLICT");
      await refused(() => store.append("s", [entry(1, "another")], { epoch: 0 }), "STORE_CONFLICT");
      await append(other, "s", [entry(2)]);
      await refused(() => store.append("s", [entry(2, "another")], { epoch: 0 }), "STORE_CONFLICT");
      await append(store, "s", [entry(3)]);
      assert.deepEqual(await store.read("s"), [entry(0), entry(1), entry(2), entry(3)]);
    },
  },
  {
    name: "writers: there are no gaps",
    async run({ store }) {
      await append(store, "s", [entry(0)]);
      await refused(() => store.append("s", [entry(2)], { epoch: 0 }), "STORE_CONFLICT");
      assert.deepEqual(await seqs(store, "s"), [0]);
    },
  },
  {
    name: "writers: of a refused append nothing is written, and the ones after it go on",
    async run({ store }) {
      await append(store, "s", [entry(0)]);
      await refused(() => store.append("s", [entry(0), entry(1), entry(2)], { epoch: 0 }), "STORE_CONFLICT");
      assert.deepEqual(await seqs(store, "s"), [0]);
      const all = [entry(1), entry(7), entry(2)].map((one) => append(store, "s", [one]));
      const ended = (await Promise.allSettled(all)).map(({ status }) => status);
      assert.deepEqual(ended, ["fulfilled", "rejected", "fulfilled"]);
      assert.deepEqual(await seqs(store, "s"), [0, 1, 2]);
    },
  },
  {
    name: "writers: one of an older epoch writes nothing, and a newer one takes over",
    async run(bench) {
      const { store } = bench;
      const other = bench.other();
      await append(store, "s", [entry(0)], 1);
      await append(other, "s", [entry(1)], 2);
      await refused(() => store.append("s", [entry(2)], { epoch: 1 }), "STORE_EPOCH_STALE");
      await refused(() => other.append("s", [entry(2)], { epoch: 0 }), "STORE_EPOCH_STALE");
      await append(other, "s", [entry(2)], 2);
      assert.deepEqual(await store.read("s"), [entry(0), entry(1), entry(2)], "the epoch is not part of an entry");
    },
  },
  {
    name: "writers: a lost turn is said before a conflict",
    async run({ store }) {
      await append(store, "s", [entry(0), entry(1)], 3);
      await refused(() => store.append("s", [entry(1)], { epoch: 2 }), "STORE_EPOCH_STALE");
    },
  },
  {
    name: "writers: a thousand appends of several stores at once are all there, once and in order",
    async run(bench) {
      const stores = [bench.store, bench.other(), bench.other()];
      await append(bench.store, "shared", [entry(0, "the first")]);
      const own = stores.map((store, number) => writeOwn(store, `own-${number}`, 260));
      const shared = stores.map((store, number) => writeShared(store, `writer ${number}`, 73));
      const acknowledged = (await Promise.all(shared)).flat();
      await Promise.all(own);

      const log = await bench.other().read("shared");
      assert.deepEqual(
        log.map(({ seq }) => seq),
        [...Array(1 + 3 * 73).keys()],
      );
      const byPlace = new Map(log.map((one) => [one.seq, JSON.stringify(one)]));
      for (const one of acknowledged)
        assert.equal(byPlace.get(one.seq), JSON.stringify(one), "what was acknowledged is there");
      for (const number of stores.keys())
        assert.deepEqual(await seqs(bench.other(), `own-${number}`), [...Array(260).keys()]);
    },
  },
];

async function writeOwn(store: SessionStore, session: string, count: number): Promise<void> {
  for (let seq = 0; seq < count; seq++) await append(store, session, [entry(seq)]);
}

/** Whoever is told of a conflict reads what is new, and tries again behind it. */
async function writeShared(store: SessionStore, writer: string, count: number) {
  const acknowledged = [];
  let last = 0;
  while (acknowledged.length < count) {
    const next = entry(last + 1, `${writer}: ${acknowledged.length}`);
    const error = await append(store, "shared", [next]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) acknowledged.push(next);
    else if (!HaftError.is(error, "STORE_CONFLICT")) throw error;
    last = error === undefined ? next.seq : ((await seqs(store, "shared", last)).at(-1) ?? last);
  }
  return acknowledged;
}
