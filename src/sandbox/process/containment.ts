/** The contract between running a command and whatever holds its process tree together, so that all of it can be ended. */
import type { ChildProcess } from "node:child_process";
import type { ExecResult } from "../../core/sandbox.ts";

/** Ways to hold a tree: a pid namespace, a process group with a marker, an isolated sandbox. */
export interface Containment {
  readonly kind: "pid-namespace" | "process-group" | (string & {});
  /** Whoever gets a Hold starts it, or calls its `release`. */
  hold(request: HoldRequest): Promise<Hold>;
}

export interface HoldRequest {
  /** An absolute program, and its arguments. */
  command: readonly string[];
  /** Where it runs: a real path. */
  cwd: string;
  /** All that the command gets. */
  env: Readonly<Record<string, string>>;
}

/** One command in its containment. The methods are called in this order; `signal` any number of times. */
export interface Hold {
  /** What is really started: an absolute program first. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** True when fd 2 is the supervisor's own and the command's stderr is fd 3. */
  readonly supervised: boolean;
  /** How many pipes it needs beside the usual ones, from fd 4 on: `child.stdio[4]` and so on. Default 0. */
  readonly morePipes?: number;
  started(child: ChildProcess): void;
  signal(signal: "SIGTERM" | "SIGKILL"): void;
  /** Kills what the command left behind. When it resolves, the tree is dead. Called once, also when nothing was started. */
  release(): Promise<void>;
  /** What became of the command, from the end of the process that was really started. */
  outcome(exitCode: number | null, signal: string | null, supervisorText: string): Outcome;
  /** What else it knows about the command, when all is over. */
  findings?(): Pick<ExecResult, "egressDenied">;
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
