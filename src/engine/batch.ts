/** The calls of one answer: eight at a time, and none of them returns to a caller that it paused. */
import { messageOf } from "../base/errors.ts";
import type { AbortListener } from "../core/context.ts";
import type { Exit } from "../core/exit.ts";
import { readExitValue } from "../core/exit-value.ts";
import type { CallResult, Hands, IterationContext, Outcome } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import { ThinkSignal } from "../core/signals.ts";
import { modelText } from "../core/tool-result.ts";
import type { Done } from "./call.ts";
import { executeToolCall } from "./execute-tool-call.ts";
import type { RunningIteration } from "./iteration.ts";
import { readable } from "./logged-error.ts";
import type { RunState } from "./run-state.ts";
import type { Happened } from "./settle.ts";
import { skipCall } from "./unstarted-call.ts";
import { GRACE_MS } from "./until-abort.ts";

const MAX_PARALLEL = 8;

/** A mode works with these hands. The batch ends when the work and every call are over, or when it is stopped. */
export class Batch implements Hands, AbortListener {
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
    if (steering.waiting) onSteer();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#begin(work);
    });
  }

  /** The run is aborted. */
  handleEvent(): void {
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

  invoke(asked: AskedCall): Promise<CallResult> {
    const callId = `${this.#iteration.id}/${++this.#count}`;
    this.#keys ??= new Map();
    this.#keys.set(asked.id, callId);
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
    if (this.#skip) return { ok: false, message: `Exit "${exit.name}" was not taken: ${this.#skip}` };
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

  #perform(callId: string, asked: AskedCall, answer: (result: CallResult) => void): void {
    this.#make(callId, asked).then(
      (done) => this.#over(done, answer),
      (error) => {
        this.#stop({ type: "failed", error }, "the run failed");
        this.#over(undefined, answer);
      },
    );
  }

  /** Without an answer the caller waits for ever, and cannot catch it. */
  #over(done: Done | undefined, answer: (result: CallResult) => void): void {
    if (done?.type === "result") answer(done.result);
    else if (done) this.#stopFor(done);
    this.#open--;
    const next = this.#waiting?.shift();
    if (next) next();
    else this.#running--;
    this.#check();
  }

  #make(callId: string, asked: AskedCall): Promise<Done | undefined> {
    if (this.#stopped && this.#stopped.type !== "thinking") return Promise.resolve(undefined);
    if (this.#skip && !this.#hasBegun(callId)) return skipCall(this.#run, this.#iteration, callId, asked, this.#skip);
    return executeToolCall(this.#run, this.#iteration, this.#context.tools, callId, asked, this.#assigns);
  }

  /** Started in an earlier process, or decided: it is too late to skip it. What nobody decided about can be. */
  #hasBegun(callId: string): boolean {
    const past = this.#run.journal.call(callId);
    return past !== undefined && (past.attempts > 0 || past.decision !== undefined);
  }

  #stopFor(done: Exclude<Done, { type: "result" }>): void {
    if (done.type === "paused") this.#stop({ type: "paused" }, "another call waits for a decision");
    else this.#stop({ type: "thinking", reason: done.reason }, `another call asked to think again (${done.reason})`);
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

/** Several things may stop a batch at once: the strongest counts. */
function rank(happened: Happened | undefined): number {
  return ["thinking", "paused", "aborted", "failed"].indexOf(happened?.type ?? "");
}
