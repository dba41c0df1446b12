/**
 * Holds a command's process tree in a Linux pid namespace: when its first process ends, the kernel kills every other,
 * whatever they did to get away (setsid, double fork, an empty environment).
 *
 * What runs is `setpriv → unshare → a small shell (pid 1) → the command`. setpriv has the kernel kill unshare when this
 * process dies, even by kill -9; unshare's own `--kill-child` passes that on to pid 1.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type Containment, type Hold, type Outcome, sendSignal } from "./containment.ts";
import { DEFAULT_PATH, findProgram } from "./find-program.ts";
import { supervisedOutcome, supervisorArgv } from "./supervisor.ts";

/** Long enough for a loaded machine; a working one answers in 10 ms. */
const PROBE_TIMEOUT_MS = 10_000;

let detected: Promise<Containment | undefined> | undefined;

/** The pid namespace containment, or undefined where the machine does not allow one. Tried once per process. */
export function detectPidNamespace(): Promise<Containment | undefined> {
  detected ??= detect();
  return detected;
}

async function detect(): Promise<Containment | undefined> {
  if (process.platform !== "linux") return undefined;
  const [setpriv, unshare, bash] = await Promise.all([
    findProgram("setpriv", "/", process.env.PATH || DEFAULT_PATH),
    findProgram("unshare", "/", process.env.PATH || DEFAULT_PATH),
    findProgram("bash", "/", "/bin:/usr/bin:/usr/local/bin"),
  ]);
  if (!setpriv || !unshare || !bash) return undefined;

  // Root needs no user namespace, and would lose rights over other users' files in one.
  const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  const prefix = [
    ...[setpriv, "--pdeathsig", "KILL"],
    ...[unshare, ...asUser, "--pid", "--fork", "--kill-child", "--mount-proc"],
    ...supervisorArgv({ bash }, {}),
  ];
  if (!(await exitsWith([...prefix, bash, "-c", "exit 42"], 42))) return undefined;
  return { kind: "pid-namespace", hold: async ({ command, env }) => new NamespaceHold([...prefix, ...command], env) };
}

function exitsWith(argv: readonly string[], code: number): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(argv[0]!, argv.slice(1), {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: {},
      timeout: PROBE_TIMEOUT_MS,
    });
    child.on("error", () => resolve(false));
    child.on("exit", (exitCode) => resolve(exitCode === code));
  });
}

class NamespaceHold implements Hold {
  readonly supervised = true;
  #pid = 0;

  constructor(
    readonly argv: readonly string[],
    readonly env: Readonly<Record<string, string>>,
  ) {}

  started(child: ChildProcess): void {
    this.#pid = child.pid ?? 0;
  }

  /** SIGTERM goes to the process group. SIGKILL goes to pid 1 alone: unshare then ends only when the namespace is gone. */
  signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.#pid === 0) return;
    const init = signal === "SIGKILL" ? firstChild(this.#pid) : undefined;
    if (init === undefined || !sendSignal(init, signal)) sendSignal(-this.#pid, signal);
  }

  /** Nothing is left: the end of pid 1 was the end of all. */
  async release(): Promise<void> {}

  outcome(exitCode: number | null, signal: string | null, supervisorText: string): Outcome {
    return supervisedOutcome(exitCode, signal, supervisorText);
  }
}

/** The one child of unshare, or of bwrap: pid 1 of the namespace, by the name that it has out here. */
export function firstChild(pid: number): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"), 10) || undefined;
  } catch {
    return undefined;
  }
}
