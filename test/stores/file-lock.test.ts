import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ownName } from "../../src/stores/file/process-id.ts";
import { fileStore } from "../../src/stores/index.ts";
import { append, entry, seqs } from "../../src/testing/store-contract/case.ts";
import { child } from "./child.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "haft-lock-"));
  folders.push(made);
  return made;
}

/** The name of a process that is dead, as its locks have it. */
async function deadName(): Promise<string> {
  const dead = child("say(process.pid);");
  const pid = await dead.said();
  await dead.ended;
  return ownName.replace(/^\d+/, String(pid));
}

describe("the lock of a session's file", () => {
  test("is there during an append and gone after it, also when it is refused", async () => {
    const place = folder();
    const store = fileStore(place);
    await append(store, "s", [entry(0)]);
    await expect(append(store, "s", [entry(5)])).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    expect(readdirSync(place)).toEqual(["s.jsonl"]);
  });

  test("of a process that was killed is taken away, by one of many that find it", async () => {
    const place = folder();
    const dead = await deadName();
    await append(fileStore(place), "s", [entry(0)]);
    symlinkSync(dead, join(place, "s.lock"));
    symlinkSync(dead, join(place, "s.lock.break")); // whoever was to take it away was killed as well
    const stores = Array.from({ length: 8 }, () => fileStore(place));
    const ended = await Promise.allSettled(
      stores.map((store, number) => append(store, "s", [entry(1, `of ${number}`)])),
    );
    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await seqs(stores[0]!, "s")).toEqual([0, 1]);
    expect(readdirSync(place)).toEqual(["s.jsonl"]);
  });

  test("of a process whose number was given again is taken away", async () => {
    const place = folder();
    symlinkSync(ownName.replace(/:(\w+):/, ":1:"), join(place, "s.lock"));
    await append(fileStore(place), "s", [entry(0)]);
    expect(existsSync(join(place, "s.lock"))).toBe(false);
  });

  test("of a process that lives is waited for, however long it has had it", async () => {
    const place = folder();
    const holder = child(`
      fs.symlinkSync(${JSON.stringify(ownName)}.replace(/^\\d+:\\w+/, process.pid + ":" + fs.readFileSync("/proc/self/stat", "latin1").split(") ")[1].split(" ")[19]), ${JSON.stringify(join(place, "s.lock"))});
      say("held");
      while (!fs.existsSync(${JSON.stringify(join(place, "go"))})) await sleep(1);
      fs.unlinkSync(${JSON.stringify(join(place, "s.lock"))});`);
    await holder.said();
    let isWritten = false;
    const written = append(fileStore(place), "s", [entry(0)]).then(() => {
      isWritten = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isWritten).toBe(false);
    expect(lstatSync(join(place, "s.lock")).isSymbolicLink()).toBe(true);
    writeFileSync(join(place, "go"), "");
    await written;
    await holder.ended;
  });

  test("of a process in another container is waited for, until it is older than any write", async () => {
    const place = folder();
    const elsewhere = ownName.replace(/:[^:]+$/, ":elsewhere");
    symlinkSync(elsewhere, join(place, "s.lock"));
    const store = fileStore(place);
    let isWritten = false;
    const written = append(store, "s", [entry(0)]).then(() => {
      isWritten = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isWritten).toBe(false);
    const longAgo = new Date(Date.now() - 61_000);
    lutimesSync(join(place, "s.lock"), longAgo, longAgo);
    await written;
    expect(existsSync(join(place, "s.lock"))).toBe(false);
  });
});

describe("processes on one folder", () => {
  test("write one session in turns: what was acknowledged is there, once and in order", async () => {
    const place = folder();
    const writer = (name: string) =>
      child(`
        const store = fileStore(${JSON.stringify(place)});
        const acknowledged = [];
        let next = 0;
        say("ready");
        while (!fs.existsSync(${JSON.stringify(join(place, "go"))})) await sleep(1);
        while (acknowledged.length < 60) {
          try {
            await store.append("s", [entry(next, "${name} " + acknowledged.length)], { epoch: 0 });
            acknowledged.push(next++);
          } catch (error) {
            if (error.code !== "STORE_CONFLICT") throw error;
            next = (await store.read("s")).length;
          }
        }
        say(acknowledged);`);
    const names = ["a", "b", "c"];
    const writers = names.map(writer);
    await Promise.all(writers.map(({ said }) => said()));
    writeFileSync(join(place, "go"), "");
    const places = (await Promise.all(writers.map(({ said }) => said()))) as number[][];
    const log = await fileStore(place).read("s");
    expect(log.map(({ seq }) => seq)).toEqual([...Array(180).keys()]);
    for (const [number, own] of places.entries())
      expect(own.map((seq) => JSON.stringify(log[seq]))).toEqual(
        own.map((seq, index) => JSON.stringify(entry(seq, `${names[number]} ${index}`))),
      );
  });

  test("killed at any moment, they leave a session that the next can write to", async () => {
    const place = folder();
    let count = 0;
    for (let round = 0; round < 8; round++) {
      const writer = child(`
        const store = fileStore(${JSON.stringify(place)});
        let next = (await store.read("s")).length;
        for (;;) {
          await store.append("s", [entry(next, "x".repeat(next * 50 % 20_000))], { epoch: 0 });
          say(next++);
        }`);
      const until = count + 3 + round * 2;
      while (count < until) count = ((await writer.said()) as number) + 1;
      writer.kill();
      await writer.ended;
      const log = await fileStore(place).read("s");
      expect(log.map(({ seq }) => seq)).toEqual([...log.keys()]);
      expect(log.length).toBeGreaterThanOrEqual(count);
      count = log.length;
    }
    await append(fileStore(place), "s", [entry(count)]);
    expect(readdirSync(place)).toEqual(["s.jsonl"]);
  });
});

describe("the lease", () => {
  test("is not read as a session, and one that a power cut emptied is none", async () => {
    const place = folder();
    const store = fileStore(place);
    await append(store, "s", [entry(0)], 3);
    expect(await store.claim("s", { worker: "one", ttlMs: 60_000 })).toEqual({ granted: true, epoch: 4 });
    expect(readdirSync(place).sort()).toEqual(["s.jsonl", "s.lease"]);
    expect((await store.list()).map(({ session }) => session)).toEqual(["s"]);
    expect(JSON.parse(readFileSync(join(place, "s.lease"), "utf8"))).toMatchObject({ epoch: 4, worker: "one" });
    writeFileSync(join(place, "s.lease"), "");
    expect(await fileStore(place).claim("s", { worker: "two", ttlMs: 60_000 })).toEqual({ granted: true, epoch: 4 });
  });
});

test("the list looks at both ends of large files only, and past a line that was torn", async () => {
  const place = folder();
  const store = fileStore(place);
  await append(store, "large", [entry(0, "x".repeat(200_000)), entry(1), entry(2, "y".repeat(200_000))]);
  writeFileSync(join(place, "torn.jsonl"), `${JSON.stringify(entry(0))}\n${JSON.stringify(entry(1))}\n{"v":`);
  writeFileSync(
    join(place, "zeros.jsonl"),
    `${JSON.stringify(entry(0))}\n${JSON.stringify(entry(1))}\n${"\0".repeat(9)}\n`,
  );
  writeFileSync(join(place, "empty.jsonl"), "");
  writeFileSync(join(place, "half.jsonl"), `{"v":`);
  mkdirSync(join(place, "folder"));
  const counts = (await store.list()).map(({ session, entries }) => [session, entries]);
  expect(counts).toEqual([
    ["large", 3],
    ["torn", 2],
    ["zeros", 2],
  ]);
});
