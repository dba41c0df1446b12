/** How a run ends: as the loop says it, as the log keeps it, and back. */
import { decode, encode } from "../base/codec.ts";
import { HaftError, messageOf } from "../base/errors.ts";
import { DefaultExit, Exit, ListenExit, ThinkExit } from "../core/exit.ts";
import type { RunEnding } from "../core/log.ts";
import { logged, unlogged } from "./logged-error.ts";
import type { RunAbort } from "./run-abort.ts";

export type Ending =
  | { status: "success"; stopReason: "exit"; exit: Exit; output: unknown }
  | { status: "success"; stopReason: "text"; output: string }
  | { status: "interrupted"; stopReason: "interrupted" }
  | { status: "error"; stopReason: "iterations" | "budget" | "aborted" | "model" | "error" | "text"; error: HaftError };

export type FinalEnding = Exclude<Ending, { status: "interrupted" }>;
export type ErrorEnding = Extract<Ending, { status: "error" }>;

/** @throws HaftError `VALUE_NOT_ENCODABLE` for an output that no log can keep */
export function loggedEnding(ending: FinalEnding): RunEnding {
  const { status, stopReason } = ending;
  if (ending.status === "error") return { status, stopReason, error: logged(ending.error) };
  return {
    status,
    stopReason,
    ...("exit" in ending && { exit: ending.exit.name }),
    ...(ending.output !== undefined && { output: encode(ending.output, "output") }),
  };
}

/** What the log says, as it was written: redacted. */
export function recalledEnding(end: RunEnding, exits: readonly Exit[], cause?: unknown): FinalEnding {
  if (end.error) return { status: "error", stopReason: end.stopReason as "error", error: unlogged(end.error, cause) };
  const output = end.output === undefined ? undefined : decode(end.output);
  if (end.exit === undefined) return { status: "success", stopReason: "text", output: output as string };
  const exit = [...exits, ListenExit, DefaultExit as Exit, ThinkExit].find(({ name }) => name === end.exit);
  return { status: "success", stopReason: "exit", exit: exit ?? new Exit({ name: end.exit }), output };
}

export function abortedEnding({ reason }: RunAbort): ErrorEnding {
  if (HaftError.is(reason) && reason.code !== "ABORTED") return failedEnding(reason);
  const isPlain = reason instanceof Error && reason.name === "AbortError";
  const message = isPlain ? "The run was aborted" : `The run was aborted: ${messageOf(reason)}`;
  return { status: "error", stopReason: "aborted", error: new HaftError("ABORTED", message, { cause: reason }) };
}

export function failedEnding(thrown: unknown): ErrorEnding {
  const error = internal(thrown);
  if (error.code === "BUDGET_EXCEEDED") return { status: "error", stopReason: "budget", error };
  return { status: "error", stopReason: error.code.startsWith("MODEL_") ? "model" : "error", error };
}

function internal(error: unknown): HaftError {
  if (HaftError.is(error)) return error;
  return new HaftError("INTERNAL", `The run failed in a way that was not foreseen: ${messageOf(error)}`, {
    cause: error,
    hint: "This is a fault of Haft, or of something given to it. The cause has the details.",
  });
}
