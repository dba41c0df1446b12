/** Ends a call that is aborted or silent, even where a package ignores its signal while the socket is silent. */
import { TICK_MS, unwatch, type Watched, watch } from "../../base/watchdog.ts";
import type { AbortListener } from "../../core/context.ts";
import type { LazyController, RunAbort } from "../run-abort.ts";
import { BrokenAnswer, CallFault } from "./call-fault.ts";

export interface GuardSettings {
  /** Its signal is what the package was given. */
  controller: LazyController;
  abort: RunAbort;
  /** Milliseconds without any part of an answer that has begun. */
  idleMs: number;
}

/** Takes the parts of a stream. */
export interface Taker {
  take(part: any): void;
  readonly begun: boolean;
}

/** How much longer than `idleMs` a model may think before it says anything. */
const THINKING = 10;

export class Guard<Settings extends GuardSettings> implements Watched, AbortListener {
  /** Why the call was ended from outside. */
  reason: unknown;
  place: number | undefined;
  before: AbortListener | undefined;
  #seen = 0;
  #taker: Taker | undefined;
  #fail: ((reason: unknown) => void) | undefined;
  readonly #settings: Settings;
  #silentMs = 0;
  #seenBefore = 0;
  #checkedAt = Date.now();

  constructor(settings: Settings) {
    this.#settings = settings;
    settings.abort.add(this);
    watch(this);
  }

  /** What is read of the work's result, unless it is ended from outside first. Work that fails or is ended is hung up. */
  run<Given, T>(
    work: (settings: Settings, guard: this) => PromiseLike<Given>,
    read: (given: Given, settings: Settings) => T,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const failed = (error: unknown) => {
        this.#release();
        this.#settings.controller.abort(this.reason); // closes the connection: nobody wants the rest of the answer
        reject(this.reason ?? error); // packages wrap our own reason in errors of theirs
      };
      const done = (given: Given) => {
        try {
          resolve(read(given, this.#settings));
          this.#release();
        } catch (error) {
          failed(error);
        }
      };
      this.#fail = failed;
      try {
        work(this.#settings, this).then(done, failed);
      } catch (error) {
        failed(error);
      }
    });
  }

  /**
   * Gives every part of the stream to the taker. By hand: Promise.race would keep a reaction for every part.
   * Two reads wait at a time, which costs less than one after the other. The reader is never cancelled: after an abort
   * that raises, in some packages, a rejection that nobody can catch.
   */
  read(stream: ReadableStream<any>, taker: Taker): Promise<void> {
    if (this.reason !== undefined) return Promise.reject(this.reason); // ended before the stream came
    const reader = stream.getReader();
    this.#taker = taker;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const end = (error: unknown): void => {
        isOver = true;
        reject(error);
      };
      const received = ({ done, value }: { done: boolean; value?: any }): void => {
        if (isOver) return;
        if (done) {
          isOver = true;
          resolve();
          return;
        }
        this.#seen++;
        try {
          taker.take(value);
          reader.read().then(received, broken);
        } catch (error) {
          end(error);
        }
      };
      const broken = (error: unknown): void => end(new BrokenAnswer(error));

      this.#fail = end;
      reader.read().then(received, broken);
      reader.read().then(received, broken);
    });
  }

  #release(): void {
    this.#settings.abort.remove(this);
    unwatch(this);
  }

  handleEvent(): void {
    this.#end(this.#settings.abort.reason);
  }

  /** Counts the time in which this process could have heard something: not that of a blocked thread or a closed lid. */
  check(now: number): void {
    this.#silentMs =
      this.#seen === this.#seenBefore ? this.#silentMs + Math.min(now - this.#checkedAt, 2 * TICK_MS) : 0;
    this.#seenBefore = this.#seen;
    this.#checkedAt = now;
    const { idleMs } = this.#settings;
    const limit = this.#taker?.begun ? idleMs : idleMs * THINKING;
    if (this.#silentMs >= limit) this.#end(new CallFault("MODEL_SILENT", `nothing came for ${limit} ms`));
  }

  #end(reason: unknown): void {
    this.reason ??= reason ?? new Error("aborted");
    this.#fail?.(this.reason);
  }
}
