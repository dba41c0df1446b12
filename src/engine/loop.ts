/** Iteration after iteration, until the run ends. What the log has finished already is not done again. */
import { HaftError } from "../base/errors.ts";
import type { EntryOf } from "../core/log.ts";
import { act } from "./act.ts";
import type { Budget } from "./budget/index.ts";
import { buildContext, exitsOf } from "./context.ts";
import { abortedEnding, type Ending, failedEnding, recalledEnding } from "./ending.ts";
import { generate } from "./generate.ts";
import { beforeIteration } from "./hook-calls.ts";
import { RunningIteration } from "./iteration.ts";
import type { RunState } from "./run-state.ts";
import { settle } from "./settle.ts";

/** Each iteration reads in order: build context, present, generate, act, settle. */
export async function loop(run: RunState): Promise<Ending> {
  const finished = recallFinished(run);
  const last = recalledLast(run, finished);
  if (last) return last;
  for (let index = finished + 1; index <= run.limit; index++) {
    if (run.abort.aborted) return abortedEnding(run.abort);
    const over = run.budget && counted(run, run.budget, index);
    if (over) return failedEnding(over);
    const iteration = new RunningIteration(run, index);
    listen(run, iteration);
    let happened = run.hooks.onIterationStart && (await beforeIteration(run, iteration));
    let response: EntryOf<"model-response"> | undefined;
    listen(run, iteration);
    if (!happened) {
      const built = buildContext(run, index); //                     what the model should know
      const context = built instanceof Promise ? await built : built;
      listen(run, iteration);
      run.steering.at(iteration.id);
      const request = run.shown(run.mode.present(context)); //       how this mode shows it
      response = await generate(run, iteration, request); //         one model call
      happened = await act(run, iteration, iteration.context ?? context, response); // do what the model asked for
    }
    const ending = await settle(run, iteration, response, happened); // go on, leave, answer or wait
    if (ending) return ending;
  }
  const error = new HaftError("ITERATIONS_EXCEEDED", `The run reached its limit of ${run.limit} iterations`, {
    hint: "Raise `iterations` (--max-iterations). The session goes on with the next prompt.",
  });
  return { status: "error", stopReason: "iterations", error };
}

/** An answer that the log has is paid for: it is acted on in any case. */
function counted(run: RunState, budget: Budget, index: number): HaftError | undefined {
  const over = run.journal.response(`${run.id}/${index}`) ? undefined : budget.over();
  if (!over) budget.iterates(run.id);
  return over;
}

/** What was said until now is in the model's request; what is said from here on comes after this iteration. */
function listen(run: RunState, { id }: RunningIteration): void {
  if (run.steering.waiting) run.messages.push(...run.steering.takeBefore(id));
}

/** The run had come to its end, and was stopped before it could say so. */
function recalledLast(run: RunState, index: number): Ending | undefined {
  const key = `${run.id}/${index}`;
  const { ending } = run.journal.iterationEnd(key) ?? {};
  if (!ending || run.journal.wasSteered(key) || run.steering.waiting) return undefined;
  return recalledEnding(ending, exitsOf(run));
}

/** Takes over the iterations that the log has whole; returns how many. */
export function recallFinished(run: RunState): number {
  let count = 0;
  if (run.journal.isEmpty) return count;
  while (recall(run, count + 1)) count++;
  return count;
}

function recall(run: RunState, index: number): boolean {
  const key = `${run.id}/${index}`;
  const end = run.journal.iterationEnd(key);
  if (!end) return false;
  const iteration = new RunningIteration(run, index);
  const response = run.journal.response(key);
  if (response) {
    iteration.answered(response.content, response.usage, run.mode.read(response));
    iteration.code = run.mode.code?.(response);
    run.spend(response);
  }
  if (end.status.type === "reminded") run.reminded = true;
  iteration.end(end.status);
  return true;
}
