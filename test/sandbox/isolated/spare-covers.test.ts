import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../../src/core/sandbox.ts";
import { waitUntil } from "../local-helpers.ts";
import { describeIsolated, openIsolated, tempFolder } from "./helpers.ts";

const COVERED = [".claude", ".envrc", ".gitmodules", ".idea", ".mcp.json", ".npmrc", ".vscode"];
/** Others may not move a folder that cannot be written. */
const isRoot = process.getuid?.() === 0;

describeIsolated("covers between two commands", () => {
  test.runIf(isRoot)("are kept in a private folder, come back, and are gone with the sandbox", async () => {
    const [cwd, temporary] = [await tempFolder(), await ownTemporaryFolder()];
    const { sandbox } = await openIsolated({ cwd });
    const first = await coverDuring(sandbox, cwd);
    expect(readdirSync(cwd)).toEqual([]);
    const [spares] = readdirSync(temporary) as [string];
    expect(statSync(join(temporary, spares)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(temporary, spares))).toHaveLength(COVERED.length);

    const inodes = readdirSync(join(temporary, spares)).map((name) => statSync(join(temporary, spares, name)).ino);
    expect(inodes).toContain(first);
    expect(inodes).toContain(await coverDuring(sandbox, cwd));
    await sandbox.dispose();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test("are made anew when somebody has touched them or taken them away", async () => {
    const [cwd, temporary] = [await tempFolder(), await ownTemporaryFolder()];
    const { sandbox } = await openIsolated({ cwd });
    for (const meddle of [
      (spare: string) => writeFileSync(join(spare, "tasks.json"), "{}"),
      (spare: string) => chmodSync(spare, 0o777),
      (spare: string) => rmSync(spare, { recursive: true }),
    ]) {
      await sandbox.exec("true");
      for (const folder of readdirSync(temporary).map((name) => join(temporary, name))) {
        for (const name of readdirSync(folder)) meddle(join(folder, name));
      }
      await coverDuring(sandbox, cwd);
      expect(readdirSync(cwd)).toEqual([]);
    }
  });

  test("are not kept where a command could reach them", async () => {
    const [cwd, otherCwd, temporary] = [await tempFolder(), await tempFolder(), await ownTemporaryFolder()];
    const { sandbox } = await openIsolated({ cwd });
    await sandbox.exec("true");
    const mounts = [{ host: temporary, path: "/mnt/temporary", mode: "rw" } as const];
    const { sandbox: other } = await openIsolated({ cwd: otherCwd, mounts });
    await coverDuring(sandbox, cwd);
    await other.exec("true");
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

async function ownTemporaryFolder(): Promise<string> {
  const folder = await tempFolder();
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
  return folder;
}

/** Runs a command, and looks meanwhile: all is covered, and empty. The inode of one of the covers. */
async function coverDuring(sandbox: Sandbox, cwd: string): Promise<number> {
  const handle = await sandbox.start("echo evil > .envrc; mkdir .vscode/evil; read -r line");
  await waitUntil(() => COVERED.every((name) => existsSync(join(cwd, name))), "the covers");
  expect(readdirSync(cwd).sort()).toEqual(COVERED);
  for (const name of COVERED) {
    expect(readdirSync(join(cwd, name))).toEqual([]);
    expect(statSync(join(cwd, name)).mode & 0o777).toBe(0o555);
  }
  const { ino } = statSync(join(cwd, ".claude"));
  handle.endInput();
  await handle.result;
  return ino;
}
