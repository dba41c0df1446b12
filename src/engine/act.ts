/** Lets a mode do what the model asked for. */
import type { EntryOf } from "../core/log.ts";
import type { Hands, IterationContext, Outcome } from "../core/mode.ts";
import { Batch } from "./batch.ts";
import { beforeExecution } from "./hook-calls.ts";
import type { RunningIteration } from "./iteration.ts";
import type { RunState } from "./run-state.ts";
import type { Happened } from "./settle.ts";

export function act(
  run: RunState,
  iteration: RunningIteration,
  context: IterationContext,
  response: EntryOf<"model-response">,
): Happened | Promise<Happened> {
  iteration.context = context;
  if (response.finishReason === "content-filter" || response.finishReason === "length")
    return { type: "cut", reason: response.finishReason };
  if (!run.hooks.onBeforeExecution) return allowed(run, iteration, context, response);
  return beforeExecution(run, iteration).then((refused) => refused ?? allowed(run, iteration, context, response));
}

function allowed(
  run: RunState,
  iteration: RunningIteration,
  context: IterationContext,
  response: EntryOf<"model-response">,
): Happened | Promise<Happened> {
  if (run.abort.aborted) return { type: "aborted" };
  if (iteration.calls.length > 0) {
    const batch = new Batch(run, iteration, context);
    const work = () => batch.run(() => run.mode.act(response, context, batch));
    return run.mode.code ? prepareProgram(run, iteration, batch).then(work) : work();
  }
  const outcome = run.mode.act(response, context, noHands);
  return outcome instanceof Promise ? outcome.then(acted) : acted(outcome);
}

/** Only a run whose model writes programs loads what they need. */
async function prepareProgram(run: RunState, iteration: RunningIteration, batch: Batch): Promise<void> {
  const { ProgramNotes } = await import("./program-notes.ts");
  batch.program = new ProgramNotes(run, iteration, batch);
}

function acted(outcome: Outcome): Happened {
  return { type: "acted", outcome, left: undefined };
}

/** Nothing was asked for: there is nothing to stop either. */
const noHands: Hands = {
  invoke: ({ name }) => Promise.reject(new Error(`a mode called "${name}" that it did not read`)),
  leave: ({ name }) => Promise.reject(new Error(`a mode left by "${name}" that it did not read`)),
  write: ({ object, property }) => {
    throw new Error(`a mode wrote ${object}.${property} without anything that it had read`);
  },
  get program(): never {
    throw new Error("a mode ran a program that it did not read");
  },
};
