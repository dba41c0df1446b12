/** What the tests of the isolated sandbox share: whether they can run here, and folders that go away. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, onTestFinished } from "vitest";
import type { Sandbox } from "../../../src/core/sandbox.ts";
import { isolationHere } from "../../../src/sandbox/isolated/check.ts";
import { type IsolatedOptions, isolated } from "../../../src/sandbox/isolated/index.ts";

export const projectRoot = fileURLToPath(new URL("../../../", import.meta.url));

const isolation = await isolationHere();
/** A machine that must be able to isolate says so: HAFT_REQUIRE=isolated. Then nothing is skipped, and so it fails. */
const isRequired = (process.env.HAFT_REQUIRE ?? "").split(",").includes("isolated");

/** Why tests cannot run here, or undefined. */
export function whyNot(needsEgress = false): string | undefined {
  const problems = needsEgress ? [...isolation.problems, ...isolation.egressProblems] : isolation.problems;
  return problems.length === 0 || isRequired ? undefined : problems.join(" ");
}

/** The name says why its tests are skipped. */
export function describeIsolated(name: string, tests: () => void, options: { egress?: boolean } = {}): void {
  const problem = whyNot(options.egress);
  describe.skipIf(problem !== undefined)(problem === undefined ? name : `${name} (skipped: ${problem})`, tests);
}

export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "haft-isolated-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function openIsolated(options: Partial<IsolatedOptions> = {}): Promise<{ cwd: string; sandbox: Sandbox }> {
  const cwd = options.cwd ?? (await tempFolder());
  const sandbox = await isolated({ ...options, cwd });
  onTestFinished(() => sandbox.dispose());
  return { cwd, sandbox };
}

export function text(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}
