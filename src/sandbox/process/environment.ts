/** The exact environment of a command: named variables of the host, then what makes programs calm, then the owner's. */
import { HaftError } from "../../base/errors.ts";
import { DEFAULT_PATH } from "./find-program.ts";

const KEPT = ["PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "HOME", "USER", "LOGNAME", "SHELL"];

/** No pager, no prompt, no colour: nobody sits at a terminal. */
export const CALM: Record<string, string> = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  NO_COLOR: "1",
};

/** Variables that make a program run code of whoever set them. The host's never reach a command, whatever is kept. */
const NEVER_KEPT = /^(BASH_ENV|ENV|PROMPT_COMMAND|NODE_OPTIONS|LD_.*|DYLD_.*|BASH_FUNC_.*)$/;

export function sandboxEnvironment(
  keepEnv: readonly string[] = [],
  env: Record<string, string> = {},
): Record<string, string> {
  const result: Record<string, string> = { PATH: DEFAULT_PATH };
  for (const name of [...KEPT, ...keepEnv]) {
    const value = process.env[name];
    if (value && !NEVER_KEPT.test(name)) result[name] = value;
  }
  return { ...result, ...CALM, ...checkedEnvironment(env) };
}

/** Refuses what the operating system would refuse, or read as something else. */
export function checkedEnvironment(env: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || /[=\0]/.test(name)) throw invalid(name, "its name is empty, or holds = or NUL");
    if (typeof value !== "string" || value.includes("\0")) throw invalid(name, "its value is not text, or holds NUL");
  }
  return env;
}

function invalid(name: string, why: string): HaftError {
  return new HaftError("EINVAL", `The environment variable ${JSON.stringify(name)} cannot be set: ${why}.`, {
    hint: "Give names and values as plain text.",
  });
}
