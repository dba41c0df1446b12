/** A file of this folder as a process of its own, and the lines that it prints. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { root } from "./source-files.ts";

export interface OwnProcess {
  child: ChildProcess;
  /** What it has printed until now. */
  lines: string[];
  /** Resolves when so many lines are there, rejects when it ends before that. */
  printed(count: number): Promise<void>;
  ended: Promise<void>;
}

/** Ended with the test, also when it stands still. */
export function startProcess(file: string, ...args: string[]): OwnProcess {
  const loader = file.endsWith(".ts") ? ["--import", "jiti/register"] : [];
  const argv = [...loader, fileURLToPath(new URL(file, import.meta.url)), ...args];
  const env = { ...process.env, JITI_FS_CACHE: "false" };
  const child = spawn(process.execPath, argv, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const waiting: { count: number; resolve: () => void; reject: (error: Error) => void }[] = [];
  const reader = createInterface({ input: child.stdout! });
  reader.on("line", (line) => {
    lines.push(line);
    for (const { count, resolve } of waiting) if (lines.length >= count) resolve();
  });
  const ended = new Promise<void>((resolve) => reader.once("close", resolve));
  void ended.then(() => {
    for (const { count, reject } of waiting) reject(new Error(`it ended before line ${count}: ${lines.slice(-3)}`));
  });
  const printed = (count: number) =>
    new Promise<void>((resolve, reject) => {
      if (lines.length >= count) resolve();
      else waiting.push({ count, resolve, reject });
    });
  return { child, lines, printed, ended };
}
