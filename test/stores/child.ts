/** Code that runs in a process of its own, with the stores of the build in reach. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const at = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).pathname);

const opening = `
import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileStore, sqliteStore } from ${at("dist/stores/index.js")};
import { entry } from ${at("dist/testing/store-contract/case.js")};
const say = (value) => fs.writeSync(1, JSON.stringify(value) + "\\n");
`;

export interface Child {
  pid: number;
  /** The next line that it says, parsed. */
  said(): Promise<unknown>;
  ended: Promise<number | null>;
  kill(signal?: NodeJS.Signals): void;
}

/** The body of an async function, in which \`fs\`, \`sleep\`, \`entry\`, \`say\` and the stores are there: JavaScript. */
export function child(body: string, { wrap = [] as string[] } = {}): Child {
  const folder = mkdtempSync(join(tmpdir(), "haft-child-"));
  const file = join(folder, "main.mjs");
  writeFileSync(
    file,
    `${opening}\nasync function main() {${body}\n}\nmain().catch((error) => { console.error(error); process.exit(1); });`,
  );
  const [command, ...args] = [...wrap, process.execPath, file];
  const process_ = spawn(command!, args, { stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  process_.stderr.on("data", (data) => {
    errors += data;
  });
  const lines: string[] = [];
  const waiting: ((line: string | undefined) => void)[] = [];
  let rest = "";
  process_.stdout.on("data", (data) => {
    const parts = (rest + data).split("\n");
    rest = parts.pop()!;
    for (const part of parts) (waiting.shift() ?? ((line) => lines.push(line!)))(part);
  });
  const ended = once(process_, "close").then(([code]) => {
    rmSync(folder, { recursive: true, force: true });
    for (const wait of waiting) wait(undefined);
    if (code) console.error(errors);
    return code as number | null;
  });
  const next = () =>
    lines.length > 0
      ? Promise.resolve(lines.shift())
      : new Promise<string | undefined>((resolve) => waiting.push(resolve));
  const said = async () => {
    const line = await next();
    if (line === undefined) throw new Error(`The process said nothing more: ${errors}`);
    return JSON.parse(line);
  };
  return { pid: process_.pid!, said, ended, kill: (signal = "SIGKILL") => void process_.kill(signal) };
}
