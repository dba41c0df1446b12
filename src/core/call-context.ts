/** The context object of one call. Costly parts (the abort signal, the sandbox) are made when they are read. */
import { HaftError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { type CallChannel, channel, type InternalContext, type Logger, type ToolContext } from "./context.ts";
import type { SandboxAccess } from "./sandbox.ts";
import type { Secrets } from "./secrets.ts";

export interface CallSettings extends Partial<Omit<ToolContext, "sandbox">> {
  sandbox?: SandboxAccess;
  channel?: CallChannel;
}

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
  readonly #settings: CallSettings;
  #controller: AbortController | undefined;
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
    const outer = this.#settings.abortSignal;
    this.#controller = new AbortController();
    if (this.#expired !== undefined) this.#controller.abort(this.#expired);
    else if (outer?.aborted) this.#controller.abort(outer.reason);
    else outer?.addEventListener("abort", () => this.#controller!.abort(outer.reason), { once: true });
    return this.#controller.signal;
  }

  /** The signal of whoever made the call, without one made for this context. */
  get outerSignal(): AbortSignal | undefined {
    return this.#settings.abortSignal;
  }

  /** Fires this context's signal only: the attempt's time is up. */
  expire(reason: unknown): void {
    this.#expired = reason;
    this.#controller?.abort(reason);
  }

  /** The same call, tried again. */
  forAttempt(attempt: number): CallContext {
    return new CallContext({ ...this.#settings, ...this.facts(), attempt, channel: this[channel] });
  }

  private facts(): CallSettings {
    const { callId, iteration, agent, session, cwd, secrets, options, assigns, logger, progress } = this;
    return { callId, iteration, agent, session, cwd, secrets, options, assigns, logger, progress };
  }

  /** Completes what a caller gave: a context of ours, a spread copy of one, parts, or nothing. */
  static from(given: Partial<ToolContext>, options: unknown): CallContext {
    if (given instanceof CallContext) return given;
    const shared = (given as InternalContext)[channel];
    return new CallContext({ ...given, options: given.options ?? options, ...(shared && { channel: shared }) });
  }
}

const noSecrets: Secrets = {
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
