/** Runs a command for a tool, shows its output while it runs, and tells a model what came of it. */
import { HaftError } from "../../base/errors.ts";
import type { ToolContext } from "../../core/context.ts";
import type { ExecOptions, ExecResult } from "../../core/sandbox.ts";
import { bytesText, secondsText } from "../text/sizes.ts";
import { CommandOutput, MAX_KEPT } from "./command-output.ts";
import { shownOutput } from "./cut-middle.ts";
import type { HiddenValues } from "./hidden-values.ts";
import { LiveOutput } from "./live-output.ts";
import { networkNotes } from "./network-notes.ts";
import { type Saved, saveOutput } from "./save-output.ts";
import type { TimeLimit } from "./time-limit.ts";

export interface CommandRun {
  /** A string for a shell, or a program and its arguments. */
  command: string | readonly string[];
  cwd?: string;
  /** Beside what every command gets. */
  env: Record<string, string>;
  hidden: HiddenValues;
  limit: TimeLimit;
  /** Where it runs, when that is not the call's sandbox. */
  exec?(command: readonly string[], options: ExecOptions): Promise<ExecResult>;
}

/** Programs that would open a pager, ask for a password or paint the screen do not. */
const quietEnv = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", NO_COLOR: "1" };

/**
 * The output, cut in the middle when it is long, a line for each request that the network policy refused, then
 * `[exit 0, 1.2 s]`. Whatever the exit code, that is a result.
 *
 * @throws HaftError `COMMAND_TIMEOUT`, `COMMAND_ABORTED`, `COMMAND_OUTPUT_LIMIT`, `COMMAND_NOT_STARTED`: their message is
 * the output so far and what happened.
 */
export async function runCommand(run: CommandRun, ctx: ToolContext): Promise<string> {
  const live = new LiveOutput((text) => ctx.progress(text));
  const output = new CommandOutput(run.hidden, (text) => live.push(text));
  let result: ExecResult;
  try {
    const options: ExecOptions = {
      cwd: run.cwd,
      env: { ...quietEnv, ...run.env },
      timeoutMs: run.limit.ms,
      abortSignal: ctx.abortSignal,
      onOutput: (chunk) => output.push(chunk),
    };
    const { command, exec } = run;
    result =
      exec && typeof command !== "string" ? await exec(command, options) : await ctx.sandbox.exec(command, options);
    // A sandbox may leave out onOutput, or call it for nothing.
    if (output.isUntouched) output.push({ stream: "stdout", data: result.combined });
    output.end();
  } finally {
    live.end();
  }

  const end = endText(result, run.limit);
  const network = networkNotes(result, run.hidden);
  const text = result.status === "spawn_error" ? end : `${await outputText(output, ctx)}\n${network}${end}`;
  const failure = failures[result.status];
  if (failure) throw new HaftError(failure.code, text, { hint: failure.hint, data: { status: result.status } });
  return text;
}

async function outputText(output: CommandOutput, ctx: ToolContext): Promise<string> {
  const shown = shownOutput(output);
  if (!shown.isCut) return shown.text.replace(/\n$/, "") || "[no output]";

  const saved = await savedOutput(output, ctx);
  const what = shown.lines > 0 ? `${shown.lines} lines` : "the middle of a long line";
  const size = bytesText(output.total);
  const whole = output.isComplete
    ? `the whole output (${size})`
    : `the first ${bytesText(MAX_KEPT)} of the output (${size})`;
  const where =
    "path" in saved
      ? `${whole} is in ${saved.path}: Read it with offset, or Grep it`
      : `${whole} could not be saved: ${saved.problem}`;
  return `${shown.head.replace(/\n$/, "")}\n[… ${what} left out; ${where}]\n${shown.tail.replace(/\n$/, "")}`;
}

/** What ran on the host may have no sandbox to save to. */
async function savedOutput(output: CommandOutput, ctx: ToolContext): Promise<Saved> {
  try {
    return await saveOutput(ctx.sandbox, ctx.callId, output.first());
  } catch (error) {
    if (HaftError.is(error, "SANDBOX_NONE")) return { problem: error.message };
    throw error;
  }
}

function endText(result: ExecResult, limit: TimeLimit): string {
  const time = secondsText(result.durationMs);
  const note = limit.note ? `; ${limit.note}` : "";
  switch (result.status) {
    case "exited":
      return `[exit ${result.exitCode}, ${time}${note}]`;
    case "signaled":
      return `[ended by ${result.signal ?? "a signal"}, ${time}${note}]`;
    case "timeout":
      return `[Command timed out after ${limit.ms / 1000} s and was stopped with all its processes${note}]`;
    case "aborted":
      return `[stopped after ${time}: the call was aborted]`;
    case "output_limit":
      return `[stopped after ${time}: it wrote too much output, ${bytesText(result.stdoutTotal + result.stderrTotal)}]`;
    case "spawn_error":
      return `[Command was not started: ${result.error ?? "the sandbox gives no reason"}]`;
  }
}

const failures: Partial<Record<ExecResult["status"], { code: string; hint?: string }>> = {
  timeout: {
    code: "COMMAND_TIMEOUT",
    hint: "Give it a larger timeout, in seconds, or run a smaller part of the work.",
  },
  aborted: { code: "COMMAND_ABORTED" },
  output_limit: { code: "COMMAND_OUTPUT_LIMIT", hint: "Write the output to a file, or filter it." },
  spawn_error: { code: "COMMAND_NOT_STARTED" },
};
