/** The commands that look at sessions and decide about them: their flags, and what is loaded when one runs. */
import type { Command } from "commander";
import type { ApproveFlags, DenyFlags } from "./commands/decide.ts";
import type { ForkFlags } from "./commands/fork.ts";
import type { LogFlags } from "./commands/log.ts";
import type { ResumeCommandFlags } from "./commands/resume.ts";
import type { SessionsFlags } from "./commands/sessions.ts";
import { usageError } from "./exit-codes.ts";

export interface CommandLine {
  command(usage: string, description: string): Command;
  /** What every command that runs something has. */
  settings(target: Command): Command;
  leave(code: number): Promise<void>;
}

export function addSessionCommands({ command, settings, leave }: CommandLine): void {
  place(command("sessions", "list the sessions of this folder, the last one first"))
    .option("--json", "one session per line as JSON")
    .option("--limit <number>", "at most so many (default: 20)", (text) => number(text, "--limit", 1))
    .action(async (flags: SessionsFlags) => {
      const { sessionsCommand } = await import("./commands/sessions.ts");
      await leave(await sessionsCommand(flags));
    });

  place(command("log <session>", "show what happened in a session, entry by entry"))
    .option("--json", "one entry per line as JSON, whole")
    .option("--after <seq>", "only entries after this one", (text) => number(text, "--after", 0))
    .option("-f, --follow", "go on with what happens, until the run ends")
    .action(async (session: string, flags: LogFlags) => {
      const { logCommand } = await import("./commands/log.ts");
      await leave(await logCommand(session, flags));
    });

  output(settings(command("resume <session>", "go on with a session where it stopped"))).action(
    async (session: string, flags: ResumeCommandFlags) => {
      const { resumeCommand } = await import("./commands/resume.ts");
      await leave(await resumeCommand(session, flags));
    },
  );

  decision(settings(command("approve <call>", "let a waiting call run")))
    .option("--input <json>", "with this input instead")
    .action(async (call: string, flags: ApproveFlags) => {
      const { approveCommand } = await import("./commands/decide.ts");
      await leave(await approveCommand(call, flags));
    });

  decision(settings(command("deny <call>", "refuse a waiting call")))
    .option("--reason <text>", "why: the model reads it")
    .action(async (call: string, flags: DenyFlags) => {
      const { denyCommand } = await import("./commands/decide.ts");
      await leave(await denyCommand(call, flags));
    });

  place(command("fork <session>", "make a new session of the beginning of one, and print its id"))
    .option("--at <seq>", "the last entry to take over (default: the last one)", (text) => number(text, "--at", 0))
    .action(async (session: string, flags: ForkFlags) => {
      const { forkCommand } = await import("./commands/fork.ts");
      await leave(await forkCommand(session, flags));
    });
}

/** Where the sessions are. */
function place(target: Command): Command {
  return target
    .option("--cwd <folder>", "the folder whose sessions they are")
    .option("--config <file>", "settings file (default: agent.config.ts, if there is one)")
    .option("--no-config", "read no settings file: it is code that runs with your rights");
}

function output(target: Command): Command {
  return target
    .option("--json", "print one event per line as JSON, and nothing else, on stdout")
    .option("-q, --quiet", "print the answer alone")
    .option("--apply", "apply held-back changes when the run has succeeded")
    .option("--no-apply", "show held-back changes, and do not apply them");
}

/** Settings and output are those of the run that `--resume` goes on with. */
function decision(target: Command): Command {
  return output(target)
    .option("--session <id>", "the session, where the call is named by its short form such as 2/1")
    .option("--resume", "go on with the run at once");
}

function number(text: string, flag: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw usageError(`${flag} ${text} is not a whole number from ${least}.`, `Write ${flag} ${least + 9}, for example.`);
}
