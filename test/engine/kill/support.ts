/** Builds the child once, and runs as many of it at the same time as there are cores here. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import type { Entry } from "../../../src/core/log.ts";
import type { Order, Report } from "./child.ts";

const PARALLEL = 3;

export interface Children<O = Order> {
  folder(): string;
  /** Undefined when it was killed. */
  run(order: O): Promise<Report | undefined>;
  close(): void;
}

/** `entry`: the process, beside this file. */
export async function buildChildren<O = Order>(entry = "./child.ts"): Promise<Children<O>> {
  const root = mkdtempSync(join(tmpdir(), "haft-kill-"));
  await build({
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true },
    build: {
      ssr: new URL(entry, import.meta.url).pathname,
      outDir: join(root, "child"),
      target: "node20",
      rollupOptions: { output: { entryFileNames: "child.mjs" } },
    },
  });
  let number = 0;
  const turn = turns(PARALLEL);
  return {
    folder() {
      const folder = join(root, `run-${++number}`);
      mkdirSync(folder);
      return folder;
    },
    run: (order) => turn(() => runChild(join(root, "child", "child.mjs"), order)),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

function runChild(script: string, order: unknown): Promise<Report | undefined> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, JSON.stringify(order)], (error, stdout, stderr) => {
      if (error?.signal === "SIGKILL") resolve(undefined);
      else if (error) reject(new Error(stderr || error.message));
      else resolve(JSON.parse(stdout));
    });
  });
}

function turns(most: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < most) running++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** What was done in the world, and which models were asked, in order. */
export function effectsOf(folder: string): string[] {
  const file = join(folder, "effects.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

export function timesOf(list: readonly string[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const item of list) times[item] = (times[item] ?? 0) + 1;
  return times;
}

export function logOf(folder: string): Entry[] {
  const file = join(folder, "sessions", "s.jsonl");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
