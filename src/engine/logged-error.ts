/** A failure as the log and the model read it: a code and a sentence. */
import { encode } from "../base/codec.ts";
import { codeOf, HaftError, messageOf } from "../base/errors.ts";
import type { LoggedError } from "../core/log.ts";

export function logged(thrown: unknown): LoggedError {
  const data = HaftError.is(thrown) ? thrown.data : undefined;
  return {
    code: codeOf(thrown) ?? "TOOL_FAILED",
    message: messageOf(thrown),
    ...(HaftError.is(thrown) && thrown.hint !== undefined && { hint: thrown.hint }),
    ...(data !== undefined && { data: encode(data, "data") }),
  };
}

export function unlogged({ code, message, hint, data }: LoggedError, cause?: unknown): HaftError {
  return new HaftError(code, message, { hint, cause, data: data as Record<string, unknown> | undefined });
}
