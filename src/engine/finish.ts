/** The end of a run: recorded, cleaned up, and told as a result. */
import { decode, encode } from "../base/codec.ts";
import { HaftError, messageOf } from "../base/errors.ts";
import { DefaultExit, Exit, ListenExit, ThinkExit } from "../core/exit.ts";
import type { EntryOf } from "../core/log.ts";
import type { ExecuteResult } from "../core/result.ts";
import type { Changes, Sandbox } from "../core/sandbox.ts";
import { logged, unlogged } from "./logged-error.ts";
import { makeResult } from "./make-result.ts";
import type { Ending, RunState } from "./run-state.ts";

/** Never rejects: what fails here makes the run an error. */
export async function finish(run: RunState, ending: Ending): Promise<ExecuteResult> {
  run.steering.end();
  let last = ending;
  try {
    if (ending.status !== "interrupted" && !run.journal.runEnd) record(run, ending);
    const written = run.log.close();
    if (written) await written;
  } catch (error) {
    last = { status: "error", stopReason: "error", error: HaftError.is(error) ? error : internal(error) };
  }
  await closeMode(run);
  const changes = run.ownsSandbox && run.sandbox ? await closeSandbox(run, run.sandbox) : undefined;
  return makeResult(run, last, changes);
}

/** The error as it was written: redacted. */
function record(run: RunState, ending: Exclude<Ending, { status: "interrupted" }>): void {
  const { status, stopReason } = ending;
  if (ending.status === "error") {
    const { error } = run.log.record(run.id, { type: "run-end", status, stopReason, error: logged(ending.error) });
    ending.error = unlogged(error!, ending.error.cause);
    return;
  }
  const exit = "exit" in ending ? { exit: ending.exit.name } : {};
  const output = ending.output === undefined ? {} : { output: encode(ending.output, "output") };
  const end = run.log.record(run.id, { type: "run-end", status, stopReason, ...exit, ...output });
  (ending as { output: unknown }).output = end.output === undefined ? undefined : decode(end.output);
}

/** What the log says of a run that has ended: no call is made for it. */
export function recalledEnding(end: EntryOf<"run-end">, exits: readonly Exit[]): Ending {
  if (end.error) return { status: "error", stopReason: end.stopReason as "error", error: unlogged(end.error) };
  const output = end.output === undefined ? undefined : decode(end.output);
  if (end.exit === undefined) return { status: "success", stopReason: "text", output: output as string };
  const exit = [...exits, ListenExit, DefaultExit as Exit, ThinkExit].find(({ name }) => name === end.exit);
  return { status: "success", stopReason: "exit", exit: exit ?? new Exit({ name: end.exit }), output };
}

async function closeMode({ mode, logger }: RunState): Promise<void> {
  try {
    await mode.close();
  } catch (error) {
    logger.warn(`The mode could not be closed: ${messageOf(error)}`);
  }
}

/** What the sandbox holds back outlives it. */
async function closeSandbox({ logger }: RunState, sandbox: Sandbox): Promise<Changes | undefined> {
  try {
    const held = await sandbox.diff?.();
    return held && held.files.length > 0 ? held : undefined;
  } catch (error) {
    logger.warn(`The sandbox could not tell what changed: ${messageOf(error)}`);
    return undefined;
  } finally {
    await sandbox.dispose().catch((error) => logger.warn(`The sandbox could not be closed: ${messageOf(error)}`));
  }
}

export function internal(error: unknown): HaftError {
  if (HaftError.is(error)) return error;
  return new HaftError("INTERNAL", `The run failed in a way that was not foreseen: ${messageOf(error)}`, {
    cause: error,
    hint: "This is a fault of Haft, or of something given to it. The cause has the details.",
  });
}
