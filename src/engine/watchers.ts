/** Those who watch a run: each has its own queue, and `break` detaches it. */
import type { RunEvent } from "../core/log.ts";

const nobody: readonly Watcher[] = [];

export class Watchers {
  /** Replaced, never changed: who comes or goes while an event is told does not disturb it. */
  #open: readonly Watcher[] = nobody;
  #ended: { error?: unknown } | undefined;
  /** Set where the run is inside a call: those who watch the run around see all of it. */
  declare around: Watchers | undefined;

  /** Somebody looks at deltas. */
  get any(): boolean {
    return this.#open.length > 0 || this.around?.any === true;
  }

  /** A new watcher, which is told of these events first. */
  attach(past: readonly RunEvent[]): AsyncIterableIterator<RunEvent> {
    const watcher = new Watcher(past, () => {
      this.#open = this.#open.filter((one) => one !== watcher);
    });
    if (this.#ended) watcher.end(this.#ended.error);
    else this.#open = [...this.#open, watcher];
    return watcher;
  }

  tell(event: RunEvent): void {
    const open = this.#open;
    for (let index = 0; index < open.length; index++) open[index]!.push(event);
  }

  end(error?: unknown): void {
    this.#ended = { error };
    for (const watcher of this.#open) watcher.end(error);
    this.#open = [];
  }
}

type Result = IteratorResult<RunEvent, undefined>;

const done: Result = { done: true, value: undefined };

/** A queue that is never empty is freed of what was read, once that is so much and half of it. */
const MOST_READ = 1024;

class Watcher implements AsyncIterableIterator<RunEvent> {
  #queue: RunEvent[];
  #next = 0;
  /** Of the promise that a reader waits for. */
  #resolve: ((result: Result) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #waiting: Promise<Result> | undefined;
  #isOver = false;
  #error: unknown;
  readonly #detach: () => void;

  constructor(past: readonly RunEvent[], detach: () => void) {
    this.#queue = past.slice();
    this.#detach = detach;
  }

  push(event: RunEvent): void {
    const resolve = this.#resolve;
    if (!resolve) {
      this.#queue.push(event);
      return;
    }
    this.#resolve = undefined;
    resolve({ done: false, value: event });
  }

  end(error: unknown): void {
    this.#isOver = true;
    this.#error = error;
    if (!this.#resolve) return;
    if (error === undefined) this.#resolve(done);
    else this.#reject!(error);
    this.#resolve = undefined;
  }

  next(): Promise<Result> {
    if (this.#resolve) return this.#waiting!.then(() => this.next()); // asked again before it was answered
    if (this.#next < this.#queue.length) return Promise.resolve({ done: false, value: this.#take() });
    if (this.#isOver) return this.#error === undefined ? Promise.resolve(done) : Promise.reject(this.#error);
    this.#waiting = new Promise(this.#wait);
    return this.#waiting;
  }

  async return(): Promise<Result> {
    this.#detach();
    this.#queue = [];
    this.#next = 0;
    this.end(undefined);
    return done;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #wait = (resolve: (result: Result) => void, reject: (error: unknown) => void): void => {
    this.#resolve = resolve;
    this.#reject = reject;
  };

  #take(): RunEvent {
    const event = this.#queue[this.#next++]!;
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    } else if (this.#next >= MOST_READ && this.#next * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#next);
      this.#next = 0;
    }
    return event;
  }
}
