/** Lets a mode do what the model asked for: eight calls at a time, and nothing that a paused caller could catch. */

import { messageOf } from "../base/errors.ts";
import type { Exit } from "../core/exit.ts";
import { readExitValue } from "../core/exit-value.ts";
import type { EntryOf } from "../core/log.ts";
import type { CallResult, Hands, IterationContext, Outcome } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import { ThinkSignal } from "../core/signals.ts";
import { modelText } from "../core/tool-result.ts";
import { executeToolCall } from "./execute-tool-call.ts";
import { beforeExecution } from "./hook-calls.ts";
import type { RunningIteration } from "./iteration.ts";
import { readable } from "./logged-error.ts";
import type { RunState } from "./run-state.ts";
import type { Happened } from "./settle.ts";
import { skipCall } from "./unstarted-call.ts";
import { untilAbort } from "./until-abort.ts";

const MAX_PARALLEL = 8;

export async function act(
  run: RunState,
  iteration: RunningIteration,
  context: IterationContext,
  response: EntryOf<"model-response">,
): Promise<Happened> {
  iteration.context = context;
  if (response.finishReason === "content-filter" || response.finishReason === "length")
    return { type: "cut", reason: response.finishReason };
  const refused = run.hooks.onBeforeExecution && (await beforeExecution(run, iteration));
  if (refused) return refused;
  if (run.abort.aborted) return { type: "aborted" };

  if (iteration.calls.length === 0)
    return { type: "acted", outcome: await run.mode.act(response, context, noHands), left: undefined };
  const batch = new Batch(run, iteration, context);
  return batch.run(() => run.mode.act(response, context, batch));
}

/** Nothing was asked for: there is nothing to stop either. */
const noHands: Hands = {
  invoke: ({ name }) => Promise.reject(new Error(`a mode called "${name}" that it did not read`)),
  leave: ({ name }) => Promise.reject(new Error(`a mode left by "${name}" that it did not read`)),
};

class Batch implements Hands {
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
  #onStop: (() => void) | undefined;
  #onIdle: (() => void) | undefined;

  constructor(run: RunState, iteration: RunningIteration, context: IterationContext) {
    this.#run = run;
    this.#iteration = iteration;
    this.#context = context;
    this.#assigns = run.assigns; // one snapshot for the whole batch
  }

  async run(work: () => Promise<Outcome>): Promise<Happened> {
    const { steering, abort } = this.#run;
    const onAbort = () => this.#stop({ type: "aborted" }, "the run was aborted");
    const onSteer = () => this.#skipRest("a new message of the user came first");
    abort.add(onAbort);
    steering.onSteer = onSteer;
    if (steering.waiting) onSteer();
    try {
      const outcome = await this.#unlessStopped(work());
      if (outcome && this.#open > 0) await this.#unlessStopped(this.#idle()); // calls nobody waited for belong to the batch
      if (outcome && !this.#stopped) return { type: "acted", outcome, left: this.#left };
      await this.#finishCalls();
      return { ...this.#stopped!, keys: this.#keys, skip: this.#skip } as Happened;
    } finally {
      abort.remove(onAbort);
      steering.onSteer = undefined;
    }
  }

  invoke(asked: AskedCall): Promise<CallResult> {
    const callId = `${this.#iteration.id}/${++this.#count}`;
    this.#keys ??= new Map();
    this.#keys.set(asked.id, callId);
    this.#open++;
    return new Promise((answer) => void this.#perform(callId, asked, answer));
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

  /** Without an answer the caller waits for ever, and cannot catch it. */
  async #perform(callId: string, asked: AskedCall, answer: (result: CallResult) => void): Promise<void> {
    if (this.#running < MAX_PARALLEL) this.#running++;
    else await this.#turn();
    try {
      const result = await this.#make(callId, asked);
      if (result) answer(result);
    } catch (error) {
      this.#stop({ type: "failed", error }, "the run failed");
    } finally {
      const next = this.#waiting?.shift();
      if (next) next();
      else this.#running--;
      if (--this.#open === 0) this.#onIdle?.();
    }
  }

  async #make(callId: string, asked: AskedCall): Promise<CallResult | undefined> {
    if (this.#stopped && this.#stopped.type !== "thinking") return undefined;
    if (this.#skip && !this.#hasBegun(callId)) return skipCall(this.#run, this.#iteration, callId, asked, this.#skip);
    const done = await executeToolCall(this.#run, this.#iteration, this.#context.tools, callId, asked, this.#assigns);
    if (done.type === "result") return done.result;
    if (done.type === "paused") this.#stop({ type: "paused" }, "another call waits for a decision");
    else this.#stop({ type: "thinking", reason: done.reason }, `another call asked to think again (${done.reason})`);
    return undefined;
  }

  /** Started in an earlier process, or decided: it is too late to skip it. What nobody decided about can be. */
  #hasBegun(callId: string): boolean {
    const past = this.#run.journal.call(callId);
    return past !== undefined && (past.attempts > 0 || past.decision !== undefined);
  }

  /** Until a call that ends gives its place. */
  #turn(): Promise<void> {
    this.#waiting ??= [];
    return new Promise((resolve) => this.#waiting!.push(resolve));
  }

  #stop(happened: Happened, skip: string): void {
    if (rank(happened) > rank(this.#stopped)) this.#stopped = happened;
    this.#skipRest(skip);
    this.#onStop?.();
  }

  #skipRest(reason: string): void {
    this.#skip ??= reason;
  }

  /** What the work gives, or nothing when the batch is stopped before. */
  #unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const onStop = () => resolve(undefined);
      this.#onStop = onStop;
      if (this.#stopped) resolve(undefined);
      work.then(resolve, (error) => this.#stop({ type: "failed", error }, "the run failed"));
    });
  }

  /** Resolves when no call is open. */
  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      if (this.#open === 0) resolve();
    });
  }

  /** Those in flight finish and are recorded; after an abort they have a moment. */
  async #finishCalls(): Promise<void> {
    const { abort } = this.#run;
    await untilAbort(abort, this.#idle()).catch(() => {});
    if (abort.aborted) this.#stop({ type: "aborted" }, "the run was aborted");
  }
}

/** Several things may stop a batch at once: the strongest counts. */
function rank(happened: Happened | undefined): number {
  return ["thinking", "paused", "aborted", "failed"].indexOf(happened?.type ?? "");
}
