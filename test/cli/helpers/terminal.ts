/** Runs `haft` at a terminal of its own: 80 columns, 40 rows. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { afterAll } from "vitest";
import { cleanEnvironment, cli, until } from "./haft.ts";

/** `script` of util-linux gives a command a terminal of its own. */
export function hasScript(): boolean {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
}

export interface TerminalRun {
  type(keys: string): void;
  /** Typed by somebody who has read the question. */
  answer(keys: string): Promise<void>;
  /** The window is closed: what runs in it is sent SIGHUP. */
  close(): void;
  /** All that was written, without control sequences. */
  text(): string;
  raw(): string;
  /** Waits for words on the screen, after those that were waited for before. */
  sees(words: string): Promise<void>;
  code: Promise<number | null>;
}

const open: ChildProcess[] = [];
afterAll(() => {
  for (const child of open) child.kill();
});

export function onTerminal(args: string[], cwd: string, env: Record<string, string>): TerminalRun {
  const command = ["stty cols 80 rows 40;", "exec", process.execPath, cli, ...args].join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: cleanEnvironment({ TERM: "xterm", SHELL: "/bin/sh", ...env }),
  });
  open.push(child);
  let raw = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    raw += text;
  });
  const text = () => stripVTControlCharacters(raw);
  return {
    type: (keys) => child.stdin.write(keys),
    async answer(keys) {
      await new Promise((done) => setTimeout(done, 200));
      child.stdin.write(keys);
    },
    close: () => child.kill("SIGKILL"),
    text,
    raw: () => raw,
    async sees(words) {
      await until(`"${words}" on the terminal:\n${text()}`, () => text().indexOf(words, seen) >= 0);
      seen = text().indexOf(words, seen) + words.length;
    },
    code: new Promise((done) => child.on("close", done)),
  };
}
