/** Command: one program that a person granted, without a shell, and with variables that the model never sees. */
import { HaftError } from "../../base/errors.ts";
import type { ToolContext } from "../../core/context.ts";
import type { SandboxAccess } from "../../core/sandbox.ts";
import type { SchemaInput, SchemaOutput } from "../../core/schema.ts";
import { Tool } from "../../core/tool.ts";
import { textOutput } from "../input/text-output.ts";
import { toolInput } from "../input/tool-input.ts";
import { commandName, commandOptions, type ReadOptions } from "./command-options.ts";
import { checkSurroundings, grantedCall, grantNotes } from "./grants/grant.ts";
import { type NarrowedGrant, narrowed } from "./grants/narrow.ts";
import { hostPlace, type Place, sandboxPlace } from "./grants/place.ts";
import { HiddenValues } from "./hidden-values.ts";
import { hostCommand } from "./host-command.ts";
import { runCommand } from "./run-command.ts";
import { simulationNotes } from "./sandbox-notes.ts";
import { timeLimit } from "./time-limit.ts";

interface CommandSent {
  /** Passed to the program as they are. Default: none. */
  args?: string[];
  /** Default: the option's, else the grant's root. */
  cwd?: string;
  /** Seconds. Default: the option's, else 120; at most 600. */
  timeout?: number;
}

/** Ordinary words, such as "test", must not be taken out of the output because a variable has them as its value. */
const MIN_HIDDEN_BYTES = 8;

const commandInput = toolInput<CommandSent, CommandSent & { args: string[] }>(
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
);

type Parts = [typeof commandInput, typeof textOutput, typeof commandOptions];

/** The tool of a grant. `narrow` gives one that lets less through, for a child agent. */
export class CommandTool extends Tool<Parts[0], Parts[1], Parts[2]> {
  override withOptions(values: SchemaInput<Parts[2]>): CommandTool {
    return super.withOptions(values) as CommandTool;
  }

  /**
   * A grant with fewer subcommands, more denied options, less time, fewer secrets and variables, a folder inside, fewer
   * hosts. What it lets through, this one lets through too.
   *
   * @throws HaftError `GRANT_WIDER` when it would have more than this one; `TOOL_OPTIONS_INVALID` without options.
   */
  narrow(by: NarrowedGrant): CommandTool {
    if (this.missingOptions) {
      throw new HaftError("TOOL_OPTIONS_INVALID", `Tool "${this.name}": ${this.missingOptions}`, {
        hint: 'Narrow a grant: Command.withOptions({ command: "git" }).narrow({ … }).',
      });
    }
    return this.withOptions(narrowed(this.optionValues as ReadOptions, by));
  }

  /** Whether a person is asked is a fact of the tool, which a handler is not told. */
  override async execute(
    input?: SchemaInput<Parts[0]>,
    ctx: Partial<ToolContext> = {},
  ): Promise<SchemaOutput<Parts[1]>> {
    if (!this.missingOptions) {
      const { approval } = this.definition;
      const hasApproval = approval === true || approval === "always" || typeof approval === "function";
      const options = this.optionValues as ReadOptions;
      // Without a sandbox, the handler says what is missing.
      if (options.host || hasSandbox(ctx))
        checkSurroundings(options, options.host ? undefined : ctx.sandbox, hasApproval);
    }
    return super.execute(input, ctx);
  }
}

function hasSandbox(ctx: Partial<ToolContext>): ctx is { sandbox: SandboxAccess } {
  try {
    return ctx.sandbox !== undefined;
  } catch {
    return false;
  }
}

/**
 * Lets a model run one program: `[Command, { command: "gh", env: { GH_TOKEN } }]` in a tools list. The tool's name comes
 * from the program (`gh` is `Gh`, `/usr/bin/my-tool` is `My_tool`), and it may be listed several times. There is no
 * shell: arguments are not split, expanded or piped. The values of `env` (of 8 bytes or more) are taken out of the output.
 * git, gh, curl, tar, find and rg have profiles, which refuse what would start another program or lead outside.
 * The answer and the errors are those of Bash; beside them there are `COMMAND_REFUSED`, `GRANT_NOT_CONFINED` and
 * `GRANT_UNENFORCEABLE`, before anything runs.
 *
 * Alone, without `[Command, { … }]`, a call fails with `TOOL_OPTIONS_INVALID`.
 */
export const Command = new CommandTool({
  name: (options) => commandName(options),
  description: (options, { sandbox }) => `${options.description ?? ownDescription(options)}${simulationNotes(sandbox)}`,
  options: commandOptions,
  input: commandInput,
  output: textOutput,
  subject: ({ args }, { options }) => ({ command: [options.command, ...args] }),
  sandbox: true,
  // The command has a limit of its own.
  timeoutMs: Number.POSITIVE_INFINITY,
  async handler({ args, cwd, timeout }, ctx) {
    const options = ctx.options;
    const trusted = options.env?.values() ?? {};
    const given = { ...trusted, ...grantedSecrets(options, ctx) };
    const place = await placeOf(options, cwd ?? options.cwd, ctx);
    const call = await grantedCall(args, options, place, given, ctx.abortSignal);
    return runCommand(
      {
        command: [options.command, ...call.args],
        cwd: place.cwd,
        env: { ...call.env, ...given },
        hidden: new HiddenValues(ctx.secrets).add(trusted, MIN_HIDDEN_BYTES),
        limit: timeLimit(timeout, options.timeoutMs, options.maxTimeoutMs),
        exec: place.exec,
      },
      ctx,
    );
  },
});

function ownDescription(options: ReadOptions): string {
  return `Run \`${options.command}\` with an array of arguments. No shell: no pipes, variables, globs or quoting.${grantNotes(options)}`;
}

/** Of the run's secrets, those that the grant names; all of them, when it names none. */
function grantedSecrets({ secrets }: ReadOptions, ctx: ToolContext): Record<string, string> {
  if (!secrets) return ctx.secrets.env();
  return Object.fromEntries(secrets.map((name) => [name, ctx.secrets.get(name)]));
}

function placeOf({ host, root }: ReadOptions, cwd: string | undefined, ctx: ToolContext): Promise<Place> {
  if (host) return hostPlace(hostCommand, ctx.cwd, root ?? ".", cwd);
  return sandboxPlace(ctx.sandbox, root ?? ".", cwd);
}
