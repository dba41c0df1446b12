/** Turns a command and its options into what can be run, or refuses them before anything starts. */
import { HaftError } from "../../base/errors.ts";
import type { ExecOptions } from "../../core/sandbox.ts";
import { findProgram } from "./find-program.ts";

const DEFAULTS = { timeoutMs: 120_000, maxOutputBytes: 1024 * 1024, hardOutputBytes: 1024 * 1024 * 1024 };

export type Command = string | readonly string[];

export type ExecLimits = typeof DEFAULTS;

export function checkCommand(command: Command): void {
  const parts = typeof command === "string" ? [command] : command;
  if (parts.length === 0 || (typeof command !== "string" && parts[0] === "")) {
    throw new HaftError("EINVAL", "The command is empty.", { hint: "Give a program, and its arguments after it." });
  }
  if (parts.some((part) => part.includes("\0"))) {
    throw new HaftError("EINVAL", "The command holds a NUL character, which no program can be given.", {
      hint: "Remove it, or pass the bytes on stdin.",
    });
  }
}

export function checkedLimits(options: ExecOptions): ExecLimits {
  return {
    timeoutMs: positive("timeoutMs", options.timeoutMs ?? DEFAULTS.timeoutMs),
    maxOutputBytes: notNegative("maxOutputBytes", options.maxOutputBytes ?? DEFAULTS.maxOutputBytes),
    hardOutputBytes: notNegative("hardOutputBytes", options.hardOutputBytes ?? DEFAULTS.hardOutputBytes),
  };
}

/** A string goes to bash, which reads no start-up file; an array is looked up as a program. Undefined when there is none. */
export async function argvOf(command: Command, cwd: string, path: string | undefined): Promise<string[] | undefined> {
  if (typeof command === "string") return [...(await shell()), command];
  const program = await findProgram(command[0]!, cwd, path);
  return program === undefined ? undefined : [program, ...command.slice(1)];
}

let shellArgv: Promise<string[]> | undefined;

/** The machine's shell, not one that a command could put on the PATH. */
function shell(): Promise<string[]> {
  shellArgv ??= findProgram("bash", "/", "/bin:/usr/bin:/usr/local/bin:/opt/homebrew/bin").then((bash) =>
    bash ? [bash, "--norc", "--noprofile", "-c"] : ["/bin/sh", "-c"],
  );
  return shellArgv;
}

function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new HaftError("EINVAL", `${name} is ${value}, and must be more than 0.`, {
    hint: `Leave ${name} out for its default.`,
  });
}

function notNegative(name: string, value: number): number {
  if (value >= 0) return Math.min(value, Number.MAX_SAFE_INTEGER);
  throw new HaftError("EINVAL", `${name} is ${value}, and must be 0 or more.`, {
    hint: `Leave ${name} out for its default.`,
  });
}
