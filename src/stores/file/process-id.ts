/** A process's name for other processes of the machine, and whether the process of such a name still lives. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Numbers of processes are given again, so its start belongs to its name; and they mean something in one container only. */
const here = `${hostname()}/${pidNamespace()}`;
export const ownName = `${process.pid}:${startOf(process.pid) ?? ""}:${here}`;

/** Undefined when it cannot be seen from here. */
export function isAlive(name: string): boolean | undefined {
  const [, pid, start, place] = /^(\d+):(\w*):(.*)$/.exec(name) ?? [];
  if (place !== here) return undefined;
  if (!hasProcess(Number(pid))) return false;
  return (startOf(Number(pid)) ?? start) === start;
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // somebody else's
  }
}

/** In ticks of the kernel; "dead" for one that was killed and not yet taken away. Undefined where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "dead" : fields[19];
  } catch {
    return undefined;
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
