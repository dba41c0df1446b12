/**
 * Holds a command's process tree without a namespace: its process group, a marker in the environment that finds what
 * left the group (Linux only), and a guard process that ends both when this process is killed.
 *
 * What gets away: a process that leaves the group and empties its environment too (`env -i setsid`).
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Containment, type Hold, type Outcome, sendSignal } from "./containment.ts";
import { DEFAULT_PATH } from "./find-program.ts";

const onLinux = process.platform === "linux";
const MARKER_NAME = "HAFT_EXEC";
/** A tree that forks while it is swept is found in the next round. */
const SWEEP_ROUNDS = 50;
const SWEEP_PAUSE_MS = 10;

export const processGroup: Containment = {
  kind: "process-group",
  hold: async ({ command, env }) => new GroupHold(command, env),
};

class GroupHold implements Hold {
  readonly supervised = false;
  readonly env: Readonly<Record<string, string>>;
  readonly #marker = `${MARKER_NAME}=${randomBytes(12).toString("hex")}`;
  #group = 0;
  #guard: ChildProcess | undefined;

  constructor(
    readonly argv: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    this.env = { ...env, [MARKER_NAME]: this.#marker.slice(MARKER_NAME.length + 1) };
  }

  started(child: ChildProcess): void {
    this.#group = child.pid ?? 0;
    if (this.#group > 0) this.#guard = startGuard(this.#group, this.#marker);
  }

  signal(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.#group === 0) return;
    sendSignal(-this.#group, signal);
    void signalMarked(this.#marker, signal);
  }

  async release(): Promise<void> {
    if (this.#group === 0) return;
    for (let round = 0; round < SWEEP_ROUNDS; round++) {
      const inGroup = sendSignal(-this.#group, "SIGKILL");
      const marked = await signalMarked(this.#marker, "SIGKILL");
      // Where /proc tells, the dead that nobody has waited for do not count; kill alone cannot tell them apart.
      if (marked === 0 && (onLinux || !inGroup)) break;
      await sleep(SWEEP_PAUSE_MS);
    }
    this.#guard?.stdin?.end("done\n");
  }

  outcome(exitCode: number | null, signal: string | null): Outcome {
    if (exitCode !== null) return { status: "exited", exitCode };
    return { status: "signaled", signal: signal ?? "SIGKILL" };
  }
}

/**
 * Waits on a pipe that only this process holds. "done" lets it go; the end of the pipe without that word means that
 * this process is dead, and then the guard kills what it guards.
 */
const GUARD = `
read -r word
[ "$word" = done ] && exit 0
kill -KILL -- "-$1"
for file in /proc/[0-9]*/environ; do
  pid=\${file#/proc/}
  grep -qs -- "$2" "$file" && kill -KILL "\${pid%/environ}"
done
`;

function startGuard(group: number, marker: string): ChildProcess {
  const guard = spawn("/bin/sh", ["-c", GUARD, "sh", String(group), marker], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: process.env.PATH || DEFAULT_PATH },
  });
  guard.on("error", () => {});
  guard.stdin.on("error", () => {});
  guard.unref();
  return guard;
}

/** Signals every live process that carries the marker. Returns how many there were. */
async function signalMarked(marker: string, signal: "SIGTERM" | "SIGKILL"): Promise<number> {
  if (!onLinux) return 0;
  const pids = (await readdir("/proc").catch(() => [])).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
  const hits = await Promise.all(pids.map((pid) => carries(pid, marker)));
  return pids.filter((pid, index) => hits[index] && sendSignal(pid, signal)).length;
}

async function carries(pid: number, marker: string): Promise<boolean> {
  try {
    // A dead process that nobody has waited for yet reads as empty.
    return (await readFile(`/proc/${pid}/environ`)).includes(marker);
  } catch {
    return false;
  }
}
