/** No path leads out of the sandbox: not upwards, not absolute, not through a symlink. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Sandbox } from "../../core/sandbox.ts";
import {
  assertRefused,
  type Bench,
  bytes,
  type ContractCase,
  FILE_CODES,
  type HostSecret,
  withHostSecret,
} from "./case.ts";

const UPWARDS = "../".repeat(40);

export const confinementCases: ContractCase[] = [
  {
    name: "confinement: no read, list or search reaches a file of the host",
    run: (bench) =>
      withHostSecret(async (secret) => {
        const files = await waysTo(secret, bench, secret.file);
        const folders = await waysTo(secret, bench, secret.folder);
        for (const path of files) {
          await assertOutside(bench.sandbox, bench.sandbox.readFile(path), path);
          await assertOutside(bench.sandbox, bench.sandbox.stat(path), path);
        }
        for (const path of folders) {
          await assertOutside(bench.sandbox, bench.sandbox.list(path), path);
          await assertOutside(bench.sandbox, bench.sandbox.glob({ pattern: "*", path }), path);
          await assertOutside(bench.sandbox, bench.sandbox.grep({ pattern: "outside", path }), path);
        }
      }),
  },
  {
    name: "confinement: no write, rename or removal reaches a file of the host",
    run: (bench) =>
      withHostSecret(async (secret) => {
        const { sandbox } = bench;
        await bench.write("mine.txt", "mine");
        for (const path of await waysTo(secret, bench, secret.file)) {
          await sandbox.writeFile(path, bytes("overwritten")).catch(() => {});
          await sandbox.rename("mine.txt", path).catch(() => {});
          await sandbox.rename(path, "stolen.txt").catch(() => {});
          await sandbox.remove(path).catch(() => {});
        }
        for (const path of await waysTo(secret, bench, secret.folder)) {
          await sandbox.writeFile(`${path}/new.txt`, bytes("planted")).catch(() => {});
          await sandbox.mkdir(`${path}/new-folder`).catch(() => {});
          await sandbox.remove(path, { recursive: true }).catch(() => {});
        }
        assert.deepEqual(await readdir(secret.folder), ["secret.txt"], "nothing came, nothing went");
        assert.equal(await readFile(secret.file, "utf8"), secret.content);
        assert.notEqual(await bench.read("stolen.txt").catch(() => ""), secret.content);
      }),
  },
  {
    name: "confinement: a symlink to a place outside where nothing is creates nothing there",
    run: (bench) =>
      withHostSecret(async (secret) => {
        await bench.link("dangling", `${secret.folder}/planted.txt`);
        await bench.link("chain", "dangling");
        for (const path of ["dangling", "chain"]) {
          await assertOutside(bench.sandbox, bench.sandbox.readFile(path), path);
          await bench.sandbox.writeFile(path, bytes("planted")).catch(() => {});
        }
        assert.deepEqual(await readdir(secret.folder), ["secret.txt"]);
      }),
  },
  {
    name: "confinement: .. within the sandbox is fine",
    async run(bench) {
      await bench.write("a/b/deep.txt", "deep");
      await bench.write("top.txt", "top");
      assert.equal(await bench.read("a/b/../../top.txt"), "top");
      assert.equal(await bench.read("./a/../a/b/./deep.txt"), "deep");
    },
  },
  {
    name: "confinement: a command does not start in a folder outside",
    run: ({ sandbox }) =>
      withHostSecret(async (secret) => {
        const up = `${UPWARDS}${secret.folder.slice(1)}`;
        for (const cwd of [secret.folder, up, `; cat ${secret.file}`, `$(cat ${secret.file})`]) {
          const result = await sandbox.exec("cat secret.txt", { cwd }).catch(() => undefined);
          if (result) assert.equal(result.status, "spawn_error", cwd);
        }
      }),
  },
];

/** Paths that lead to a place of the host, if nothing stops them. */
async function waysTo(secret: HostSecret, bench: Bench, place: string): Promise<string[]> {
  const isFile = place === secret.file;
  const link = isFile ? "file-link" : "folder-link";
  await bench.link(link, place);
  await bench.sandbox.mkdir("in");
  await bench.link(`in/${link}`, `../${link}`);
  const ways = [place, `${UPWARDS}${place.slice(1)}`, `in/../${UPWARDS}${place.slice(1)}`, link, `in/${link}`];
  if (isFile) return [...ways, await throughFolder(bench, secret)];
  return ways;
}

async function throughFolder(bench: Bench, secret: HostSecret): Promise<string> {
  await bench.link("parent-link", secret.folder);
  return `parent-link/${basename(secret.file)}`;
}

/** Where commands can reach the host, the file API must say EPERM; elsewhere there may simply be nothing. */
async function assertOutside(sandbox: Sandbox, call: Promise<unknown>, path: string): Promise<void> {
  const codes = sandbox.capabilities.isolates.files ? FILE_CODES : ["EPERM"];
  const error = await assertRefused(call, ...codes);
  assert.ok(error, path);
}
