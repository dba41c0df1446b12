/** Runs the built `haft` as users do: a process of its own, with an environment that holds nothing but what is given. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll } from "vitest";

/** Another build can be named, to test one without the other. */
export const cli = process.env.HAFT_TEST_CLI ?? resolve(import.meta.dirname, "../../../dist/cli/main.js");

export interface HaftOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Standard input. Default: /dev/null. "open": a pipe that is never written to. */
  input?: string | "open";
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** What came so far. */
  stdout(): string;
  finished: Promise<Finished>;
}

export function haft(args: string[], options: HaftOptions): Promise<Finished> {
  return startHaft(args, options).finished;
}

export function startHaft(args: string[], { cwd, env, input }: HaftOptions): Running {
  if (!existsSync(cli)) throw new Error(`${cli} is not there: run npx tsdown first`);
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: cleanEnvironment(env),
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout!.setEncoding("utf8").on("data", (text) => {
    stdout += text;
  });
  child.stderr!.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  if (input !== undefined && input !== "open") child.stdin!.end(input);
  const finished = new Promise<Finished>((done, failed) => {
    child.on("error", failed);
    child.on("close", (code, signal) => done({ code, signal, stdout, stderr }));
  });
  return { child, stdout: () => stdout, finished };
}

/** No key, no colour setting and no model of whoever runs the tests; no Ollama of this machine is found either. */
export function cleanEnvironment(env: Record<string, string> = {}): Record<string, string> {
  return { PATH: process.env.PATH!, HOME: home(), OLLAMA_HOST: "127.0.0.1:1", ...env };
}

const folders: string[] = [];

function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `haft-${name}-`));
  folders.push(folder);
  return folder;
}

let homeFolder: string | undefined;
function home(): string {
  homeFolder ??= newFolder("home");
  return homeFolder;
}

/** A temporary folder with these files. */
export async function project(files: Record<string, string | Uint8Array> = {}): Promise<string> {
  const folder = newFolder("cli");
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

export function contentOf(folder: string, path: string): Promise<string> {
  return readFile(join(folder, path), "utf8");
}

/** Waits until it is so; fails after 25 seconds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 25_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`Waited 25 seconds for: ${what}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

export const sessionIn = (text: string): string => /session_[0-9a-z]{20}/.exec(text)![0];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
