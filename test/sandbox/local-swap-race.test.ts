import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SWAPPER } from "../helpers/folder-swapper.ts";
import { bytes, openLocal, tempFolder, text, waitUntil } from "./local-helpers.ts";

const ROUNDS = 1000;

test.runIf(process.platform === "linux")(
  "a process that swaps a folder and a symlink gets nothing out and nothing in",
  async () => {
    const outside = await tempFolder();
    await writeFile(join(outside, "file.txt"), "secret");
    await mkdir(join(outside, "deep"));
    const { cwd, sandbox } = await openLocal();
    await mkdir(join(cwd, "away"));
    await mkdir(join(cwd, "swapped"));
    await writeFile(join(cwd, "swapped/file.txt"), "safe");
    await symlink(outside, join(cwd, "link"));

    await startSwapper(cwd);
    const seen = { safe: 0, refused: 0, escaped: 0 };
    const count = (answer: string) => {
      seen[answer === "refused" ? "refused" : answer.includes("secret") ? "escaped" : "safe"]++;
    };
    for (let round = 0; round < ROUNDS; round++) {
      const calls = [
        sandbox.readFile("swapped/file.txt").then(text),
        sandbox.list("swapped").then((entries) => (entries.some((entry) => entry.name === "deep") ? "secret" : "safe")),
        sandbox.writeFile(`swapped/new-${round}/x.txt`, bytes("planted")).then(() => "safe"),
        sandbox.writeFile("swapped/file.txt", bytes("safe")).then(() => "safe"),
        sandbox.rename(`swapped/new-${round - 1}/x.txt`, `swapped/moved-${round}`).then(() => "safe"),
        sandbox.remove("swapped/deep", { recursive: true }).then(() => "safe"),
      ];
      for (const answer of await Promise.all(calls.map((call) => call.catch(() => "refused")))) count(answer);
    }

    expect(seen.escaped).toBe(0);
    expect((await readdir(outside)).sort()).toEqual(["deep", "file.txt"]);
    expect(await readFile(join(outside, "file.txt"), "utf8")).toBe("secret");
    // It was a race, and not a wall.
    expect(seen.safe).toBeGreaterThan(ROUNDS / 20);
    expect(seen.refused).toBeGreaterThan(ROUNDS / 20);
  },
);

async function startSwapper(cwd: string): Promise<ChildProcess> {
  const swapper = spawn(process.execPath, ["-e", SWAPPER], { cwd, stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void swapper.kill("SIGKILL"));
  let ready = false;
  swapper.stdout.on("data", () => {
    ready = true;
  });
  await waitUntil(() => ready, "the swapper to start");
  return swapper;
}
