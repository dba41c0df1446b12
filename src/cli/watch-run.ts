/** Watches one run to its end, and stops it when somebody wants it stopped. */
import type { Run } from "../core/execute.ts";
import type { ExecuteResult } from "../core/result.ts";
import type { Reporter } from "./reporter.ts";
import { onStopSignal, type StopSignal, signalExitCodes, stopReasons } from "./signals.ts";

export interface WatchedRun {
  result: ExecuteResult;
  durationMs: number;
  /** What stopped it. */
  signal: StopSignal | undefined;
}

export interface Stoppers {
  /** Called at the first signal, beside the run's own abort. */
  stop(): void;
  /** Called when the process ends at once. */
  leave(): Promise<void>;
}

/**
 * The first signal aborts the run, which then ends as a run does; the second ends the process, with everything that
 * `leave` still has to stop.
 *
 * @throws HaftError for options that `execute` refuses
 */
export async function watchRun(run: Run, reporter: Reporter, { stop, leave }: Stoppers): Promise<WatchedRun> {
  const startedAt = Date.now();
  let signal: StopSignal | undefined;
  const ignore = onStopSignal((name, times) => {
    signal = name;
    if (times > 1) return void leaveNow(leave, name);
    if (name === "SIGINT") reporter.note("Stopping. Ctrl-C again leaves at once.");
    run.abort(stopReasons[name]);
    stop();
  });
  try {
    for await (const event of run) reporter.event(event);
    return { result: await run, durationMs: Date.now() - startedAt, signal };
  } finally {
    ignore();
  }
}

async function leaveNow(leave: () => Promise<void>, signal: StopSignal): Promise<never> {
  await leave();
  process.exit(signalExitCodes[signal]);
}
