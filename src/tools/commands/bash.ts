/** Bash: a command line for a shell. */
import { Tool } from "../../core/tool.ts";
import { textOutput } from "../input/text-output.ts";
import { toolInput } from "../input/tool-input.ts";
import { HiddenValues } from "./hidden-values.ts";
import { runCommand } from "./run-command.ts";
import { sandboxNotes } from "./sandbox-notes.ts";
import { timeLimit } from "./time-limit.ts";

interface BashSent {
  command: string;
  cwd?: string;
  /** Seconds. Default 120, at most 600. */
  timeout?: number;
  description?: string;
}

/**
 * Runs a command in a fresh shell of the sandbox and gives stdout and stderr as they came, then `[exit 0, 1.2 s]`.
 * Of more than 40 KiB the first 8 and the last 32 are given, and all of it (up to 50 MiB) is in a file that is named.
 * The run's secrets are in the command's environment; their values are taken out of the output.
 *
 * Errors: `COMMAND_TIMEOUT`, `COMMAND_ABORTED`, `COMMAND_OUTPUT_LIMIT`, `COMMAND_NOT_STARTED`, with the output so far.
 */
export const Bash = new Tool({
  name: "Bash",
  description: (_options, { sandbox }) =>
    `Run a shell command. Gives stdout and stderr together, then [exit code, time]. Each call is a fresh shell (cd, variables and background jobs do not last), without input. The middle of an output over 40 KiB is left out and saved to a file.${sandboxNotes(sandbox)}`,
  input: toolInput<BashSent, BashSent>(
    {
      command: { type: "string" },
      cwd: { type: "string", description: "Directory to run it in" },
      timeout: { type: "number", description: "Seconds; default 120, at most 600" },
      description: { type: "string", description: "What it does, in a few words" },
    },
    ["command"],
    (fields) => ({
      command: fields.filledText("command"),
      cwd: fields.optionalText("cwd") || undefined,
      timeout: fields.amount("timeout"),
    }),
  ),
  output: textOutput,
  subject: ({ command }) => ({ command }),
  sandbox: true,
  // The command has a limit of its own.
  timeoutMs: Number.POSITIVE_INFINITY,
  handler({ command, cwd, timeout }, ctx) {
    const hidden = new HiddenValues(ctx.secrets);
    return runCommand({ command, cwd, env: ctx.secrets.env(), hidden, limit: timeLimit(timeout) }, ctx);
  },
});
