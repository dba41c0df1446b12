import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const never = "new Promise(() => {})";
const asks = `scriptedModel([{ toolCalls: [{ name: "pay" }] }, "ok"])`;

/** Each has an hour or more; what it prints, and that its process ends by itself long before. */
const runs: [string, string, string][] = [
  ["a budget of seconds, not used up", `{ model: scriptedModel(["ok"]), budget: { seconds: 3_000_000 } }`, "text"],
  [
    "a budget of seconds, aborted",
    `{ model: ${asks}, approve: () => (stop(), ${never}), budget: { seconds: 3600 } }`,
    "aborted",
  ],
  [
    "a person who is asked, and answers",
    `{ model: ${asks}, approve: () => true, approvalTimeoutMs: 3_600_000 }`,
    "text",
  ],
  [
    "a person who is asked, aborted",
    `{ model: ${asks}, approve: () => (stop(), ${never}), approvalTimeoutMs: 3_600_000 }`,
    "aborted",
  ],
  [
    "nobody is asked, and the run waits",
    `{ model: ${asks}, approvalTimeoutMs: 3_600_000, budget: { seconds: 3600 } }`,
    "interrupted",
  ],
];

test.each(runs)(
  "a run with a limit of time keeps no process: %s",
  (_, options, stopReason) => {
    const folder = mkdtempSync(join(tmpdir(), "haft-limits-"));
    try {
      const script = join(folder, "run.ts");
      const root = new URL("../../src/", import.meta.url).pathname;
      writeFileSync(
        script,
        `import { execute, Tool } from "${root}index.ts";
       import { scriptedModel } from "${root}testing/index.ts";
       const pay = new Tool({ name: "pay", approval: true, handler: () => "paid" });
       const stop = () => setTimeout(() => run.abort(), 20);
       const run = execute({ tools: [pay], prompt: "go", ...${options} });
       run.then((result) => console.log(result.stopReason));`,
      );
      const jiti = new URL("../../node_modules/jiti/lib/jiti-register.mjs", import.meta.url).pathname;
      const ran = spawnSync(process.execPath, ["--import", jiti, script], { encoding: "utf8", timeout: 60_000 });
      expect(ran).toMatchObject({ stdout: `${stopReason}\n`, status: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  90_000,
);
