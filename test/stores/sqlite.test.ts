import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { execute } from "../../src/index.ts";
import { sqliteStore } from "../../src/stores/index.ts";
import { isInNode } from "../../src/stores/sqlite/driver.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { entry } from "../../src/testing/store-contract/case.ts";
import { child } from "./child.ts";

const Database = createRequire(import.meta.url)("libsql");
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "haft-sqlite-"));
  folders.push(made);
  return made;
}

/** A database with one entry, closed. */
async function written(path = join(folder(), "haft.db")): Promise<string> {
  const store = sqliteStore(path);
  await store.append("s", [entry(0)], { epoch: 0 });
  await store.close();
  return path;
}

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

describe("the file", () => {
  test("is made at the first use, with its folder, for its owner alone, and not before", async () => {
    const place = join(folder(), "deep");
    const store = sqliteStore(join(place, "haft.db"));
    expect(existsSync(place)).toBe(false);
    await store.append("s", [entry(0)], { epoch: 0 });
    for (const name of readdirSync(place))
      expect([name, statSync(join(place, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(readdirSync(place)).toContain("haft.db-wal");
    await store.close();
    expect(existsSync(join(place, "haft.db-wal")) && statSync(join(place, "haft.db-wal")).size).toBeFalsy();
  });

  test("keeps the mode that it has", async () => {
    const path = await written();
    chmodSync(path, 0o640);
    const store = sqliteStore(path);
    await store.append("s", [entry(1)], { epoch: 0 });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    await store.close();
  });

  test("that is no database is said, and nothing is changed", async () => {
    const path = join(folder(), "haft.db");
    writeFileSync(path, "These are notes, and no database. ".repeat(200));
    const before = readFileSync(path);
    for (const work of [
      () => sqliteStore(path).read("s"),
      async () => sqliteStore(path).append("s", [entry(0)], { epoch: 0 }),
    ])
      await expect(work()).rejects.toMatchObject({ code: "STORE_CORRUPT", message: expect.stringContaining(path) });
    expect(readFileSync(path)).toEqual(before);
  });

  test("in a place that is none: the store says so, and works when the place is there", async () => {
    const place = folder();
    writeFileSync(join(place, "file"), "");
    const store = sqliteStore(join(place, "file", "haft.db"));
    await expect(store.read("s")).rejects.toMatchObject({ code: "STORE_FAILED", hint: expect.any(String) });
    await expect(store.claim("s", { worker: "one", ttlMs: 1 })).rejects.toMatchObject({ code: "STORE_FAILED" });
    rmSync(join(place, "file"));
    mkdirSync(join(place, "file"));
    await store.append("s", [entry(0)], { epoch: 0 });
    expect(await store.read("s")).toEqual([entry(0)]);
    await store.close();
  });

  test("that is a folder", async () => {
    await expect(sqliteStore(folder()).read("s")).rejects.toMatchObject({ code: "STORE_FAILED" });
  });

  test.each([
    ["", {}],
    [":memory:", {}],
    ["a\0b", {}],
    ["haft.db", { durability: "some" }],
  ])("%j %j is refused at once", (path, options) => {
    expect(() => sqliteStore(path, options as never)).toThrow(expect.objectContaining({ code: "OPTIONS_INVALID" }));
  });

  test("of a name that means something to the driver is a file of that name", async () => {
    const place = folder();
    const path = await written(join(place, "file:haft?mode=memory&x=http:%2F"));
    expect(existsSync(path)).toBe(true);
    const store = sqliteStore(path);
    expect(await store.read("s")).toEqual([entry(0)]);
    await store.close();
  });

  test("an entry that somebody else wrote is corrupt, and the other sessions are read", async () => {
    const path = await written();
    for (const bad of ["{", "5", "null"]) {
      change(path, `INSERT OR REPLACE INTO haft_entries VALUES ('bad', 0, '${bad}')`);
      const store = sqliteStore(path);
      await expect(store.read("bad")).rejects.toMatchObject({ code: "STORE_CORRUPT" });
      expect(await store.read("s")).toEqual([entry(0)]);
      await store.close();
    }
  });
});

describe("the tables", () => {
  test("are not touched when a later version has changed them", async () => {
    const path = await written();
    change(path, "INSERT INTO haft_migrations (name, timestamp) VALUES ('0009-later', '2030-01-01T00:00:00.000Z')");
    const before = readFileSync(path);
    const store = sqliteStore(path);
    const refused = {
      code: "STORE_VERSION_UNKNOWN",
      message: expect.stringContaining("0009-later"),
      hint: expect.stringContaining("Update Haft"),
    };
    await expect(store.read("s")).rejects.toMatchObject(refused);
    await expect(store.append("s", [entry(1)], { epoch: 0 })).rejects.toMatchObject(refused);
    expect(await execute({ model: scriptedModel([]), store, session: "s", prompt: "go" })).toMatchObject({
      error: { code: "STORE_VERSION_UNKNOWN" },
    });
    await store.close();
    expect(readFileSync(path)).toEqual(before);
  });

  test("entries of a later format are refused", async () => {
    const path = await written();
    change(path, `UPDATE haft_entries SET entry = replace(entry, '"v":2', '"v":3')`);
    const store = sqliteStore(path);
    await expect(store.read("s")).rejects.toMatchObject({ code: "LOG_VERSION_UNKNOWN" });
    await store.close();
  });

  test("are made once by processes that open a new database at the same time, and by stores of one process", async () => {
    const path = join(folder(), "haft.db");
    const body = (name: string) => `
      const stores = [1, 2, 3].map(() => sqliteStore(${JSON.stringify(path)}));
      say("ready");
      while (!fs.existsSync(${JSON.stringify(`${path}.go`)})) await sleep(1);
      await Promise.all(stores.map((store, n) => store.append("${name}" + n, [entry(0)], { epoch: 0 })));
      for (const store of stores) await store.close();`;
    const children = ["a", "b", "c"].map((name) => child(body(name)));
    await Promise.all(children.map(({ said }) => said()));
    writeFileSync(`${path}.go`, "");
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    const store = sqliteStore(path);
    expect((await store.list()).map(({ session }) => session).sort()).toEqual([
      "a0",
      "a1",
      "a2",
      "b0",
      "b1",
      "b2",
      "c0",
      "c1",
      "c2",
    ]);
    await store.close();
  });
});

describe("appends of one turn of the event loop", () => {
  test("are whole or not there each, and each hears of its own failure", async () => {
    const path = await written();
    const store = sqliteStore(path);
    await store.append("t", [entry(0)], { epoch: 5 });
    const ended = await Promise.allSettled([
      store.append("s", [entry(1)], { epoch: 0 }),
      store.append("s", [entry(1)], { epoch: 0 }),
      store.append("t", [entry(1)], { epoch: 4 }),
      store.append("new", [entry(0), entry(1)], { epoch: 0 }),
      store.append("s", [entry(2), entry(2)], { epoch: 0 }), // the database itself refuses the second
      store.append("s", [entry(2)], { epoch: 0 }),
    ]);
    expect(ended.map((end) => (end.status === "rejected" ? end.reason.code : "written"))).toEqual([
      ...["written", "STORE_CONFLICT", "STORE_EPOCH_STALE", "written", "STORE_FAILED", "written"],
    ]);
    const read = async (session: string) => (await store.read(session)).map(({ seq }) => seq);
    expect([await read("s"), await read("t"), await read("new")]).toEqual([[0, 1, 2], [0], [0, 1]]);
    await store.close();
  });
});

describe("processes on one file", () => {
  test("a process that is killed at any moment loses nothing that was acknowledged, and leaves no lock", async () => {
    for (const durability of ["strict", "fast"]) {
      const path = await written();
      const writer = child(`
        const store = sqliteStore(${JSON.stringify(path)}, { durability: "${durability}" });
        for (let seq = 1; ; seq++) {
          await store.append("s", [entry(seq, "x".repeat(seq % 5_000))], { epoch: 0 });
          say(seq);
          if (seq % 10 === 0) await sleep(1);
        }`);
      let last = 0;
      while (last < 200) last = (await writer.said()) as number;
      writer.kill();
      await writer.ended;
      for (const rest of await heard(writer)) last = rest;
      const store = sqliteStore(path);
      const seqs = (await store.read("s")).map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs.keys()]);
      expect(seqs.length).toBeGreaterThanOrEqual(last + 1);
      expect(seqs.length).toBeLessThanOrEqual(last + 2); // one was written and not yet said
      await store.append("s", [entry(seqs.length)], { epoch: 0 });
      await store.close();
    }
  });

  test("one that was frozen while it had a session comes back and can write nothing", async () => {
    const path = await written();
    const frozen = child(`
      const store = sqliteStore(${JSON.stringify(path)});
      const { epoch } = await store.claim("s", { worker: "frozen", ttlMs: 50 });
      await store.append("s", [entry(1)], { epoch });
      say(epoch);
      while (!fs.existsSync(${JSON.stringify(`${path}.go`)})) await sleep(1);
      say(await Promise.resolve(store.append("s", [entry(2, "late")], { epoch })).then(() => "written", ({ code }) => code));
      say(await store.renew("s", { epoch, ttlMs: 50 }));
      await store.close();`);
    const epoch = (await frozen.said()) as number;
    frozen.kill("SIGSTOP");
    const store = sqliteStore(path);
    let claim = await store.claim("s", { worker: "next", ttlMs: 60_000 });
    while (!claim.granted) claim = await store.claim("s", { worker: "next", ttlMs: 60_000 });
    expect(claim.epoch).toBe(epoch + 1);
    await store.append("s", [entry(2, "next")], { epoch: claim.epoch });
    writeFileSync(`${path}.go`, "");
    frozen.kill("SIGCONT");
    expect([await frozen.said(), await frozen.said()]).toEqual(["STORE_EPOCH_STALE", false]);
    expect(await store.read("s", 1)).toEqual([entry(2, "next")]);
    await store.close();
  });

  test("a write waits for that of another process, and says when it waited too long", async () => {
    const path = await written();
    const other = new Database(path);
    const store = sqliteStore(path);
    await store.read("s");
    other.exec("BEGIN IMMEDIATE");
    await expect(store.append("s", [entry(1)], { epoch: 0 })).rejects.toMatchObject({
      code: "STORE_FAILED",
      hint: expect.stringContaining("Another process"),
    });
    expect(await store.read("s")).toEqual([entry(0)]); // reading waits for nobody
    other.exec("COMMIT");
    await store.append("s", [entry(1)], { epoch: 0 });
    other.close();
    await store.close();
  });
});

/** Whatever it said before it was killed. */
async function heard(writer: ReturnType<typeof child>): Promise<number[]> {
  const all: number[] = [];
  for (;;) {
    const next = await Promise.race([
      writer.said().catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, 20)),
    ]);
    if (next === undefined) return all;
    all.push(next as number);
  }
}

/** A file system of 2 MiB, mounted where only a child process sees it. */
const mayMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

describe("a disk", () => {
  test.skipIf(!mayMount).each(["strict", "fast"])(
    "that is full takes all of an append or none, and goes on when there is room: %s (skipped where mounting is not allowed)",
    async (durability) => {
      const full = child(
        `const store = sqliteStore("/mnt/haft.db", { durability: "${durability}" });
         await store.append("s", [entry(0)], { epoch: 0 });
         fs.writeFileSync("/mnt/ballast", "x".repeat(1_200_000));
         const codes = [];
         for (const attempt of [1, 2]) {
           const ended = await Promise.allSettled([
             (async () => store.append("s", [entry(1), entry(2, "x".repeat(900_000))], { epoch: 0 }))(),
             (async () => store.append("small", [entry(attempt - 1)], { epoch: 0 }))(),
           ]);
           codes.push(...ended.map((end) => (end.status === "rejected" ? end.reason.code : "written")));
         }
         say(codes);
         say([(await store.read("s")).length, (await store.read("small")).length]);
         fs.rmSync("/mnt/ballast");
         await store.append("s", [entry(1), entry(2, "x".repeat(100_000))], { epoch: 0 });
         say((await store.read("s")).length);
         await store.close();`,
        { wrap: ["unshare", "-m", "sh", "-c", `mount -t tmpfs -o size=2m tmpfs /mnt && exec "$@"`, "sh"] },
      );
      expect(await full.said()).toEqual(["STORE_FAILED", "written", "STORE_FAILED", "written"]);
      expect(await full.said()).toEqual([1, 2]);
      expect(await full.said()).toBe(3);
      expect(await full.ended).toBe(0);
    },
  );

  test.skipIf(!mayMount)(
    "that may only be read is said with what to do (skipped where mounting is not allowed)",
    async () => {
      const path = await written();
      const place = JSON.stringify(path);
      const reader = child(
        `const store = sqliteStore(${place});
       const { code, hint } = await (async () => store.append("s", [entry(1)], { epoch: 0 }))().then(() => ({}), (error) => error);
       say([code, typeof hint]);`,
        {
          wrap: [
            "unshare",
            "-m",
            "sh",
            "-c",
            `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`,
            join(path, ".."),
          ],
        },
      );
      expect(await reader.said()).toEqual(["STORE_FAILED", "string"]);
      await reader.ended;
    },
  );
});

describe("the driver", () => {
  test.each([
    ["20.20.2", false],
    ["22.23.3", false],
    ["24.14.1", false],
    ["24.15.0", true],
    ["25.0.0", false],
    ["25.7.0", true],
    ["26.0.0", true],
  ])("of Node %s is in Node: %s", (version, expected) => {
    expect(isInNode(version)).toBe(expected);
  });

  test.skipIf(isInNode(process.versions.node))("that is not installed is said with the line that installs it", () => {
    const place = folder();
    cpSync(new URL("../../dist", import.meta.url).pathname, join(place, "dist"), { recursive: true });
    writeFileSync(join(place, "package.json"), '{ "type": "module" }');
    const code = `import { sqliteStore } from "./dist/stores/index.js";
      const { code, hint, data } = await sqliteStore("haft.db").read("s").catch((error) => error);
      console.log(JSON.stringify({ code, hint, data }));`;
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", code], { cwd: place, encoding: "utf8" });
    expect(JSON.parse(ran.stdout)).toEqual({
      code: "STORE_PACKAGE_MISSING",
      hint: "npm install libsql",
      data: { package: "libsql" },
    });
    expect(existsSync(join(place, "haft.db"))).toBe(false);
  });
});
