/** The second run of root: the whole suite again as uid 1000, in a folder of its own. */
import { spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Attack } from "./attack.ts";
import type { Result } from "./results.ts";
import type { RunOptions } from "./run-here.ts";

const UID = 1000;

/** How it starts itself; `--report` names the file for the results. */
const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const JITI = fileURLToPath(new URL("../../../node_modules/jiti/lib/jiti-cli.mjs", import.meta.url));

export async function runAsPlainUser(
  attacks: readonly Attack[],
  args: string[],
  options: RunOptions,
): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), "haft-suite-user-"));
  chownSync(folder, UID, UID);
  try {
    const report = join(folder, "results.json");
    const problem = await start([...args, "--report", report], folder, options.probe);
    if (existsSync(report)) return JSON.parse(readFileSync(report, "utf8")) as Result[];
    const verdict: Result["verdict"] = {
      type: "not-run",
      reason: `a run as uid ${UID} did not come to its end: ${problem}`,
    };
    return options.kinds.flatMap(({ name }) =>
      attacks.map(({ id }): Result => ({ id, kind: name, user: "user", verdict })),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(args: string[], folder: string, probe: string | undefined): Promise<string> {
  const { PATH, LANG, HAFT_REQUIRE } = process.env;
  const child = spawn(
    "setpriv",
    [...["--reuid", `${UID}`, "--regid", `${UID}`, "--clear-groups"], process.execPath, JITI, MAIN, ...args],
    {
      cwd: folder,
      env: { PATH, LANG, HAFT_REQUIRE, HOME: folder, TMPDIR: folder, JITI_FS_CACHE: "false", HAFT_PROBE: probe },
      stdio: ["ignore", "inherit", "pipe"],
    },
  );
  let problem = "";
  child.stderr.on("data", (data) => {
    problem += data;
  });
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", () => resolve(problem.trim().split("\n").pop() ?? ""));
  });
}
