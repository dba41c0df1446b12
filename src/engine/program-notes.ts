/** What the mode of programs reads of a run's log, and writes to it. */
import type { AbortSource } from "../core/context.ts";
import type { EntryBody } from "../core/log.ts";
import type { PastProgram, ProgramHands } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import type { RunningIteration } from "./iteration.ts";
import { readPrograms } from "./past-programs.ts";
import type { RunState } from "./run-state.ts";

type Program = Parameters<ProgramHands["begin"]>[0];
type ProgramEnd = Parameters<ProgramHands["ended"]>[0];

interface BatchOfProgram {
  readonly isStopped: boolean;
  abandon(call: AskedCall): void;
}

export class ProgramNotes implements ProgramHands {
  readonly #run: RunState;
  readonly #iteration: RunningIteration;
  readonly #batch: BatchOfProgram;
  #startedAt = 0;

  constructor(run: RunState, iteration: RunningIteration, batch: BatchOfProgram) {
    this.#run = run;
    this.#iteration = iteration;
    this.#batch = batch;
  }

  /** As it is written: a replay has no other. */
  get replaced(): string | undefined {
    return this.#run.log.redacted(this.#iteration.replaced);
  }

  get abort(): AbortSource {
    return this.#run.abort;
  }

  past(): { earlier: readonly PastProgram[]; current: PastProgram | undefined } {
    const { id, index } = this.#iteration;
    const isFirst = index === 1 && !this.#run.journal.hasPrograms && this.#startedAt === 0;
    if (isFirst) return { earlier: [], current: undefined };
    const programs = readPrograms(this.#run.id, this.#run.log);
    const current = programs.get(id);
    programs.delete(id);
    return { earlier: [...programs.values()], current };
  }

  begin(program: Program): number {
    this.#startedAt = Date.now();
    const isReplaced = this.replaced === undefined ? undefined : { isReplaced: true as const };
    return this.#record({ type: "program-start", ...program, ...isReplaced }).at;
  }

  /** Not before what the log has before it: the end of a call is told when it is written. */
  async fired(timer: number): Promise<{ at: number; seq: number }> {
    const entry = this.#record({ type: "timer", timer });
    await this.#run.log.durable();
    return entry;
  }

  /** Of a program that goes on here, the time is that of this process. */
  ended({ status, calls, error }: ProgramEnd): boolean {
    if (this.#batch.isStopped) return false;
    const durationMs = this.#startedAt === 0 ? 0 : Date.now() - this.#startedAt;
    this.#record({ type: "program-end", status, calls, durationMs, ...(error && { error }) });
    return true;
  }

  abandon(call: AskedCall): void {
    this.#batch.abandon(call);
  }

  #record(body: EntryBody): { at: number; seq: number } {
    return this.#run.log.record(this.#iteration.id, body);
  }
}
