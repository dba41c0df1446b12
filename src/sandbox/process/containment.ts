/** The contract between running a command and whatever holds its process tree together, so that all of it can be ended. */
import type { ChildProcess } from "node:child_process";

/** Ways to hold a tree: a pid namespace, a process group with a marker, later an isolated sandbox. */
export interface Containment {
  readonly kind: "pid-namespace" | "process-group" | (string & {});
  hold(command: readonly string[], env: Readonly<Record<string, string>>): Hold;
}

/** One command in its containment. The methods are called in this order; `signal` any number of times. */
export interface Hold {
  /** What is really started: an absolute program first. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** True when fd 2 is the supervisor's own and the command's stderr is fd 3. */
  readonly supervised: boolean;
  started(child: ChildProcess): void;
  signal(signal: "SIGTERM" | "SIGKILL"): void;
  /** Kills what the command left behind. When it resolves, the tree is dead. */
  release(): Promise<void>;
  /** What became of the command, from the end of the process that was really started. */
  outcome(exitCode: number | null, signal: string | null, supervisorText: string): Outcome;
}

export type Outcome =
  | { status: "exited"; exitCode: number }
  | { status: "signaled"; signal: string }
  | { status: "spawn_error"; error: string };

/** Sends a signal to a process, or to a group when `pid` is negative. False when there is none. */
export function sendSignal(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
