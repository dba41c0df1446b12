/** One request to one model: whole when nobody watches, streamed when somebody does. */
import { watch } from "../../base/watchdog.ts";
import type { LanguageModel, ModelTraits } from "../../core/model.ts";
import { type Answer, Collector, wholeAnswer } from "./collect.ts";
import { CallFault } from "./failure.ts";

/** Somebody who sees the answer grow. */
export interface Listener {
  text(delta: string): void;
  reasoning(delta: string): void;
  toolInput(id: string, name: string, delta: string): void;
}

export interface CallSettings {
  model: LanguageModel;
  traits: ModelTraits;
  /** The spec's call options, without `abortSignal`. */
  options: Record<string, unknown>;
  /** Given to the provider package; aborted when the call is ended from outside. */
  controller: AbortController;
  /** Calls back when the run is aborted, until the returned function is called. */
  onAbort(listener: (reason: unknown) => void): () => void;
  /** Milliseconds without any part of the answer; ten times that for an answer that comes whole. */
  idleMs: number;
  listener?: Listener;
}

/** @throws the reason of the abort, a CallFault, or whatever the provider package throws */
export async function callModel(settings: CallSettings): Promise<Answer> {
  const { model, idleMs, listener } = settings;
  const options = { ...settings.options, abortSignal: settings.controller.signal };
  const guard = new Guard(settings, listener ? idleMs : idleMs * 10);
  try {
    if (!listener) return wholeAnswer(await guard.race(model.doGenerate(options)), settings.traits);
    const { stream } = await guard.race(model.doStream(options));
    const collector = new Collector();
    await guard.read(stream.getReader(), (part) => receive(part, collector, listener));
    return collector.answer(settings.traits);
  } catch (error) {
    throw guard.reason ?? error; // packages wrap our own reason in errors of theirs
  } finally {
    guard.release();
  }
}

function receive(part: any, collector: Collector, listener: Listener): void {
  switch (part.type) {
    case "text-delta":
      collector.grow("text", part);
      if (part.delta !== "") listener.text(part.delta);
      return;
    case "reasoning-delta":
      collector.grow("reasoning", part);
      if (part.delta !== "") listener.reasoning(part.delta);
      return;
    case "tool-input-start":
      listener.toolInput(part.id, part.toolName, "");
      return;
    case "tool-input-delta":
      listener.toolInput(part.id, "", part.delta);
      return;
    default:
      collector.take(part);
  }
}

/**
 * Ends a call that is aborted or silent, even where a package ignores its signal while the socket is silent.
 * The reader is never cancelled after that: in some packages that raises a rejection nobody can catch.
 */
class Guard {
  /** Why the call was ended from outside. */
  reason: unknown;
  #seen = 0;
  #fail: ((reason: unknown) => void) | undefined;
  readonly #controller: AbortController;
  readonly #releases: (() => void)[];

  constructor({ controller, onAbort }: CallSettings, idleMs: number) {
    this.#controller = controller;
    this.#releases = [onAbort((reason) => this.#end(reason)), this.#watchSilence(idleMs)];
  }

  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      if (this.reason !== undefined) reject(this.reason);
      work.then(resolve, reject);
    });
  }

  /** Hand-written, without Promise.race: a reaction kept for every part would outlive it. */
  read(reader: ReadableStreamDefaultReader<any>, onPart: (part: any) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      if (this.reason !== undefined) return reject(this.reason);
      const next = (): void => {
        reader.read().then(received, reject);
      };
      const received = ({ done, value }: { done: boolean; value?: any }): void => {
        if (done) return resolve();
        this.#seen++;
        try {
          onPart(value);
        } catch (error) {
          return reject(error);
        }
        next();
      };
      next();
    });
  }

  release(): void {
    for (const release of this.#releases) release();
  }

  #watchSilence(idleMs: number): () => void {
    let seen = 0;
    let since = Date.now();
    return watch((now) => {
      if (this.#seen !== seen) {
        seen = this.#seen;
        since = now;
      } else if (now - since >= idleMs) this.#end(new CallFault("MODEL_SILENT", `no data for ${idleMs} ms`));
    });
  }

  #end(reason: unknown): void {
    this.reason ??= reason ?? new Error("aborted");
    this.#controller.abort(this.reason);
    this.#fail?.(this.reason);
  }
}
