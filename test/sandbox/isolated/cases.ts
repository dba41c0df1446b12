/**
 * What an isolated sandbox keeps in, as cases without a test runner: they are run by Vitest as this user, and by a
 * program that is started as another one.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecOptions, ExecResult, Sandbox } from "../../../src/core/sandbox.ts";
import { isolationHere } from "../../../src/sandbox/isolated/check.ts";
import { type IsolatedOptions, isolated } from "../../../src/sandbox/isolated/index.ts";
import { fileCases } from "./cases/files.ts";
import { kernelCases } from "./cases/kernel.ts";
import { limitCases } from "./cases/limits.ts";
import { networkCases } from "./cases/network.ts";
import { protectedCases } from "./cases/protected.ts";

export interface IsolationCase {
  name: string;
  options?: Partial<IsolatedOptions>;
  /** Fills the workspace, before the sandbox is opened. */
  before?(cwd: string): void;
  run(place: Place): Promise<void>;
}

/** A sandbox over a folder of its own, and what cases need to attack it. */
export class Place {
  constructor(
    readonly sandbox: Sandbox,
    readonly cwd: string,
  ) {}

  exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult> {
    return this.sandbox.exec(command, { timeoutMs: 60_000, ...options });
  }

  /** What a command wrote to stdout and stderr, however it ended. */
  async said(command: string | readonly string[], options?: ExecOptions): Promise<string> {
    const { combined, status, error } = await this.exec(command, options);
    assert.equal(status, "exited", error);
    return Buffer.from(combined).toString();
  }
}

const { egressProblems } = await isolationHere();

/** Those with a policy only where what it needs is there; `egress.test.ts` says when it is not. */
export const isolationCases: IsolationCase[] = [
  ...fileCases,
  ...protectedCases,
  ...kernelCases,
  ...networkCases,
  ...limitCases,
].filter(({ options }) => !options?.egress || egressProblems.length === 0);

export async function runCase({ options, before, run }: IsolationCase): Promise<void> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-isolated-")));
  try {
    before?.(cwd);
    const sandbox = await isolated({ cwd, ...options });
    try {
      await run(new Place(sandbox, cwd));
    } finally {
      await sandbox.dispose();
    }
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

export function git(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...who, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] }).toString();
}
