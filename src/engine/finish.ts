/** The end of a run: recorded, cleaned up, and told as a result. */
import { inspect } from "node:util";
import { HaftError, messageOf } from "../base/errors.ts";
import type { ExecuteResult } from "../core/result.ts";
import type { Changes, Sandbox } from "../core/sandbox.ts";
import { abortedEnding, type Ending, type FinalEnding, failedEnding, loggedEnding, recalledEnding } from "./ending.ts";
import { makeResult } from "./make-result.ts";
import type { RunState } from "./run-state.ts";
import { untilAbort } from "./until-abort.ts";

/** Never rejects: what fails here makes the run an error. */
export async function finish(run: RunState, ending: Ending): Promise<ExecuteResult> {
  run.steering.end();
  run.budget?.close();
  let last = ending;
  try {
    if (ending.status === "interrupted") run.steering.takeFollowUps();
    if (isNews(run, ending)) {
      run.messages.push(...run.steering.takeFollowUps());
      last = record(run, ending);
    }
    const written = run.log.close();
    if (written) await untilAbort(run.abort, written);
  } catch (error) {
    last = run.abort.aborted ? abortedEnding(run.abort) : failedEnding(error);
  }
  const closing = closeMode(run);
  if (closing) await closing;
  return makeResult(run, last, run.ownsSandbox ? await closeSandbox(run, run.sandbox!) : undefined);
}

/** Closes what a run opened that never began. */
export async function closeRooms(run: RunState): Promise<void> {
  run.budget?.close();
  await closeMode(run);
  if (run.ownsSandbox) await closeSandbox(run, run.sandbox!);
}

/** A run that waits, or whose log tells another story, has not ended: it can still go on. */
function isNews(run: RunState, ending: Ending): ending is FinalEnding {
  if (ending.status === "interrupted" || run.journal.runEnd) return false;
  return ending.status === "success" || !HaftError.is(ending.error, "REPLAY_DIVERGED");
}

/** Gives the ending as it was written: redacted. */
function record(run: RunState, ending: FinalEnding): Ending {
  const end = run.log.record(run.id, { type: "run-end", ...loggedEnding(ending) });
  if (ending.status === "error") return recalledEnding(end, [], withoutSecrets(run, ending.error.cause));
  return recalledEnding(end, "exit" in ending ? [ending.exit] : []);
}

/** An error that was caught holds what it will: with a secret in it, it is not handed on. */
function withoutSecrets({ log }: RunState, cause: unknown): unknown {
  try {
    const text = inspect(cause);
    return log.redacted(text) === text ? cause : undefined;
  } catch {
    return undefined;
  }
}

function closeMode({ mode, logger }: RunState): void | Promise<void> {
  const warn = (error: unknown) => logger.warn(`The mode could not be closed: ${messageOf(error)}`);
  try {
    return mode.close()?.catch(warn);
  } catch (error) {
    warn(error);
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
