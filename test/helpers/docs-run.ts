/** Runs the run fences of the documentation in a process of their own, without keys, models or a network. */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DocsModule } from "./docs-pages.ts";
import { root } from "./source-files.ts";

export interface RunResult {
  /** What `console.log` was given. */
  output: string;
  error?: string;
}

/** In the order of the modules. */
export async function runModules(modules: readonly DocsModule[]): Promise<RunResult[]> {
  // Below node_modules, where their imports of packages are found and no other test looks.
  const folder = join(root, "node_modules/.cache/haft-docs", String(process.pid));
  mkdirSync(folder, { recursive: true });
  try {
    const files = modules.map(({ text }, index) => {
      const file = join(folder, `fence-${index}.ts`);
      writeFileSync(file, text);
      return file;
    });
    return await run(files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(files: readonly string[]): Promise<RunResult[]> {
  const env = { PATH: process.env.PATH!, HOME: join(root, "node_modules/.cache"), HAFT_MODEL: "" };
  const child = spawn(process.execPath, [join(import.meta.dirname, "docs-runner.mjs")], {
    cwd: root,
    env,
    timeout: 50_000,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.end(JSON.stringify({ root, files }));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(JSON.parse(stdout));
      else reject(new Error(`The fences could not be run (exit ${code}): ${stderr}`));
    });
  });
}

/** In an expected line, `…` stands for anything, such as an id or a duration. */
export function isOutput(actual: string, expected: string): boolean {
  const actualLines = actual.trimEnd().split("\n");
  const expectedLines = expected.trimEnd().split("\n");
  return (
    actualLines.length === expectedLines.length &&
    expectedLines.every((line, index) => isLine(actualLines[index]!.trimEnd(), line.trimEnd()))
  );
}

function isLine(actual: string, expected: string): boolean {
  if (!expected.includes("…")) return actual === expected;
  const parts = expected.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(actual);
}
