/** What the process's exit code says, and which error ends it with which. */
import { HaftError } from "../base/errors.ts";
import type { ExecuteResult } from "../core/result.ts";

export const exitCodes = {
  success: 0,
  failed: 1,
  /** The command line, or the settings, cannot be understood. */
  usage: 2,
  /** A call waits for someone's decision. */
  waiting: 3,
  hangup: 129,
  interrupted: 130,
  unread: 141,
  terminated: 143,
} as const;

export function exitCodeOfResult(result: ExecuteResult): number {
  if (result.status === "success") return exitCodes.success;
  if (result.status === "interrupted") return exitCodes.waiting;
  return exitCodeOfError(result.error);
}

const usageCodes = new Set([
  "USAGE_INVALID",
  "MODEL_MISSING",
  "MODEL_ID_INVALID",
  "MODE_UNKNOWN",
  "OPTIONS_INVALID",
  "CONFIG_MISSING",
  "CONFIG_INVALID",
  "CWD_INVALID",
  "TOOLS_UNKNOWN",
  "SANDBOX_UNKNOWN",
  "SESSION_INVALID",
  "SESSION_UNKNOWN",
  "DECISION_UNKNOWN",
]);

export function exitCodeOfError(thrown: unknown): number {
  return HaftError.is(thrown) && usageCodes.has(thrown.code) ? exitCodes.usage : exitCodes.failed;
}

/** An error of the command line itself. */
export function usageError(message: string, hint: string): HaftError {
  return new HaftError("USAGE_INVALID", message, { hint });
}
