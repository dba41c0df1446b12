import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sleepers, uniqueSleep } from "../../helpers/sleepers.ts";
import { waitUntil } from "../local-helpers.ts";
import { describeIsolated, openIsolated, projectRoot, tempFolder, text } from "./helpers.ts";

describeIsolated(
  "when this program is killed",
  () => {
    test("the tree and the relay die with it, and the next sandbox works in the same workspace", async () => {
      const cwd = await tempFolder();
      const seconds = uniqueSleep();
      const script = join(await tempFolder(), "host.ts");
      const from = (path: string) => JSON.stringify(join(projectRoot, path));
      await writeFile(
        script,
        `import { isolated } from ${from("src/sandbox/index.ts")};
         import { OneServer } from ${from("test/sandbox/isolated/one-server-policy.ts")};
         const sandbox = await isolated({ cwd: ${JSON.stringify(cwd)}, egress: new OneServer(9) });
         await sandbox.exec("env -i setsid sleep ${seconds} & trap '' TERM; sleep ${seconds}; true");`,
      );
      const jiti = join(projectRoot, "node_modules/jiti/lib/jiti-cli.mjs");
      const env = { PATH: process.env.PATH, JITI_FS_CACHE: "false" };
      const host = spawn(process.execPath, [jiti, script], { env, stdio: ["ignore", "ignore", "inherit"] });
      onTestFinished(() => void host.kill("SIGKILL"));
      await waitUntil(() => sleepers(seconds).length === 2, "both sleeps");
      const relays = children(host.pid!).filter((pid) => commandOf(pid) === "socat");
      expect(relays).toHaveLength(1);

      host.kill("SIGKILL");
      await waitUntil(() => sleepers(seconds).length === 0, "the sleeps to end");
      await waitUntil(() => commandOf(relays[0]!) !== "socat", "the relay to end");
      const { sandbox } = await openIsolated({ cwd });
      expect(text((await sandbox.exec("echo fine")).stdout)).toBe("fine\n");
    });
  },
  { egress: true },
);

function children(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}
