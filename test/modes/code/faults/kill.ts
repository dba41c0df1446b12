/** Kills processes that run programs, at any moment, and lets others go on, until one comes to the end. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry } from "../../../../src/core/log.ts";
import type { Random } from "./random-program.ts";

const CHILD = new URL("./kill-child.mjs", import.meta.url).pathname;
/** Milliseconds from its first word on in which a process is killed. A whole run takes about half of it. */
const KILLED_WITHIN = 150;

interface Report {
  status: string;
  output?: string;
  error?: string;
  pending: { callId: string; reason: string }[];
}

/** Gives what went wrong, and how often a process was killed before the run was over. */
export async function killAndGoOn(random: Random, kills: number): Promise<{ faults: string[]; kills: number }> {
  const folder = mkdtempSync(join(tmpdir(), "haft-kill-"));
  const faults: string[] = [];
  let killed = 0;
  let decide: unknown[] = [];
  try {
    for (let round = 0; round < 40; round++) {
      const [before, ended] = [startsIn(folder), endedIn(folder)];
      const report = await run({ folder, decide }, round < kills ? random() * KILLED_WITHIN : undefined);
      for (const callId of ended) {
        if (times(startsIn(folder), callId) > times(before, callId))
          faults.push(`${callId} had ended, and was started again`);
      }
      decide = [];
      if (report === undefined) killed++;
      else if (report.status === "interrupted") decide = report.pending.map(({ callId }) => informed(folder, callId));
      else {
        if (report.status !== "success" || !report.output?.includes(WHOLE)) faults.push(JSON.stringify(report));
        return { faults, kills: killed };
      }
    }
    return { faults: [...faults, "it came to no end"], kills: killed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const WHOLE = "effect 1,effect 2,effect 3,again 4,effect 5,again 6,effect 7";

/** Someone who can look at the world: it was done already, or not. */
function informed(folder: string, callId: string) {
  const number = ({ "1/1": 1, "1/2": 2, "1/3": 3, "2/2": 5, "3/1": 7 } as Record<string, number>)[
    callId.split("/").slice(1).join("/")
  ];
  const wasDone = times(startsIn(folder), callId) > 0;
  return { callId, decision: wasDone ? { value: `effect ${number}` } : { approve: true } };
}

/** Undefined when it was killed. */
function run(order: object, killAfterMs: number | undefined): Promise<Report | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: ["ignore", "pipe", "pipe"] });
    let [out, errors] = ["", ""];
    let timer: NodeJS.Timeout | undefined;
    child.stdout.on("data", (data) => {
      out += data;
      if (killAfterMs !== undefined) timer ??= setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    });
    child.stderr.on("data", (data) => {
      errors += data;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const report = out.split("\n")[1];
      if (report) resolve(JSON.parse(report));
      else if (signal === "SIGKILL") resolve(undefined);
      else reject(new Error(errors || `the process ended with ${code}`));
    });
  });
}

function startsIn(folder: string): string[] {
  const file = join(folder, "effects.txt");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

function endedIn(folder: string): string[] {
  const file = join(folder, "sessions", "s.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line): Entry => JSON.parse(line)).flatMap(({ type, key }) => (type === "tool-end" ? [key] : []));
}

function times(list: readonly string[], item: string): number {
  return list.filter((each) => each === item).length;
}
