/** What a command may use up, and the part of it that the kernel's own limits per process hold. */
import { HaftError } from "../../base/errors.ts";

export interface IsolatedLimits {
  /** MiB of all commands of the sandbox together, where there is a control group; else of data for each process. Default 1,024. */
  memoryMb?: number;
  /** Processes and threads at a time: of all commands together in a control group, else of each command. Default 256. */
  processes?: number;
  /** MiB that one file may have. Default 300. */
  fileMb?: number;
  /** MiB in /tmp, and the same in the home folder. Both are in memory. Default 256. */
  tmpMb?: number;
  /** Seconds of processor time for each process. Default: none, beside the timeout of a command. */
  cpuSeconds?: number;
}

export interface CheckedLimits {
  memoryMb: number;
  processes: number;
  fileMb: number;
  tmpMb: number;
  cpuSeconds: number | undefined;
}

const DEFAULTS = { memoryMb: 1024, processes: 256, fileMb: 300, tmpMb: 256 };
/** bash, its children and what they share need this much to start at all. */
const LEAST = { memoryMb: 16, processes: 4, fileMb: 1, tmpMb: 1, cpuSeconds: 1 };
const MOST = 1024 * 1024;
const OPEN_FILES = 4096;

export function checkedLimits(limits: IsolatedLimits = {}): CheckedLimits {
  const given: CheckedLimits = { cpuSeconds: undefined, ...DEFAULTS, ...withoutUndefined(limits) };
  for (const name of Object.keys(LEAST) as (keyof typeof LEAST)[]) {
    const value = given[name];
    if (value === undefined || (Number.isSafeInteger(value) && value >= LEAST[name] && value <= MOST)) continue;
    throw new HaftError(
      "EINVAL",
      `limits.${name} is ${value}, and must be a whole number from ${LEAST[name]} to ${MOST}.`,
      {
        hint: name === "cpuSeconds" ? "Leave it out for none." : `Leave it out for ${DEFAULTS[name]}.`,
      },
    );
  }
  return given;
}

function withoutUndefined(limits: IsolatedLimits): Partial<CheckedLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

/**
 * Lines of bash that set limits which no process can raise again. Where the host's are lower already, they stay.
 * `shared`: memory and processes are held by a control group.
 */
export function ulimits({ fileMb, memoryMb, cpuSeconds }: CheckedLimits, shared: boolean): string {
  const lines = [`ulimit -f ${fileMb * 1024}`, "ulimit -c 0", `ulimit -n ${OPEN_FILES}`];
  if (cpuSeconds !== undefined) lines.push(`ulimit -t ${cpuSeconds}`);
  if (!shared) lines.push(`ulimit -d ${memoryMb * 1024}`);
  return lines.map((line) => `${line} 2>/dev/null; `).join("");
}

/**
 * The limit on processes is set inside: there it counts those of the sandbox, outside all of the user's. (Since Linux
 * 5.14; before, it counts all of them in both.) It does not bind a user who is root outside. bash calls it -u, dash -p.
 */
export function processUlimit({ processes }: CheckedLimits, shared: boolean): string {
  return shared ? "" : `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null; `;
}
