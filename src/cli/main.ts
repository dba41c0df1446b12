#!/usr/bin/env node
/** The `haft` command: reads the command line, and loads what a command needs only when it runs. */
import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { ChatFlags } from "./commands/chat.ts";
import type { DemoFlags } from "./commands/demo.ts";
import type { RunFlags } from "./commands/run.ts";
import { exitCodeOfError, exitCodes, usageError } from "./exit-codes.ts";
import { addSessionCommands } from "./session-commands.ts";
import { stopWithReader } from "./signals.ts";

const program = new Command("haft")
  .description("Gives an AI agent tools that it can hold: typed, confined and recorded.")
  .version(version(), "-V, --version", "print the version")
  .helpOption("-h, --help", "print this help")
  .helpCommand(false)
  .configureOutput({ outputError() {} })
  .exitOverride((error) => {
    throw misused(error, "haft");
  });

settings(command("run [task...]", "do one task in this folder, then leave"))
  .option("--json", "print one event per line as JSON, and nothing else, on stdout")
  .option("-q, --quiet", "print the answer alone")
  .option("--apply", "apply held-back changes when the run has succeeded")
  .option("--no-apply", "show held-back changes, and do not apply them")
  .option("--stdin", "wait for piped input, however long it is silent")
  .option("--session <id>", "go on with a session of this folder")
  .option("--approve <call>", "with --session: let a waiting call run (repeatable)", collected)
  .option("--deny <call[=reason]>", "with --session: refuse a waiting call (repeatable)", collected)
  .option("--answer <call=value>", "with --session: give a waiting call its result (repeatable)", collected)
  .addHelpText("after", runNotes())
  .action(async (words: string[], flags: RunFlags) => {
    const { runCommand } = await import("./commands/run.ts");
    await leave(await runCommand(words, flags));
  });

settings(command("chat [message...]", "talk, turn after turn, in one session"))
  .option("--apply", "apply held-back changes when you leave")
  .option("--no-apply", "show held-back changes, and do not apply them")
  .option("--session <id>", "go on with a session of this folder")
  .action(async (words: string[], flags: ChatFlags) => {
    const { chatCommand } = await import("./commands/chat.ts");
    await leave(await chatCommand(words, flags));
  });

addSessionCommands({ command, settings, leave });

command("demo", "see a run from start to end: no key, no network")
  .addOption(
    new Option("--mode <name>", "tools (default), or code: a program that outlives its process").choices([
      "tools",
      "code",
    ]),
  )
  .action(async (flags: DemoFlags) => {
    const { demoCommand } = await import("./commands/demo.ts");
    await leave(await demoCommand(flags));
  });

await main();

async function main(): Promise<void> {
  stopWithReader();
  // What is awaited may hold nothing open. With nothing open, Node would end here: code 13, and no word.
  setInterval(() => {}, 2 ** 30);
  try {
    await program.parseAsync();
  } catch (thrown) {
    // Help and version were printed by the library, also the help that `haft` alone gives.
    if (thrown instanceof CommanderError) return leave(thrown.exitCode === 0 ? exitCodes.success : exitCodes.usage);
    const [{ renderError }, { Screen }] = await Promise.all([
      import("./render/error.ts"),
      import("./render/screen.ts"),
    ]);
    const errors = new Screen(process.stderr);
    errors.print(renderError(thrown, errors.width, errors.colors));
    await leave(exitCodeOfError(thrown));
  }
}

function command(usage: string, description: string): Command {
  return program
    .command(usage)
    .description(description)
    .helpOption("-h, --help", "print this help")
    .exitOverride((error) => {
      throw misused(error, `haft ${usage.split(" ")[0]}`);
    });
}

/** A mistake in the command line is said as every other mistake. */
function misused(error: CommanderError, command: string): Error {
  if (error.exitCode === 0 || error.code.startsWith("commander.help")) return error;
  const [problem = "", suggestion] = error.message.replace(/^error: /, "").split(/\n\(?/);
  const help = `${command} --help lists what there is.`;
  const hint = suggestion ? `${suggestion.replace(/\)$/, "")} ${help}` : help;
  return usageError(`${problem.charAt(0).toUpperCase()}${problem.slice(1).replace(/\.$/, "")}.`, hint);
}

/** What `run` and `chat` share. */
function settings(target: Command): Command {
  return target
    .option("-m, --model <provider:name>", "the model; several with commas are tried in order")
    .option("-t, --tools <list>", "read, bash, edit, write, glob, grep; or coding, read-only, none")
    .option(
      "-s, --sandbox <name>",
      "auto, isolated (real commands, confined), virtual (writes are held back) or local (your machine)",
    )
    .option("--mode <name>", "how the model is shown its tools: tools (default) or code")
    .option("--cwd <folder>", "the folder to work in")
    .option("--max-iterations <number>", "at most so many model calls (default: 50)", wholeNumber)
    .addOption(
      new Option("--approvals <way>", "what happens to calls that need approval").choices(["ask", "interrupt", "deny"]),
    )
    .option("--no-context-files", "do not read AGENTS.md, CLAUDE.md and .agents/skills")
    .option("--config <file>", "settings file (default: agent.config.ts, if there is one)")
    .option("--no-config", "read no settings file: it is code that runs with your rights");
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError("It must be a whole number from 1.");
}

function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function runNotes(): string {
  return `
The model is named by --model, agent.config.ts or HAFT_MODEL, in this order.
Its key comes from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY and so on.

Examples:
  haft run "fix the failing test"
  haft run --sandbox local --model anthropic:<model> "update the changelog"
  npm test 2>&1 | haft run "why does this fail?"
  echo "say hello" | haft run

Exit codes: 0 success, 1 failed, 2 usage, 3 waiting for a decision, 130 Ctrl-C.
`;
}

function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

/** Whatever a library left open does not keep the process. */
async function leave(code: number): Promise<void> {
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => resolve()));
}
