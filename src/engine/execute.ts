/** The public verb: start a run, to be awaited for its result and iterated for its events. */
import { setMaxListeners } from "node:events";
import { HaftError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { runHost } from "../core/context.ts";
import type { ExecuteOptions, HostedOptions, Rooms, Run, RunHost } from "../core/execute.ts";
import type { Exit } from "../core/exit.ts";
import type { EntryOf, RunEvent } from "../core/log.ts";
import type { ExecuteResult, ExitOf } from "../core/result.ts";
import { checkOptions } from "./check-options.ts";
import { exitsOf } from "./context.ts";
import { abortedEnding, type Ending, type ErrorEnding, failedEnding, recalledEnding } from "./ending.ts";
import { closeRooms, finish } from "./finish.ts";
import { loop, recallFinished } from "./loop.ts";
import { emptyResult } from "./make-result.ts";
import { type Prepared, prepare } from "./prepare.ts";
import type { Recorder } from "./record.ts";
import { RunAbort } from "./run-abort.ts";
import { runAround } from "./run-inside.ts";
import { RunState } from "./run-state.ts";
import { start } from "./start.ts";
import { Steering } from "./steering.ts";
import { untilAbort } from "./until-abort.ts";
import { Watchers } from "./watchers.ts";

/** An abort ends a run in good order within half of this; whatever hangs beyond that is left behind. */
const LONGEST_ABORT_MS = 800;

export function createExecute(rooms: Rooms) {
  return function execute<const Exits extends readonly Exit<any, any>[] = readonly []>(
    options: ExecuteOptions<Exits>,
  ): Run<ExitOf<Exits>> {
    return new RunningRun(rooms, options as ExecuteOptions) as unknown as Run<ExitOf<Exits>>;
  };
}

/** A run begins a moment later than it is made, so that whoever iterates at once sees everything. */
const soon = Promise.resolve();

/** A run, or what ended it before it began. */
type Opened = RunState | ErrorEnding;

class RunningRun implements Run {
  #id: string = newId("run");
  readonly #abort = new RunAbort();
  readonly #watchers = new Watchers();
  readonly #steering = new Steering();
  readonly #result: Promise<ExecuteResult>;
  #log: Recorder | undefined;
  /** Ends the following of the caller's signal. */
  #unlink: (() => void) | undefined;

  constructor(rooms: Rooms, options: ExecuteOptions) {
    const around = runAround(options);
    if (around) {
      this.#id = around.id;
      this.#watchers.around = around.watchers;
    }
    this.#result = soon.then(() => this.#go(rooms, options));
  }

  #go(rooms: Rooms, options: ExecuteOptions): ExecuteResult | Promise<ExecuteResult> {
    try {
      checkOptions(options);
      if (options.abortSignal) this.#follow(options.abortSignal);
      const host = (options as HostedOptions)[runHost];
      if (host) return this.#hosted(host, options, rooms).catch((error) => this.#broken(error));
      const opened = this.#start(options, rooms);
      if (opened instanceof Promise) return opened.then((run) => this.#run(run)).catch((error) => this.#broken(error));
      return this.#run(opened);
    } catch (error) {
      return this.#broken(error);
    }
  }

  /** Begins in turn, and is over when the turn is given back. */
  async #hosted(host: RunHost, options: ExecuteOptions, rooms: Rooms): Promise<ExecuteResult> {
    let given: ExecuteOptions;
    try {
      given = await host.enter(this.#abort);
    } catch (error) {
      if (HaftError.is(error, "OPTIONS_INVALID")) throw error;
      return this.#run(this.#failed(error));
    }
    try {
      return await this.#run(await this.#start({ ...options, ...given }, rooms));
    } finally {
      await host.leave();
    }
  }

  #run(run: Opened): ExecuteResult | Promise<ExecuteResult> {
    if (!(run instanceof RunState)) return this.#ended(emptyResult(this.#id, run));
    return toEnd(run).then(
      (ending) => this.#finish(run, ending),
      (error) => this.#finish(run, run.abort.aborted ? abortedEnding(run.abort) : failedEnding(error)),
    );
  }

  #finish(run: RunState, ending: Ending): Promise<ExecuteResult> {
    return finish(run, ending).then((result) => this.#ended(result));
  }

  #ended(result: ExecuteResult): ExecuteResult {
    this.#over();
    return result;
  }

  /** @throws what was thrown */
  #broken(error: unknown): never {
    this.#over(error);
    throw error;
  }

  #over(error?: unknown): void {
    this.#steering.end();
    this.#watchers.end(error);
    this.#unlink?.();
  }

  /** At once where nothing is to be waited for. */
  #start(options: ExecuteOptions, rooms: Rooms): Opened | Promise<Opened> {
    const prepared = this.#prepare(options, rooms);
    return prepared instanceof Promise ? prepared.then((ready) => this.#open(ready)) : this.#open(prepared);
  }

  /** Gives what ends the run instead, when it is aborted meanwhile. */
  #prepare(options: ExecuteOptions, rooms: Rooms): Prepared | Promise<Prepared | ErrorEnding> {
    const prepared = prepare(options, rooms, this.#abort);
    if (!(prepared instanceof Promise)) return prepared;
    return untilAbort(this.#abort, prepared).catch((error) => {
      const isByAbort = error === this.#abort.reason || HaftError.is(error, "SECRET_FAILED");
      if (this.#abort.aborted && isByAbort) return abortedEnding(this.#abort);
      throw error;
    });
  }

  /** What cannot be opened, or not before an abort, ends the run before it began. */
  #open(prepared: Prepared | ErrorEnding): Opened | Promise<Opened> {
    if ("status" in prepared) return prepared;
    try {
      const opened = (log: Recorder) => {
        this.#log = log;
      };
      const run = start(prepared, {
        id: this.#id,
        steering: this.#steering,
        watchers: this.#watchers,
        abort: this.#abort,
        opened,
      });
      return run instanceof Promise ? this.#wait(run) : this.#begin(run);
    } catch (error) {
      return this.#failed(error);
    }
  }

  #wait(opening: Promise<RunState>): Promise<Opened> {
    return untilAbort(this.#abort, opening).then(
      (run) => this.#begin(run),
      (error) => {
        opening.then(closeRooms, () => {}); // what is opened too late is closed again
        return this.#failed(error);
      },
    );
  }

  #begin(run: RunState): RunState {
    this.#id = run.id;
    return run;
  }

  #failed(error: unknown): ErrorEnding {
    return this.#abort.aborted ? abortedEnding(this.#abort) : failedEnding(error);
  }

  /** Known for certain once the run has begun: a run that goes on keeps its id. */
  get id(): string {
    return this.#id;
  }

  #follow(signal: AbortSignal): void {
    const abort = () => this.abort(signal.reason);
    if (signal.aborted) abort();
    setMaxListeners(0, signal); // one signal may end a thousand runs; each takes its listener back
    signal.addEventListener("abort", abort, { once: true });
    const unlink = () => signal.removeEventListener("abort", abort);
    this.#unlink = unlink;
  }

  steer(message: string): boolean {
    return this.#steering.steer(message);
  }

  followUp(message: string): boolean {
    return this.#steering.followUp(message);
  }

  abort(reason?: unknown): void {
    this.#abort.abort(reason);
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    this.#result.catch(() => {}); // the iterator tells of it
    return this.#watchers.attach(this.#log?.told ?? []);
  }

  then<A = ExecuteResult, B = never>(
    onResult?: ((result: ExecuteResult) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(onResult, onError);
  }

  catch<T = never>(onError: (reason: unknown) => T | PromiseLike<T>): Promise<ExecuteResult | T> {
    return this.#result.catch(onError);
  }

  finally(onFinally: () => void): Promise<ExecuteResult> {
    return this.#result.finally(onFinally);
  }
}

function toEnd(run: RunState): Promise<Ending> {
  const { runEnd } = run.journal;
  return untilAbort(run.abort, runEnd ? recall(run, runEnd) : loop(run), LONGEST_ABORT_MS);
}

async function recall(run: RunState, end: EntryOf<"run-end">): Promise<Ending> {
  recallFinished(run);
  return recalledEnding(end, exitsOf(run));
}
