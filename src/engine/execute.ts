/** The public verb: start a run, to be awaited for its result and iterated for its events. */
import { newId } from "../base/ids.ts";
import type { ExecuteOptions, Rooms, Run } from "../core/execute.ts";
import type { Exit } from "../core/exit.ts";
import type { RunEvent } from "../core/log.ts";
import type { ExecuteResult, ExitOf } from "../core/result.ts";
import { finish, internal, recalledEnding } from "./finish.ts";
import { loop, recallFinished } from "./loop.ts";
import type { RunLog } from "./record.ts";
import { RunAbort } from "./run-abort.ts";
import { abortedEnding, type Ending, type RunState } from "./run-state.ts";
import { start } from "./start.ts";
import { Steering } from "./steering.ts";
import { checkOptions } from "./tools-at-start.ts";
import { Watchers } from "./watchers.ts";

export function createExecute(rooms: Rooms) {
  return function execute<const Exits extends readonly Exit<any, any>[] = readonly []>(
    options: ExecuteOptions<Exits>,
  ): Run<ExitOf<Exits>> {
    return new RunningRun(rooms, options as ExecuteOptions) as unknown as Run<ExitOf<Exits>>;
  };
}

class RunningRun implements Run {
  #id: string = newId("run");
  readonly #abort = new RunAbort();
  readonly #watchers = new Watchers();
  readonly #steering = new Steering();
  readonly #result: Promise<ExecuteResult>;
  #log: RunLog | undefined;

  constructor(rooms: Rooms, options: ExecuteOptions) {
    // A microtask later, so that whoever iterates at once sees everything.
    this.#result = Promise.resolve().then(() => this.#go(rooms, options));
  }

  async #go(rooms: Rooms, options: ExecuteOptions): Promise<ExecuteResult> {
    const unlink = this.#follow(options?.abortSignal);
    try {
      checkOptions(options);
      const run = await start({
        id: this.#id,
        options,
        rooms,
        steering: this.#steering,
        watchers: this.#watchers,
        abort: this.#abort,
        opened: (log) => {
          this.#log = log;
        },
      });
      this.#id = run.id;
      const result = await finish(run, await runToEnd(run));
      this.#watchers.end();
      return result;
    } catch (error) {
      this.#steering.end();
      this.#watchers.end(error);
      throw error;
    } finally {
      unlink();
    }
  }

  /** Known for certain once the run has begun: a run that goes on keeps its id. */
  get id(): string {
    return this.#id;
  }

  #follow(signal: AbortSignal | undefined): () => void {
    const abort = () => this.abort(signal!.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    return () => signal?.removeEventListener("abort", abort);
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
    return this.#watchers.attach(this.#log?.entries ?? []);
  }

  // biome-ignore lint/suspicious/noThenProperty: a Run is awaited for its result
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

async function runToEnd(run: RunState): Promise<Ending> {
  try {
    const { runEnd } = run.journal;
    if (!runEnd) return await loop(run);
    recallFinished(run);
    return recalledEnding(runEnd, Array.isArray(run.options.exits) ? run.options.exits : []);
  } catch (error) {
    if (run.abort.aborted) return abortedEnding(run);
    const failure = internal(error);
    return { status: "error", stopReason: failure.code.startsWith("MODEL_") ? "model" : "error", error: failure };
  }
}
