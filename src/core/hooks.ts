/** Where a run can be watched, changed and stopped. The names are the seeds'. */
import type { Exit } from "./exit.ts";
import type { IterationStatus, Trace } from "./log.ts";
import type { Message } from "./message.ts";
import type { AskedCall, Usage } from "./model.ts";
import type { Tool } from "./tool.ts";

type Awaitable<T> = T | Promise<T>;

/** One model call and what came of it. */
export interface Iteration {
  /** `<run>/<index>` */
  readonly id: string;
  /** From 1. */
  readonly index: number;
  /** The conversation, this iteration's part included once it is over. */
  readonly messages: readonly Message[];
  /** What the model asked for; empty before it answered. */
  readonly calls: readonly AskedCall[];
  /** What the model said beside calls. */
  readonly text: string;
  /** Mode "code": the program that the model wrote. */
  readonly code: string | undefined;
  readonly usage: Usage;
  /** undefined while it goes on. */
  readonly status: IterationStatus | { type: "interrupted" } | { type: "failed" } | undefined;
}

/** The run's own AbortController: `abort(reason)` ends the run. */
export type IterationController = AbortController;

export interface ExitResult<T = unknown> {
  exit: Exit;
  result: T;
}

export interface ToolEvent {
  iteration: Iteration;
  tool: Tool;
  /** The effective input: static values in it. */
  input: any;
  controller: IterationController;
  callId: string;
}

export interface Hooks {
  /** May replace the input. Throwing fails the call; a ThinkSignal makes the model think again. */
  onBeforeTool?: (event: ToolEvent) => Awaitable<{ input?: any } | void>;
  /** After success. May replace the output. Throwing fails the call. */
  onAfterTool?: (event: ToolEvent & { output: any }) => Awaitable<{ output?: any } | void>;
  /**
   * After the model answered, before anything is done: `iteration.calls` is the batch. Throwing refuses the batch, and
   * the model reads why. In mode "code", `iteration.code` is the program, and what is returned as `code` runs instead. In mode
   * "tools" there is none: HaftError `HOOK_INVALID` ends the run.
   */
  onBeforeExecution?: (iteration: Iteration, controller: IterationController) => Awaitable<{ code?: string } | void>;
  /** After an exit's value was validated. Throwing rejects the exit, and the model reads why. */
  onExit?: <T = unknown>(result: ExitResult<T>, controller: IterationController) => Awaitable<void>;
  /** Every entry and live event. Cannot change or fail the run. */
  onTrace?: (event: { trace: Trace; iteration: number }) => void;
  /** Before the model is asked. A ThinkSignal skips the call and goes on with the next iteration. */
  onIterationStart?: (iteration: Iteration, controller: IterationController) => Awaitable<void>;
  /** Throwing is logged as a warning. */
  onIterationEnd?: (iteration: Iteration, controller: IterationController) => Awaitable<void>;
}
