/** Iteration after iteration, until the run ends. What the log has finished already is not done again. */
import { HaftError } from "../base/errors.ts";
import { RunningIteration, runIteration } from "./iteration.ts";
import { abortedEnding, type Ending, type RunState } from "./run-state.ts";

export async function loop(run: RunState): Promise<Ending> {
  for (let index = recallFinished(run) + 1; index <= run.limit; index++) {
    if (run.abort.aborted) return abortedEnding(run);
    const ending = await runIteration(run, index);
    if (ending) return ending;
  }
  const error = new HaftError("ITERATIONS_EXCEEDED", `The run reached its limit of ${run.limit} iterations`, {
    hint: "Raise `iterations` (--max-iterations), and go on with the same log or session.",
  });
  return { status: "error", stopReason: "iterations", error };
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
