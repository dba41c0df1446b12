/** What was written is read back: in order, whole, and apart from other sessions. */
import assert from "node:assert/strict";
import { HaftError } from "../../base/errors.ts";
import { append, entry, type StoreBench, type StoreCase, seqs } from "./case.ts";

const oddNames = [
  "a",
  "a.b",
  "A",
  "a_b",
  "-",
  "a%b",
  "a b",
  "user:42/chat",
  "ä",
  "日本",
  "🪓",
  "x'; --",
  '"',
  "x".repeat(200),
];

export const entryCases: StoreCase[] = [
  {
    name: "entries: a session that was never written to is empty",
    async run({ store }) {
      assert.deepEqual(await store.read("nobody"), []);
      assert.deepEqual(await store.read("nobody", 5), []);
    },
  },
  {
    name: "entries: they come back in order, whole or from a place on",
    async run(bench) {
      const { store } = bench;
      await append(store, "s", [entry(0), entry(1)]);
      await append(store, "s", [entry(2)]);
      for (const reader of [store, bench.other()]) {
        assert.deepEqual(await reader.read("s"), [entry(0), entry(1), entry(2)]);
        assert.deepEqual(await reader.read("s", -1), [entry(0), entry(1), entry(2)]);
        assert.deepEqual(await reader.read("s", 1), [entry(2)]);
        assert.deepEqual(await reader.read("s", 2), []);
      }
    },
  },
  {
    name: "entries: more than ten have the order of numbers, not of texts",
    async run({ store }) {
      for (let seq = 0; seq < 120; seq += 3) await append(store, "s", [entry(seq), entry(seq + 1), entry(seq + 2)]);
      assert.deepEqual(await seqs(store, "s"), [...Array(120).keys()]);
      assert.deepEqual(
        await seqs(store, "s", 99),
        [...Array(20).keys()].map((seq) => seq + 100),
      );
    },
  },
  {
    name: "entries: appends that are not waited for keep their order",
    async run({ store }) {
      await Promise.all(Array.from({ length: 50 }, (_, seq) => append(store, "s", [entry(seq)])));
      assert.deepEqual(await seqs(store, "s"), [...Array(50).keys()]);
    },
  },
  {
    name: "entries: a read sees every append that was made before it",
    async run({ store }) {
      await append(store, "s", [entry(0)]);
      const written = append(store, "s", [entry(1)]);
      assert.deepEqual(await seqs(store, "s"), [0, 1]);
      await written;
    },
  },
  {
    name: "entries: what was read belongs to the reader",
    async run({ store }) {
      await append(store, "s", [entry(0)]);
      const [first] = await store.read("s");
      first!.key = "changed";
      assert.deepEqual(await store.read("s"), [entry(0)]);
    },
  },
  {
    name: "entries: texts of every kind come back as they were",
    async run(bench) {
      const texts = [
        "",
        "line\nline\r\n\u2028\u2029",
        '"quoted" \\ \\u0000',
        "\u0000",
        "ä 日本 🪓 é é",
        "\u001b[31m",
        "\ufeff'$1;--",
      ];
      const halves = "\ud83e and \udd13"; // of a character: JSON has a way to write them
      const entries = [...texts, halves].map((text, seq) => entry(seq, text));
      await append(bench.store, "s", entries);
      assert.deepEqual(await bench.other().read("s"), entries);
    },
  },
  {
    name: "entries: numbers keep their size",
    async run(bench) {
      const large = { ...entry(0), at: Number.MAX_SAFE_INTEGER, durationMs: 0.1, tiny: 5e-324 };
      await append(bench.store, "s", [large]);
      assert.deepEqual(await bench.other().read("s"), [large]);
    },
  },
  {
    name: "entries: one of five megabytes comes back whole",
    async run(bench) {
      const large = entry(0, "🪓 five megabytes ".repeat(260_000));
      await append(bench.store, "s", [large, entry(1)]);
      const [back, next] = await bench.other().read("s");
      assert.ok(JSON.stringify(back) === JSON.stringify(large), "the large entry is as it was");
      assert.deepEqual(next, entry(1));
    },
  },
  {
    name: "entries: very many go in one append",
    async run({ store }) {
      await append(
        store,
        "s",
        Array.from({ length: 20_000 }, (_, seq) => entry(seq, "")),
      );
      assert.deepEqual(await seqs(store, "s", 19_998), [19_999]);
    },
  },
  {
    name: "sessions: they do not see each other, whatever their names, or the name is refused",
    async run(bench) {
      const { store } = bench;
      const names: string[] = [];
      for (const name of oddNames) if (await takes(bench, name)) names.push(name);
      assert.ok(names.includes("a") && names.includes("a.b"), "letters and points name a session");
      for (const name of names) assert.deepEqual(await bench.other().read(name), [entry(0, `of ${name}`)]);
      assert.equal((await store.list({ limit: 100 })).length, names.length);
    },
  },
  {
    name: "sessions: no name, one with a NUL, half a character and one of 201 characters are refused",
    async run(bench) {
      for (const name of ["", "a\u0000b", "\ud83e", "x".repeat(201)])
        assert.equal(await takes(bench, name), false, `${JSON.stringify(name.slice(0, 9))} is no name`);
      assert.deepEqual(await bench.store.list(), []);
    },
  },
];

/** False when the store refuses the name, for reading as for writing and claiming. */
async function takes({ store }: StoreBench, name: string): Promise<boolean> {
  const calls = [
    () => append(store, name, [entry(0, `of ${name}`)]),
    async () => store.read(name),
    async () => store.claim(name, { worker: "one", ttlMs: 1 }),
  ];
  const done: boolean[] = [];
  for (const call of calls) done.push(await call().then(() => true, isRefusedName));
  assert.equal(new Set(done).size, 1, `${name}: reading, writing and claiming take the same names`);
  return done[0]!;
}

function isRefusedName(error: unknown): false {
  assert.ok(HaftError.is(error, "SESSION_INVALID"), `a name is refused as SESSION_INVALID, got ${error}`);
  return false;
}
