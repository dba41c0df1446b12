/** The hooks around an iteration. What a hook throws never ends a run by accident. */
import { HaftError, messageOf } from "../base/errors.ts";
import { ThinkSignal } from "../core/signals.ts";
import type { RunningIteration } from "./iteration.ts";
import type { RunState } from "./run-state.ts";
import type { Happened } from "./settle.ts";

/** A ThinkSignal skips the model call; any other throw is an error of the run. */
export async function beforeIteration(run: RunState, iteration: RunningIteration): Promise<Happened | undefined> {
  try {
    await run.hooks.onIterationStart?.(iteration, run.controller);
    return run.abort.aborted ? { type: "aborted" } : undefined;
  } catch (error) {
    if (ThinkSignal.is(error)) return { type: "thinking", reason: error.reason, context: error.context };
    throw new HaftError("HOOK_FAILED", `onIterationStart threw: ${messageOf(error)}`, { cause: error });
  }
}

/** Throwing refuses the batch, and the model reads why; a ThinkSignal makes it think again. */
export async function beforeExecution(run: RunState, iteration: RunningIteration): Promise<Happened | undefined> {
  let given: { code?: string } | void;
  try {
    given = await run.hooks.onBeforeExecution?.(iteration, run.controller);
  } catch (error) {
    if (ThinkSignal.is(error)) return { type: "thinking", reason: error.reason, context: error.context };
    return { type: "refused", message: messageOf(error) };
  }
  if (given?.code !== undefined) {
    throw new HaftError("HOOK_INVALID", "onBeforeExecution returned code, and this run has no program to replace", {
      hint: 'In mode "tools" change inputs in onBeforeTool, or throw to refuse the batch.',
    });
  }
  return undefined;
}

export async function afterIteration(run: RunState, iteration: RunningIteration): Promise<void> {
  try {
    await run.hooks.onIterationEnd?.(iteration, run.controller);
  } catch (error) {
    run.logger.warn(`onIterationEnd threw: ${messageOf(error)}`);
  }
}
