/** Command: one program that a person chose, without a shell, and with variables that the model never sees. */
import { Tool } from "../../core/tool.ts";
import { textOutput } from "../input/text-output.ts";
import { toolInput } from "../input/tool-input.ts";
import { commandName, commandOptions } from "./command-options.ts";
import { HiddenValues } from "./hidden-values.ts";
import { runCommand } from "./run-command.ts";
import { simulationNotes } from "./sandbox-notes.ts";
import { timeLimit } from "./time-limit.ts";

interface CommandSent {
  /** Passed to the program as they are. Default: none. */
  args?: string[];
  /** Default: the option's, else the sandbox's. */
  cwd?: string;
  /** Seconds. Default: the option's, else 120; at most 600. */
  timeout?: number;
}

/** Ordinary words, such as "test", must not be taken out of the output because a variable has them as its value. */
const MIN_HIDDEN_BYTES = 8;

/**
 * Lets a model run one program: `[Command, { command: "gh", env: { GH_TOKEN } }]` in a tools list. The tool's name comes
 * from the program (`gh` is `Gh`, `/usr/bin/my-tool` is `My_tool`), and it may be listed several times. There is no
 * shell: arguments are not split, expanded or piped. The values of `env` (of 8 bytes or more) are taken out of the output.
 * The answer and the errors are those of Bash.
 *
 * Alone, without `[Command, { … }]`, a call fails with `TOOL_OPTIONS_INVALID`.
 */
export const Command = new Tool({
  name: (options) => commandName(options),
  description: (options, { sandbox }) =>
    `${options.description ?? `Run \`${options.command}\` with an array of arguments. No shell: no pipes, variables, globs or quoting.`}${simulationNotes(sandbox)}`,
  options: commandOptions,
  input: toolInput<CommandSent, CommandSent & { args: string[] }>(
    {
      args: { type: "array", items: { type: "string" }, description: "Passed as they are" },
      cwd: { type: "string", description: "Directory to run it in" },
      timeout: { type: "number", description: "Seconds" },
    },
    ["args"],
    (fields) => ({
      args: fields.has("args") ? fields.texts("args") : [],
      cwd: fields.optionalText("cwd") || undefined,
      timeout: fields.amount("timeout"),
    }),
  ),
  output: textOutput,
  sandbox: true,
  // The command has a limit of its own.
  timeoutMs: Number.POSITIVE_INFINITY,
  handler({ args, cwd, timeout }, ctx) {
    const { command, env, cwd: defaultCwd, timeoutMs } = ctx.options;
    const trusted = env?.values() ?? {};
    const secrets = ctx.secrets.env();
    return runCommand(
      {
        command: [command, ...args],
        cwd: cwd ?? defaultCwd,
        env: { ...trusted, ...secrets },
        hidden: new HiddenValues(ctx.secrets).add(trusted, MIN_HIDDEN_BYTES),
        limit: timeLimit(timeout, timeoutMs),
      },
      ctx,
    );
  },
});
