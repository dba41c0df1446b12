/** The demo's place: a temporary copy of its small project, and the questions that are asked of it. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HaftError } from "../../base/errors.ts";
import type { Project } from "../../project/index.ts";
import type { DemoFiles } from "./project.ts";

export const TEST_COMMAND = "node --test --test-reporter=spec";

/** The folder is removed when `work` is over, however it ends. */
export async function inDemoFolder<T>(files: DemoFiles, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "haft-demo-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asked of the project itself, not of the script. */
export async function testsPass({ sandbox }: Project): Promise<boolean> {
  const { status, exitCode } = await sandbox.exec(TEST_COMMAND, { timeoutMs: 60_000 });
  return status === "exited" && exitCode === 0;
}

/** What is shown must have happened. */
export function demoFailure(problem: string): HaftError {
  return new HaftError("DEMO_FAILED", `The demo did not do what it shows: ${problem}.`, {
    hint: `Check that ${TEST_COMMAND} works here: the demo needs node on the PATH.`,
  });
}
