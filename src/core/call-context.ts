/** The context object of one call. Costly parts (the abort signal, the sandbox) are made when they are read. */
import { HaftError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { type AbortSource, type CallChannel, channel, type Logger, type ToolContext } from "./context.ts";
import type { SandboxAccess } from "./sandbox.ts";
import type { Secrets } from "./secrets.ts";

export interface CallSettings extends Partial<Omit<ToolContext, "sandbox">> {
  sandbox?: SandboxAccess;
  channel?: CallChannel;
}

/** Where a spread copy keeps the context that it was made of. */
const origin: unique symbol = Symbol.for("haft.origin");

/**
 * There is one for the call, which `execute` is given, and one for each attempt, which the handler is given: only the
 * attempt's own signal fires when its time is up.
 */
export class CallContext implements ToolContext {
  readonly callId: string;
  readonly attempt: number;
  readonly iteration: number;
  readonly agent: unknown;
  readonly session: unknown;
  readonly cwd: string;
  readonly secrets: Secrets;
  readonly options: any;
  readonly assigns: Readonly<Record<string, any>>;
  readonly logger: Logger;
  readonly progress: (message: string) => void;
  readonly [channel]: CallChannel;
  readonly [origin]: CallContext = this;
  readonly #settings: CallSettings;
  #isAttempt = false;
  #nestedCalls = 0;
  #controller: AbortController | undefined;
  #listener: (() => void) | undefined;
  #expired: unknown;

  constructor(settings: CallSettings) {
    this.callId = settings.callId ?? newId("call");
    this.attempt = settings.attempt ?? 1;
    this.iteration = settings.iteration ?? 0;
    this.agent = settings.agent;
    this.session = settings.session;
    this.cwd = settings.cwd ?? process.cwd();
    this.secrets = settings.secrets ?? noSecrets;
    this.options = settings.options;
    this.assigns = settings.assigns ?? {};
    this.logger = settings.logger ?? consoleLogger;
    this.progress = settings.progress ?? ignore;
    this[channel] = settings.channel ?? {};
    this.#settings = settings;
  }

  get sandbox(): SandboxAccess {
    if (this.#settings.sandbox) return this.#settings.sandbox;
    throw new HaftError("SANDBOX_NONE", "This call has no sandbox", {
      hint: 'Give the run one (sandbox: "auto", "local", or an object), and say sandbox: true on the tool.',
    });
  }

  get abortSignal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    const outer = this.#outerSignal;
    if (outer && !this.#isAttempt) return outer;
    this.#controller = new AbortController();
    if (this.#expired !== undefined) this.#controller.abort(this.#expired);
    else if (outer?.aborted) this.#controller.abort(outer.reason);
    else outer?.addEventListener("abort", this.#follow(outer, this.#controller), { once: true });
    return this.#controller.signal;
  }

  get #outerSignal(): AbortSignal | undefined {
    return this.#settings.abortSignal ?? this[channel].abort?.signal;
  }

  /** The abort of whoever made the call, without that of this context. */
  get outer(): AbortSource | undefined {
    const { abort } = this[channel];
    if (abort) return abort;
    const { abortSignal } = this.#settings;
    return abortSignal && sourceOf(abortSignal);
  }

  /** Fires this context's signal only: the attempt's time is up. */
  expire(reason: unknown): void {
    this.#expired = reason;
    this.#controller?.abort(reason);
  }

  /** This context, as that of the attempt that begins now. */
  begin(): CallContext {
    if (this.#expired !== undefined) return this.forAttempt(this.attempt);
    this.#isAttempt = true;
    return this;
  }

  /** The attempt is over: nothing of it stays on the signal of a run that may go on for long. */
  release(): void {
    this.#isAttempt = false;
    if (this.#listener) this.#outerSignal?.removeEventListener("abort", this.#listener);
  }

  /** The context of one attempt at this call. */
  forAttempt(attempt: number): CallContext {
    const made = new CallContext({ ...this.#settings, ...this.#facts(), attempt, channel: this[channel] });
    made.#isAttempt = true;
    return made;
  }

  /**
   * The context of a call, from what `execute` was given: a context of ours, a spread copy of one, parts, or nothing.
   * `options` are those of the tool that is called.
   */
  static from(given: Partial<ToolContext>, options: unknown): CallContext {
    const base = (given as { [origin]?: CallContext })[origin];
    if (!base) return new CallContext({ ...given, options: given.options ?? options });
    const isSameTool = base.options === undefined || base.options === options;
    if (base === given && isSameTool && !base.#isAttempt) return base;
    return base.#isAttempt || !isSameTool ? base.#nested(given, options) : base.#changed(given, options);
  }

  /** The same call; its caller replaced some parts. */
  #changed(given: Partial<ToolContext>, options: unknown): CallContext {
    return new CallContext({ ...this.#settings, ...given, options: given.options ?? options, channel: this[channel] });
  }

  /**
   * A handler calls another tool with the context that it got. That call has options and an id of its own, ends with
   * the attempt around it, and its assigns and warnings count for the call around it.
   */
  #nested(given: Partial<ToolContext>, options: unknown): CallContext {
    const parts = given === this ? {} : given;
    return new CallContext({
      ...this.#facts(),
      sandbox: this.#settings.sandbox,
      abortSignal: this.abortSignal,
      ...parts,
      attempt: 1,
      ...(given.callId === this.callId && { callId: `${this.callId}.${++this.#nestedCalls}` }),
      options: given.options === this.options ? options : (given.options ?? options),
      channel: within(this[channel]),
    });
  }

  #follow(outer: AbortSignal, controller: AbortController): () => void {
    const listener = () => controller.abort(outer.reason);
    this.#listener = listener;
    return listener;
  }

  #facts(): CallSettings {
    const { callId, iteration, agent, session, cwd, secrets, options, assigns, logger, progress } = this;
    return { callId, iteration, agent, session, cwd, secrets, options, assigns, logger, progress };
  }
}

/** The channel of a call inside a call. */
function within(around: CallChannel): CallChannel {
  return {
    ...(around.budget && { budget: around.budget }),
    get assigns() {
      return around.assigns;
    },
    set assigns(assigns) {
      around.assigns = assigns;
    },
    get warnings() {
      return around.warnings;
    },
    set warnings(warnings) {
      around.warnings = warnings;
    },
  };
}

function sourceOf(signal: AbortSignal): AbortSource {
  return {
    signal,
    aborted: signal.aborted,
    reason: signal.reason,
    add: (listener) => signal.addEventListener("abort", listener, { once: true }),
    remove: (listener) => signal.removeEventListener("abort", listener),
  };
}

export const noSecrets: Secrets = {
  names: [],
  env: () => ({}),
  get(name) {
    throw new HaftError("SECRET_UNKNOWN", `There is no secret "${name}": none were given`);
  },
};

/** Warnings and errors go to stderr; the rest is dropped. */
export const consoleLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: (message, data) => console.warn(message, ...(data ? [data] : [])),
  error: (message, data) => console.error(message, ...(data ? [data] : [])),
};

function ignore(): void {}
