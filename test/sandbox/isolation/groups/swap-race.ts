/** A: somebody exchanges a folder for a symlink while the file API looks at it, as fast as the machine can. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SWAPPER } from "../../../helpers/folder-swapper.ts";
import { ALL_BLOCK, type Attack } from "../attack.ts";
import { bytes, isSecret, type Scene, seen, text } from "../scene.ts";

const RACES = 1000;

export const swapRaces: Attack[] = [
  {
    id: "A12",
    title: "API: 1,000 folder and link races",
    expect: ALL_BLOCK,
    isSlow: true,
    isOnHost: true,
    run: async (scene) => {
      const { workspace, secret } = scene.stage;
      mkdirSync(join(workspace, "away"));
      mkdirSync(join(workspace, "swapped"));
      writeFileSync(join(workspace, "swapped/host-secret.txt"), "safe");
      symlinkSync(secret, join(workspace, "link"));
      const swapper = await startSwapper(workspace);
      const seenSoFar = { safe: 0, refused: 0, escaped: 0 };
      for (let race = 0; race < RACES; race++) seenSoFar[await raceOnce(scene, race)]++;
      swapper.kill("SIGKILL");
      await once(swapper, "exit");

      const isOutside = seenSoFar.escaped > 0 || !scene.stage.isUntouched({ withWorkspace: false });
      return seen(isOutside ? "escapes" : "blocked", JSON.stringify(seenSoFar));
    },
  },
];

async function raceOnce({ sandbox }: Scene, race: number): Promise<"safe" | "refused" | "escaped"> {
  const calls = [
    () => sandbox.readFile("swapped/host-secret.txt").then(text),
    () => sandbox.readFile("swapped/host-secret.txt", { offset: 0, length: 40 }).then(text),
    () =>
      sandbox.list("swapped").then((entries) => (entries.some(({ name }) => name === "evil.sh") ? "HOSTSECRET" : "")),
    () => sandbox.writeFile(`swapped/new-${race}/x`, bytes("planted")).then(() => ""),
    () => sandbox.writeFile("swapped/host-secret.txt", bytes("safe")).then(() => ""),
    () => sandbox.rename(`swapped/new-${race - 5}/x`, `swapped/moved-${race}`).then(() => ""),
    () => sandbox.remove("swapped/evil.sh").then(() => ""),
  ];
  try {
    return isSecret(await calls[race % calls.length]!()) ? "escaped" : "safe";
  } catch {
    return "refused";
  }
}

async function startSwapper(cwd: string): Promise<ChildProcess> {
  const swapper = spawn(process.execPath, ["-e", SWAPPER], { cwd, env: {}, stdio: ["ignore", "pipe", "ignore"] });
  await once(swapper.stdout, "data");
  return swapper;
}
