/** The calls of one answer: eight at a time, and none of them returns to a caller that it paused. */
import { HaftError, messageOf } from "../base/errors.ts";
import type { AbortListener } from "../core/context.ts";
import type { Exit } from "../core/exit.ts";
import { readExitValue } from "../core/exit-value.ts";
import type { CallResult, Hands, IterationContext, Outcome, ProgramHands } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import type { ProgramWrite, WriteAnswer } from "../core/program.ts";
import { ThinkSignal } from "../core/signals.ts";
import { modelText } from "../core/tool-result.ts";
import { type Done, withoutSecrets } from "./call.ts";
import { executeToolCall } from "./execute-tool-call.ts";
import type { RunningIteration } from "./iteration.ts";
import { readable } from "./logged-error.ts";
import { RunAbort } from "./run-abort.ts";
import type { RunState } from "./run-state.ts";
import type { Happened } from "./settle.ts";
import { noteAbandoned, skipCall } from "./unstarted-call.ts";
import { GRACE_MS } from "./until-abort.ts";

const MAX_PARALLEL = 8;

/** A mode works with these hands. The batch ends when the work and every call are over, or when it is stopped. */
export class Batch implements Hands, AbortListener {
  /** Set where a program runs. */
  declare program: ProgramHands;
  before: AbortListener | undefined;
  readonly #run: RunState;
  readonly #iteration: RunningIteration;
  readonly #context: IterationContext;
  readonly #assigns: Record<string, unknown>;
  /** Our keys of the calls, by the provider's id. */
  #keys: Map<string, string> | undefined;
  #count = 0;
  /** Calls that are not over, and those of them that have begun. */
  #open = 0;
  #running = 0;
  #waiting: (() => void)[] | undefined;
  /** Why calls that have not started are skipped. */
  #skip: string | undefined;
  #stopped: Happened | undefined;
  #left: { exit: Exit; value: unknown } | undefined;
  #outcome: Outcome | undefined;
  /** Of calls that a program made: each can be aborted alone. */
  #aborts: Map<string, RunAbort> | undefined;
  #resolve: ((happened: Happened) => void) | undefined;
  /** Since an abort: calls in flight have a moment. */
  #grace: ReturnType<typeof setTimeout> | undefined;

  constructor(run: RunState, iteration: RunningIteration, context: IterationContext) {
    this.#run = run;
    this.#iteration = iteration;
    this.#context = context;
    this.#assigns = run.assigns; // one snapshot for the whole batch
  }

  run(work: () => Outcome | Promise<Outcome>): Promise<Happened> {
    const { steering, abort } = this.#run;
    const onSteer = () => this.#skipRest("a new message of the user came first");
    abort.add(this);
    steering.onSteer = onSteer;
    if (steering.isUrgent) onSteer();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#begin(work);
    });
  }

  /** The run is aborted. */
  handleEvent(): void {
    for (const call of this.#aborts?.values() ?? []) call.abort(this.#run.abort.reason);
    this.#stop({ type: "aborted" }, "the run was aborted");
  }

  async #begin(work: () => Outcome | Promise<Outcome>): Promise<void> {
    try {
      this.#outcome = await work();
      this.#check();
    } catch (error) {
      this.#stop({ type: "failed", error }, "the run failed");
    }
  }

  /** Calls that nobody waited for belong to the batch; those in flight finish and are recorded, also when it is stopped. */
  #check(): void {
    if (this.#open > 0) return;
    if (this.#stopped) this.#stopNow();
    else if (this.#outcome) this.#end({ type: "acted", outcome: this.#outcome, left: this.#left });
  }

  #stopNow(): void {
    this.#end({ ...this.#stopped!, keys: this.#keys, skip: this.#skip } as Happened);
  }

  #end(happened: Happened): void {
    if (!this.#resolve) return;
    if (this.#grace) clearTimeout(this.#grace);
    this.#run.abort.remove(this);
    this.#run.steering.onSteer = undefined;
    this.#resolve(happened);
    this.#resolve = undefined;
  }

  invoke(given: AskedCall): Promise<CallResult> {
    const asked = given.number === undefined ? given : withoutSecrets(this.#run, given);
    const callId = this.#keyOf(asked);
    this.#open++;
    return new Promise((answer) => {
      if (this.#running < MAX_PARALLEL) {
        this.#running++;
        this.#perform(callId, asked, answer);
      } else {
        this.#waiting ??= [];
        this.#waiting.push(() => this.#perform(callId, asked, answer));
      }
    });
  }

  async leave(exit: Exit, sent: Record<string, unknown>): Promise<{ ok: true } | { ok: false; message: string }> {
    if (this.#left) return { ok: false, message: `The run is already leaving by "${this.#left.exit.name}"` };
    const obstacle = this.#run.budget?.refused?.message ?? this.#skip;
    if (obstacle) return { ok: false, message: `Exit "${exit.name}" was not taken: ${obstacle}` };
    const reading = await readExitValue(exit, sent);
    if (!reading.ok) return { ok: false, message: reading.message };
    try {
      await this.#run.hooks.onExit?.({ exit, result: reading.value }, this.#run.controller);
    } catch (thrown) {
      const error = readable(thrown);
      if (ThinkSignal.is(error)) return { ok: false, message: modelText(error.context ?? error.reason) };
      return { ok: false, message: `Exit "${exit.name}" was refused: ${messageOf(error)}` };
    }
    this.#left = { exit, value: reading.value };
    return { ok: true };
  }

  write(write: ProgramWrite & { number: number; earlier?: string }): WriteAnswer | Promise<WriteAnswer> {
    const { objects } = this.#run;
    if (!objects) return { ok: false, message: "This run has no objects" };
    const fail = (error: unknown) => {
      this.#stop({ type: "failed", error }, "the run failed");
      throw error;
    };
    try {
      const answer = objects.write(this.#iteration.id, this.#context.objects, write);
      return answer instanceof Promise ? answer.catch(fail) : answer;
    } catch (error) {
      return fail(error);
    }
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  #keyOf({ id, number }: AskedCall): string {
    if (number !== undefined) return `${this.#iteration.id}/${number}`;
    const callId = `${this.#iteration.id}/${++this.#count}`;
    this.#keys ??= new Map();
    this.#keys.set(id, callId);
    return callId;
  }

  #perform(callId: string, asked: AskedCall, answer: (result: CallResult) => void): void {
    this.#make(callId, asked).then(
      (done) => this.#over(callId, this.#wanted(callId, asked, done), answer),
      (error) => {
        this.#stop({ type: "failed", error }, "the run failed");
        this.#over(callId, undefined, answer);
      },
    );
  }

  /** Where its program has ended, nobody needs what it asks for. */
  #wanted(callId: string, asked: AskedCall, done: Done | undefined): Done | undefined {
    if (this.#run.abort.aborted || !this.#aborts?.get(callId)?.aborted) return done;
    if (done?.type === "paused") noteAbandoned(this.#run, callId, asked);
    return undefined;
  }

  /** Without an answer the caller waits for ever, and cannot catch it. Once the batch is stopped nobody gets one. */
  #over(callId: string, done: Done | undefined, answer: (result: CallResult) => void): void {
    if (done && done.type !== "result") this.#stopFor(done);
    else if (done && !this.#stopped) answer(done.result);
    this.#open--;
    this.#aborts?.delete(callId);
    const next = this.#waiting?.shift();
    if (next) next();
    else this.#running--;
    this.#check();
  }

  #make(callId: string, asked: AskedCall): Promise<Done | undefined> {
    // A program that is stopped goes no further: what it still asks for was never asked.
    const isOver = this.#stopped && (this.#stopped.type !== "thinking" || asked.number !== undefined);
    if (isOver) return Promise.resolve(undefined);
    if (this.#skip && !this.#hasBegun(callId)) return skipCall(this.#run, this.#iteration, callId, asked, this.#skip);
    const abort = asked.number === undefined ? undefined : this.#abortOf(callId);
    if (abort?.aborted) return Promise.resolve(undefined);
    return executeToolCall(this.#run, this.#iteration, this.#context.tools, callId, asked, this.#assigns, abort);
  }

  #abortOf(callId: string): RunAbort {
    this.#aborts ??= new Map();
    const abort = this.#aborts.get(callId) ?? new RunAbort();
    this.#aborts.set(callId, abort);
    return abort;
  }

  /** One that runs ends by its abort; one that waits for its turn is never made; one of an earlier process is noted as over. */
  abandon(asked: AskedCall): void {
    const callId = this.#keyOf(asked);
    const wasInvoked = this.#aborts?.has(callId);
    this.#abortOf(callId).abort(new HaftError("ABORTED", "The program ended without waiting for this call"));
    if (wasInvoked) return;
    const past = this.#run.journal.call(callId);
    if (past?.call && !past.end) noteAbandoned(this.#run, callId, past.call);
  }

  /** Started in an earlier process, or decided: it is too late to skip it. What nobody decided about can be. */
  #hasBegun(callId: string): boolean {
    const past = this.#run.journal.call(callId);
    return past !== undefined && (past.attempts > 0 || past.decision !== undefined);
  }

  #stopFor(done: Exclude<Done, { type: "result" }>): void {
    if (done.type === "paused") this.#stop({ type: "paused" }, "another call waits for a decision");
    else this.#stop({ ...done }, thinkAgain(done));
  }

  #stop(happened: Happened, skip: string): void {
    if (rank(happened) > rank(this.#stopped)) this.#stopped = happened;
    this.#skipRest(skip);
    if (this.#resolve && this.#run.abort.aborted) this.#grace ??= setTimeout(() => this.#stopNow(), GRACE_MS);
    this.#check();
  }

  #skipRest(reason: string): void {
    this.#skip ??= reason;
  }
}

/** Where the model reads the signal's own words beside, its reason is for the log alone. */
function thinkAgain({ reason, context }: Extract<Done, { type: "thinking" }>): string {
  return `another call asked to think again${context === undefined ? ` (${reason})` : ""}`;
}

/** Several things may stop a batch at once: the strongest counts. */
function rank(happened: Happened | undefined): number {
  return ["thinking", "paused", "aborted", "failed"].indexOf(happened?.type ?? "");
}
