/** One command, from what a tool asked for to the result it gets. */

import type { ExecOptions, ExecResult } from "../../core/sandbox.ts";
import type { EgressFetch } from "../egress/fetch.ts";
import { CollectedOutput } from "../process/collected-output.ts";
import type { Command, ExecLimits } from "../process/exec-request.ts";
import type { ShellPool } from "./shell-pool.ts";
import type { ShellAnswer, ShellCommand } from "./shell-process.ts";

export interface ExecRequest {
  command: Command;
  cwd: string;
  env: Record<string, string>;
  limits: ExecLimits;
  options: ExecOptions;
  /** Missing where there is no network. */
  network: EgressFetch | undefined;
}

/** The shell keeps all output in memory until it ends, and counts what goes to files too. */
const MIN_OUTPUT_BYTES = 16 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export async function runInShell(pool: ShellPool, request: ExecRequest): Promise<ExecResult> {
  const { limits, options, network } = request;
  const started = performance.now();
  const answer = await pool.run(shellCommand(request), options.abortSignal, network);
  network?.close();
  const output = new CollectedOutput(limits.maxOutputBytes);
  for (const stream of ["stdout", "stderr"] as const) {
    const data = outputOf(answer)[stream];
    if (data.length === 0) continue;
    output.push({ stream, data });
    options.onOutput?.({ stream, data });
  }
  const durationMs = performance.now() - started;
  const denied = network && network.denied.length > 0 && { egressDenied: network.denied };
  const how = outcome(answer, output.total, limits);
  return { exitCode: null, signal: null, ...how, ...output.fields(), durationMs, ...denied };
}

function shellCommand({ command, cwd, env, limits, options, network }: ExecRequest): ShellCommand {
  const isScript = typeof command === "string";
  return {
    script: isScript ? command : quoted(command[0]!),
    args: isScript ? undefined : command.slice(1),
    stdin: new Uint8Array(options.stdin ?? []),
    outputBytes: Math.min(Math.max(limits.hardOutputBytes, MIN_OUTPUT_BYTES), MAX_OUTPUT_BYTES),
    timeoutMs: limits.timeoutMs,
    hasNetwork: network !== undefined,
    ...{ cwd, env },
  };
}

/** So that the name of a program is never read as a word of the shell's language. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

const NOTHING = { stdout: new Uint8Array(0), stderr: new Uint8Array(0) };

function outputOf(answer: ShellAnswer): { stdout: Uint8Array; stderr: Uint8Array } {
  const done = answer.type === "crashed" ? undefined : answer.type === "done" ? answer : answer.done;
  return done ? { stdout: done.stdout, stderr: plainStderr(done.stderr) } : NOTHING;
}

const KEPT = "What it had written to files is kept.";

type Outcome = Pick<ExecResult, "status" | "error"> & Partial<Pick<ExecResult, "exitCode" | "signal">>;

function outcome(answer: ShellAnswer, written: number, limits: ExecLimits): Outcome {
  if (answer.type === "timeout" || answer.type === "aborted") {
    const how = answer.type === "timeout" ? `stopped after ${limits.timeoutMs} ms` : "aborted";
    return { status: answer.type, error: `The command was ${how}. ${KEPT}` };
  }
  if (answer.type === "crashed") {
    const error = `${answer.message} ${KEPT}`;
    return answer.ran ? { status: "signaled", signal: answer.signal, error } : { status: "spawn_error", error };
  }
  const isOverShellLimit = answer.exitCode === 126 && /total output size exceeded/.test(textOf(answer.stderr));
  if (isOverShellLimit || written > limits.hardOutputBytes) {
    return { status: "output_limit", error: `The command wrote too much, output to files included. ${KEPT}` };
  }
  return { status: "exited", exitCode: answer.exitCode };
}

/** Without what the shell says to whoever embeds it: which option to raise, and that it was told to stop. */
function plainStderr(stderr: Uint8Array): Uint8Array {
  const text = textOf(stderr);
  const plain = text
    .replace(/, increase executionLimits\.\w+/g, "")
    .replace(/^bash: (.* )?(execution aborted|exceeded (its )?execution deadline.*)\n/gm, "");
  return plain === text ? stderr : Buffer.from(plain);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
