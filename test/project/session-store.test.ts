import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Entry } from "../../src/core/log.ts";
import { openSessionStore } from "../../src/project/open-store.ts";
import { decide, waitingCalls } from "../../src/project/session-store.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-store-"));
  folders.push(folder);
  return folder;
}

const place = (seq: number, key: string) => ({ v: 2 as const, seq, at: 1, key });
const waiting: Entry[] = [
  { ...place(0, "run_1"), type: "run-start", mode: "tools" },
  {
    ...place(1, "run_1/1/1"),
    type: "tool-pause",
    name: "a",
    input: {},
    hash: "h",
    reason: "approval",
    message: "Sure?",
  },
];

test("sessions are kept in .haft, which git leaves out and others cannot read", async () => {
  const cwd = await newFolder();
  const { store, notes } = await openSessionStore(cwd);
  expect(notes).toEqual([]);
  await store.append("mine", waiting, { epoch: 0 });
  expect(await readFile(join(cwd, ".haft/.gitignore"), "utf8")).toBe("*\n");
  expect((await stat(join(cwd, ".haft"))).mode & 0o077).toBe(0);
  expect(await (await openSessionStore(cwd)).store.read("mine")).toEqual(waiting);
});

test("a decision is written into the session's log, once", async () => {
  const { store } = await openSessionStore(await newFolder());
  await store.append("mine", waiting, { epoch: 0 });
  const yes = { callId: "run_1/1/1", decision: { approve: true as const }, epoch: 0 };
  expect(await waitingCalls(store, "mine")).toMatchObject([{ callId: "run_1/1/1", message: "Sure?" }]);
  await decide(store, "mine", yes);
  expect(await waitingCalls(store, "mine")).toEqual([]);
  expect((await store.read("mine")).at(-1)).toMatchObject({
    seq: 2,
    type: "decision",
    decision: { approve: true },
    hash: "h",
  });
  await expect(decide(store, "mine", yes)).rejects.toMatchObject({
    code: "DECISION_UNKNOWN",
  });
  await expect(decide(store, "other", yes)).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
});

test.skipIf(process.getuid?.() === 0)("a folder that cannot be written is noted (skipped for root)", async () => {
  const cwd = await newFolder();
  await chmod(cwd, 0o500);
  const { store, notes } = await openSessionStore(cwd);
  expect(notes[0]).toContain("not kept");
  await store.append("mine", waiting, { epoch: 0 });
  expect(await store.read("mine")).toEqual(waiting);
});
