/** What a run comes to: success, interrupted, or error. A true union on `status`. */
import type { HaftError } from "../base/errors.ts";
import type { PendingCall } from "./decision.ts";
import type { Exit, ExitValue } from "./exit.ts";
import type { Iteration } from "./hooks.ts";
import type { StopReason } from "./log.ts";
import type { Message } from "./message.ts";
import type { Usage } from "./model.ts";
import type { Changes } from "./sandbox.ts";
import type { Snapshot } from "./snapshot.ts";

export interface ResultMethods {
  isSuccess(): this is { status: "success" };
  isError(): this is { status: "error" };
  isInterrupted(): this is { status: "interrupted" };
  /** True when the run left by this exit (or by one of the same name); narrows `output`. */
  is<E extends Exit<any, any>>(exit: E): this is ExitSuccess<E>;
  /** Takes out of anything else that is to be shown what the run took out: its secrets, and what `redact` names. */
  redact<T>(value: T): T;
}

/** Estimated tokens of the last request, by part (about 4 bytes a token; providers report the real sum in `usage`). */
export interface ContextSize {
  instructions: number;
  tools: number;
  messages: number;
  total: number;
}

export interface ResultFacts extends ResultMethods {
  /** The run's id. */
  readonly run: string;
  readonly stopReason: StopReason;
  readonly messages: readonly Message[];
  readonly iterations: readonly Iteration[];
  /** The last one. */
  readonly iteration: Iteration | undefined;
  readonly usage: Usage;
  /** In US dollars, where `prices` knew every model. */
  readonly cost: number | undefined;
  readonly context: ContextSize;
  /** What an overlay sandbox, opened by the run itself, holds back from the host. */
  readonly changes: Changes | undefined;
}

export interface ExitSuccess<E extends Exit<any, any> = Exit> extends ResultFacts {
  readonly status: "success";
  readonly exit: E;
  readonly output: ExitValue<E>;
}

export interface TextSuccess extends ResultFacts {
  readonly status: "success";
  readonly exit: undefined;
  readonly output: string;
}

export interface InterruptedResult extends ResultFacts {
  readonly status: "interrupted";
  readonly output: undefined;
  readonly pending: readonly PendingCall[];
  readonly snapshot: Snapshot;
}

export interface ErrorResult extends ResultFacts {
  readonly status: "error";
  readonly output: undefined;
  readonly error: HaftError;
}

/** The exits that a run with these may leave by; undefined where it may end with text: there are none, or nobody knows. */
export type ExitOf<Exits extends readonly Exit<any, any>[]> = Exits extends readonly [any, ...any[]]
  ? Exits[number]
  : Exits[number] | undefined;

type SuccessResult<E> = [E] extends [never] ? TextSuccess : E extends Exit<any, any> ? ExitSuccess<E> : TextSuccess;

/** `ExecuteResult<undefined>` is that of a run without exits, whose output is text. */
export type ExecuteResult<E extends Exit<any, any> | undefined = any> =
  | SuccessResult<E>
  | InterruptedResult
  | ErrorResult;
