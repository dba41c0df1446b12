/** The hooks around an iteration, and of events. What a hook throws never ends a run by accident, and a hook that hangs ends with it. */
import { HaftError, messageOf } from "../base/errors.ts";
import { describeValue } from "../base/json.ts";
import type { Logger } from "../core/context.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import type { RunEvent } from "../core/log.ts";
import { ThinkSignal } from "../core/signals.ts";
import type { RunningIteration } from "./iteration.ts";
import { readable } from "./logged-error.ts";
import { depthOf } from "./run-inside.ts";
import type { RunState } from "./run-state.ts";
import type { Happened } from "./settle.ts";
import { untilAbort } from "./until-abort.ts";

/** Asked before the model is. A ThinkSignal skips the model call; any other throw is an error of the run. */
export async function beforeIteration(run: RunState, iteration: RunningIteration): Promise<Happened | undefined> {
  const { onIterationStart } = run.hooks;
  if (!onIterationStart || run.journal.response(iteration.id)) return undefined;
  try {
    await untilAbort(run.abort, onIterationStart(iteration, run.controller));
    return run.abort.aborted ? { type: "aborted" } : undefined;
  } catch (thrown) {
    if (run.abort.aborted) return { type: "aborted" };
    const error = readable(thrown);
    if (ThinkSignal.is(error)) return { type: "thinking", reason: error.reason, context: error.context };
    throw new HaftError("HOOK_FAILED", `onIterationStart threw: ${messageOf(error)}`, { cause: error });
  }
}

/** Asked before the batch begins. Throwing refuses it, and the model reads why; a ThinkSignal makes it think again. */
export async function beforeExecution(run: RunState, iteration: RunningIteration): Promise<Happened | undefined> {
  const { onBeforeExecution } = run.hooks;
  if (!onBeforeExecution || run.journal.hasActed(iteration.id)) return undefined;
  let given: { code?: string } | void;
  try {
    given = await untilAbort(run.abort, onBeforeExecution(iteration, run.controller));
  } catch (thrown) {
    if (run.abort.aborted) return { type: "aborted" };
    const error = readable(thrown);
    if (ThinkSignal.is(error)) return { type: "thinking", reason: error.reason, context: error.context };
    return { type: "refused", message: messageOf(error) };
  }
  if (given?.code === undefined) return undefined;
  if (iteration.code !== undefined && typeof given.code === "string" && given.code !== "") {
    iteration.replaced = given.code;
    return undefined;
  }
  if (iteration.code !== undefined) throw invalidCode(given.code);
  const message = "onBeforeExecution returned code, and this run has no program to replace";
  const hint = 'In mode "tools" change inputs in onBeforeTool, or throw to refuse the batch.';
  return { type: "refused", message, error: new HaftError("HOOK_INVALID", message, { hint }) };
}

function invalidCode(code: unknown): HaftError {
  return new HaftError("HOOK_INVALID", `onBeforeExecution returned ${describeValue(code)} as code`, {
    hint: "Return { code } with a program as text, or nothing to run the model's own.",
  });
}

export async function afterIteration(run: RunState, iteration: RunningIteration): Promise<void> {
  try {
    await untilAbort(run.abort, run.hooks.onIterationEnd?.(iteration, run.controller));
  } catch (error) {
    if (!run.abort.aborted) run.logger.warn(`onIterationEnd threw: ${messageOf(error)}`);
  }
}

/** `onTrace` can neither change nor fail the run, whether it throws at once or later. */
export function traceHook(options: ExecuteOptions, logger: Logger): ((event: RunEvent) => void) | undefined {
  const { onTrace } = options.hooks ?? {};
  if (!onTrace) return undefined;
  const place = 1 + 2 * depthOf(options); // where a key has the iteration of this run
  const warn = (error: unknown) => logger.warn(`onTrace threw: ${messageOf(error)}`);
  return (event) => {
    try {
      const given: unknown = onTrace({ trace: event, iteration: Number(event.key.split("/")[place] ?? 0) });
      if (given instanceof Promise) given.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
}
