/** Sleeping processes that can be told from all others of this machine. */
import { readdirSync, readFileSync } from "node:fs";

let sleeps = 0;

/** Seconds to sleep that no other process of this machine sleeps, to find it by. */
export function uniqueSleep(): string {
  return `30${process.pid}.${++sleeps}`;
}

/** The pids of the host whose command line is exactly `sleep <seconds>`. */
export function sleepers(seconds: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && commandLine(pid) === `sleep ${seconds}`);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}
