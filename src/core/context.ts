/** What a handler is told about the call that it serves. */

import type { SharedBudget } from "./budget.ts";
import type { ExecuteOptions } from "./execute.ts";
import type { ExecuteResult } from "./result.ts";
import type { SandboxAccess } from "./sandbox.ts";
import type { Secrets } from "./secrets.ts";

export interface Logger {
  debug(message: string, data?: Record<string, unknown>): void;
  info(message: string, data?: Record<string, unknown>): void;
  warn(message: string, data?: Record<string, unknown>): void;
  error(message: string, data?: Record<string, unknown>): void;
}

/** The second argument of a handler. `await tool.execute(input)` works alone, with all of this filled in. */
export interface ToolContext<Options = any> {
  /** `<run>/<iteration>/<call>`: unique, stable when the run is resumed, and so the idempotency key of the call. */
  readonly callId: string;
  /** From 1. */
  readonly attempt: number;
  /** From 1; 0 outside a run. */
  readonly iteration: number;
  /** The Agent, when one runs. */
  readonly agent: unknown;
  /** The session that runs, when there is one. */
  readonly session: unknown;
  /** Files and processes. Reading it without a sandbox throws HaftError `SANDBOX_NONE`. */
  readonly sandbox: SandboxAccess;
  /** The working directory on the host. For files and commands use `sandbox`. */
  readonly cwd: string;
  readonly secrets: Secrets;
  /** The option values of `[tool, values]` or `withOptions(values)`. */
  readonly options: Options;
  /** One snapshot for all calls of a batch. Add to it with `return ok(value, { assigns })`. */
  readonly assigns: Readonly<Record<string, any>>;
  /** Fires when the run is aborted or the call's time is up. */
  readonly abortSignal: AbortSignal;
  readonly logger: Logger;
  /** Says something to whoever watches the run, while the call goes on. Never stored. */
  progress(message: string): void;
}

/** An abort that can be looked at and listened to. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Made when it is first looked at. */
  readonly signal: AbortSignal;
  /** Calls back on an abort, until it is removed. */
  add(listener: AbortListener): void;
  remove(listener: AbortListener): void;
}

/** An object, so that whoever waits needs no closure for it; an AbortSignal takes it too. */
export interface AbortListener {
  handleEvent(): void;
  /** The one that was added before it to the same source. Nobody but the source sets it. */
  before?: AbortListener | undefined;
}

/** What the engine and `Tool.execute` tell each other about one call, beside what the handler sees. */
export interface CallChannel {
  /** The input that was validated already, and what came of it: the same value is not validated twice. */
  prepared?: { raw: unknown; value: unknown };
  /** How the run is aborted; cheaper than its signal. */
  abort?: AbortSource;
  /** Awaited before the second and each later attempt. */
  onRetry?(attempt: number, error: unknown): Promise<void> | void;
  assigns?: Record<string, unknown>;
  content?: import("./tool-result.ts").ContentPart[];
  warnings?: string[];
  /** In runs that have sub-agents: how the handler runs one. */
  nested?: NestedRun;
  /** The call waits for one that its nested run has made. */
  waitsInside?: boolean;
  /** Of the run: what a handler starts draws from it. Undefined: there is none. */
  budget?: SharedBudget;
}

/** One run as a part of a call: what happens in it is written into the log of the run around, under the call's key. */
export interface NestedRun {
  /** How many runs are around the one that it would be. From 1. */
  readonly depth: number;
  /**
   * Starts it, or goes on with it. What the options do not say comes from the run around: sandbox, cwd, model, secrets.
   * `secrets`: the names of those that are handed down. Default: all.
   */
  run(options: ExecuteOptions, more?: { secrets?: readonly string[] | undefined }): Promise<ExecuteResult>;
  /** When nothing of it goes on any more. */
  readonly ended: Promise<unknown> | undefined;
}

/** Where a context carries its channel. An own property, so that `{ ...ctx }` keeps it. */
export const channel: unique symbol = Symbol.for("haft.channel");

export type InternalContext = ToolContext & { [channel]?: CallChannel };

/** Where the options of a run carry who runs it. */
export const runHost: unique symbol = Symbol.for("haft.run-host");
