/** Iteration after iteration, until the run ends. What the log has finished already is not done again. */
import { HaftError } from "../base/errors.ts";
import { exitsOf } from "./context.ts";
import { abortedEnding, type Ending, recalledEnding } from "./ending.ts";
import { RunningIteration, runIteration } from "./iteration.ts";
import type { RunState } from "./run-state.ts";

export async function loop(run: RunState): Promise<Ending> {
  const finished = recallFinished(run);
  const ending = recalledLast(run, finished);
  if (ending) return ending;
  for (let index = finished + 1; index <= run.limit; index++) {
    if (run.abort.aborted) return abortedEnding(run.abort);
    const ending = await runIteration(run, index);
    if (ending) return ending;
  }
  const error = new HaftError("ITERATIONS_EXCEEDED", `The run reached its limit of ${run.limit} iterations`, {
    hint: "Raise `iterations` (--max-iterations). The session goes on with the next prompt.",
  });
  return { status: "error", stopReason: "iterations", error };
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
    run.spend(response);
  }
  if (end.status.type === "reminded") run.reminded = true;
  iteration.end(end.status);
  return true;
}
