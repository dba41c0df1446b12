/** Where sessions are kept: SQLite, what the settings say, or what can be had; old files are taken over once. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/core/log.ts";
import { checkConfig } from "../../src/project/check-config.ts";
import { findSessionStore, openSessionStore } from "../../src/project/open-store.ts";
import { fileStore, memoryStore } from "../../src/stores/index.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-store-"));
  folders.push(folder);
  return folder;
}

function entries(text: string): Entry[] {
  const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
  return [0, 1].map((seq) => ({ v: 2, seq, at: seq + 1, key: "run_1", type: "message", via: "prompt", message }));
}

async function oldFolder(): Promise<string> {
  const cwd = await newFolder();
  const files = fileStore(join(cwd, ".haft/sessions"));
  for (const name of ["one", "two"]) await files.append(name, entries(name), { epoch: 0 });
  await files.close();
  await writeFile(join(cwd, ".haft/sessions/broken.jsonl"), "no line of a log\n{}\n");
  return cwd;
}

describe("sessions of an earlier version", () => {
  test("are taken over once, the files stay, and a broken one is told", async () => {
    const cwd = await oldFolder();
    const before = await readFile(join(cwd, ".haft/sessions/one.jsonl"), "utf8");
    const first = await openSessionStore(cwd);
    expect(first.notes).toHaveLength(1);
    expect(first.notes[0]).toContain("Session broken was not taken over");
    expect((await first.store.list()).map(({ session }) => session).sort()).toEqual(["one", "two"]);
    expect(await first.store.read("two")).toEqual(entries("two"));
    await first.store.append("one", [{ ...entries("more")[1]!, seq: 2 }], { epoch: 0 });
    await first.close();
    expect(await readFile(join(cwd, ".haft/sessions/one.jsonl"), "utf8")).toBe(before);

    const again = await openSessionStore(cwd);
    expect(again.notes).toEqual([]);
    expect(await again.store.read("one")).toHaveLength(3);
    await again.close();
    expect((await readdir(join(cwd, ".haft"))).filter((name) => name.includes("new"))).toEqual([]);
  });

  test("are there whole for each of several that open the database at once", async () => {
    const cwd = await oldFolder();
    const opened = await Promise.all([1, 2, 3, 4].map(() => openSessionStore(cwd)));
    for (const { store } of opened) expect(await store.list()).toHaveLength(2);
    for (const { close } of opened) await close();
  });
});

describe("the settings say where", () => {
  test("files, memory, or a store that is given, and stays open", async () => {
    const cwd = await newFolder();
    const files = await openSessionStore(cwd, { store: "file" });
    await files.store.append("one", entries("one"), { epoch: 0 });
    await files.close();
    expect(existsSync(join(cwd, ".haft/sessions/one.jsonl"))).toBe(true);
    expect(existsSync(join(cwd, ".haft/haft.db"))).toBe(false);

    const elsewhere = await newFolder();
    await (await openSessionStore(elsewhere, { store: "memory" })).store.append("one", entries("one"), { epoch: 0 });
    expect(await readdir(elsewhere)).toEqual([]);
    const own = memoryStore();
    const given = await openSessionStore(elsewhere, { store: own });
    await given.close();
    expect(await own.list()).toEqual([]);
  });

  test("what cannot be had is replaced and told by default, and is an error when it was named", async () => {
    const cwd = await newFolder();
    await writeFile(join(cwd, ".haft"), "in the way");
    const { store, notes } = await openSessionStore(cwd);
    expect(notes[0]).toContain("not kept");
    await store.append("one", entries("one"), { epoch: 0 });
    expect(await store.list()).toHaveLength(1);
    for (const named of ["sqlite", "file"] as const)
      await expect(openSessionStore(cwd, { store: named })).rejects.toMatchObject({ code: "STORE_FAILED" });
  });

  test("a database that is none is not passed over: its sessions would be missed", async () => {
    const cwd = await newFolder();
    await mkdir(join(cwd, ".haft"));
    await writeFile(join(cwd, ".haft/haft.db"), "no database, ".repeat(500));
    await expect(openSessionStore(cwd)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  test("a look makes nothing", async () => {
    const cwd = await newFolder();
    expect(await findSessionStore(cwd)).toBeUndefined();
    expect(await readdir(cwd)).toEqual([]);
  });

  test("and are checked", () => {
    for (const store of ["sqlite", "file", "memory", memoryStore()])
      expect(checkConfig({ store }, "f")).toEqual({ store });
    for (const store of ["postgres", {}, null, 1])
      expect(() => checkConfig({ store }, "f")).toThrow('"store" must be "sqlite", "file", "memory", or a store');
    expect(() => checkConfig({ durability: "slow" }, "f")).toThrow('"durability" must be "strict", "fast"');
  });
});
