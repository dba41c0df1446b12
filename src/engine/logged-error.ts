/** A failure as the log and the model read it: a code and a sentence. */

import { encode } from "../base/codec.ts";
import { codeOf, HaftError, messageOf } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { LoggedError } from "../core/log.ts";
import { isSignal } from "../core/signals.ts";

export function logged(thrown: unknown): LoggedError {
  const error = readable(thrown);
  const code = codeOf(error) ?? "TOOL_FAILED";
  const message = messageOf(error);
  if (!HaftError.is(error)) return { code, message, ...foreign(error) };
  const data = written(error.data, "data");
  return { code, message, ...(error.hint !== undefined && { hint: error.hint }), ...(data !== undefined && { data }) };
}

/** What a program that catches the error may look at. */
function foreign(error: unknown): Pick<LoggedError, "name" | "data" | "cause"> | undefined {
  try {
    if (!(error instanceof Error)) return undefined;
    const { name, cause, data: facts } = error as Error & { data?: unknown };
    const data = written(facts, "data");
    const reason = written(cause, "cause");
    return {
      ...(typeof name === "string" && name !== "Error" && { name }),
      ...(data !== undefined && { data }),
      ...(reason !== undefined && { cause: reason }),
    };
  } catch {
    return undefined;
  }
}

export function unlogged({ code, message, hint, data }: LoggedError, cause?: unknown): HaftError {
  return new HaftError(code, message, { hint, cause, data: data as Record<string, unknown> | undefined });
}

/** Anything may be thrown, also what throws again when it is looked at: from here on it can be looked at. */
export function readable(thrown: unknown): unknown {
  try {
    isSignal(thrown);
    HaftError.is(thrown);
    return thrown;
  } catch {
    return new HaftError("TOOL_FAILED", messageOf(thrown));
  }
}

/** Facts that cannot be written are left out: the failure itself must be. */
function written(value: unknown, label: string): Json | undefined {
  try {
    return value === undefined ? undefined : encode(value, label);
  } catch {
    return undefined;
  }
}
