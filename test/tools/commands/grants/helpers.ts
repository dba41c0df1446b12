/** What the tests of grants share: a workspace with something outside of it, and a program that must never run. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Sandbox } from "../../../../src/core/sandbox.ts";
import { local } from "../../../../src/sandbox/local/index.ts";
import { Command, type CommandOptions } from "../../../../src/tools/index.ts";
import { tempFolder } from "../../helpers.ts";

export interface Trap {
  sandbox: Sandbox;
  /** The workspace. */
  root: string;
  /** Beside it: a file with a secret, and the canary. */
  outside: string;
  /** A program that leaves a trace; whatever its arguments and input are. */
  canary: string;
  /** Files of the workspace, or absolute ones. */
  write(path: string, text: string, mode?: number): void;
  ran(): boolean;
  reset(): void;
  /** With git, as a person would, in the workspace. */
  git(...args: string[]): void;
  /** Without a grant: what the same arguments would have done. */
  bare(program: string, args: readonly string[], env?: Record<string, string>): void;
  /** What a model is told. */
  call(options: CommandOptions, args: readonly string[], more?: { cwd?: string }): Promise<Answer>;
}

export interface Answer {
  /** Undefined when the program ran. */
  code?: string;
  text: string;
}

export const SECRET = "outside-secret-9f81";

export async function openTrap(): Promise<Trap> {
  const folder = await tempFolder();
  const [root, outside] = [join(folder, "work"), join(folder, "outside")];
  const [trace, canary] = [join(outside, "trace"), join(outside, "canary")];
  for (const made of [root, outside]) mkdirSync(made);
  writeFileSync(canary, `#!/bin/sh\necho ran >> ${trace}\ncat >/dev/null 2>&1 </dev/null\nexit 0\n`);
  chmodSync(canary, 0o755);
  writeFileSync(join(outside, "secret"), `${SECRET}\n`);
  const sandbox = await local({ cwd: root });
  onTestFinished(() => sandbox.dispose());
  const env = { PATH: process.env.PATH!, HOME: outside, GIT_CONFIG_NOSYSTEM: "1", ...author };
  return {
    sandbox,
    root,
    outside,
    canary,
    write(path, text, mode = 0o644) {
      const file = path.startsWith("/") ? path : join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
    },
    ran: () => existsSync(trace),
    reset: () => rmSync(trace, { force: true }),
    git: (...args) => void execFileSync("git", args, { cwd: root, env, stdio: ["ignore", "ignore", "pipe"] }),
    bare: (program, args, more = {}) =>
      void spawnSync(program, args, { cwd: root, env: { ...env, ...more }, stdio: "ignore", timeout: 10_000 }),
    async call(options, args, more = {}) {
      try {
        return { text: await Command.withOptions(options).execute({ args: [...args], ...more }, { sandbox }) };
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        return { code, text: message };
      }
    },
  };
}

const author = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

/** A repository with two commits, a branch `other`, and a name for its author. */
export async function openRepository(): Promise<Trap> {
  const trap = await openTrap();
  trap.git("init", "-q", "-b", "main");
  trap.git("config", "user.name", "A");
  trap.git("config", "user.email", "a@example.com");
  trap.write("a.txt", "one\n");
  trap.write("src/b.txt", "two\n");
  trap.git("add", ".");
  trap.git("commit", "-qm", "first");
  trap.git("branch", "other");
  trap.write("a.txt", "one\nmore\n");
  trap.git("commit", "-qam", "second");
  return trap;
}

export function readOutside(trap: Trap): string {
  return readFileSync(join(trap.outside, "secret"), "utf8");
}
