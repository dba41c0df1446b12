/** The small shell that is pid 1 of a command's namespace, and how the command's end is read from what it says. */
import { constants } from "node:os";
import type { Outcome } from "./containment.ts";

const READY = "ready\n";
const END = "end\n";

/**
 * Pid 1 does not get signals that it has no handler for, and must reap, so the command is its child; the command's stderr
 * is fd 3, and the supervisor's own is fd 2. It says READY once it runs and END when the command has ended. Between
 * them stands what the shell says of a child that a signal killed, which an exit code alone cannot tell from `exit 137`.
 * The parentheses are for dash, which would say it on the redirected stderr otherwise.
 */
const SUPERVISOR = `echo ready >&2; (exec "$@" 2>&3 3>&-); code=$?; echo end >&2; exit $code`;

export interface SupervisorShells {
  bash: string;
  /** Starts sooner than bash, where it is there. */
  dash?: string | undefined;
}

/** `env`: what the command gets, through the supervisor. `before`: lines for either shell. */
export function supervisorArgv(shells: SupervisorShells, env: Readonly<Record<string, string>>, before = ""): string[] {
  const script = before + SUPERVISOR;
  if (shells.dash !== undefined && canBePassedByDash(env)) return [shells.dash, "-c", script, "dash"];
  // -p: take nothing from BASH_ENV, SHELLOPTS or exported functions, which are meant for the command.
  return [shells.bash, "--norc", "--noprofile", "-p", "-c", script, "bash"];
}

/** It drops variables whose names no shell could use, such as `a.b`. */
function canBePassedByDash(env: Readonly<Record<string, string>>): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name));
}

/** What became of the command, from how the process that holds the namespace ended and what the supervisor said. */
export function supervisedOutcome(exitCode: number | null, signal: string | null, text: string): Outcome {
  const ready = text.indexOf(READY);
  if (ready < 0) return { status: "spawn_error", error: notStarted(text, signal) };
  if (exitCode === null) return { status: "signaled", signal: signal ?? "SIGKILL" };

  const end = text.lastIndexOf(END);
  // Only a SIGKILL ends a supervisor before its command: the memory of the sandbox was used up, for example.
  if (end < ready + READY.length) return { status: "signaled", signal: "SIGKILL" };
  const said = text.slice(ready + READY.length, end).trim();
  if (said === "") return { status: "exited", exitCode };
  const killedBy = signalName(exitCode - 128);
  if (killedBy) return { status: "signaled", signal: killedBy };
  if (exitCode === 126 || exitCode === 127) return { status: "spawn_error", error: notStarted(said, null) };
  return { status: "exited", exitCode };
}

function notStarted(text: string, signal: string | null): string {
  const reason =
    text.replace(READY, "").trim().split("\n").pop() || (signal ? `ended by ${signal}` : "no reason given");
  return `The command could not be started: ${reason}`;
}

function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}
