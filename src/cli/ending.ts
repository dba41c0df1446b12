/** What there is to say when a run did not succeed: what is wrong, and what to do next. */
import { HaftError } from "../base/errors.ts";
import type { ExecuteResult } from "../core/result.ts";
import type { SettingFlags } from "../project/index.ts";
import { renderError } from "./render/error.ts";
import type { Screen } from "./render/screen.ts";
import { goOnText, waitingText } from "./resume-command.ts";
import { type StopSignal, stopReasons } from "./signals.ts";

export interface EndingFacts {
  session: string;
  flags: SettingFlags;
  signal: StopSignal | undefined;
  screen: Screen;
}

/** undefined when the run succeeded. */
export function endingText(result: ExecuteResult, { session, flags, signal, screen }: EndingFacts): string | undefined {
  const { width, colors } = screen;
  if (result.status === "success") return undefined;
  if (result.status === "interrupted") return waitingText(result.pending, { session, flags, width });
  const goOn = goOnText({ session, flags, width });
  if (wasStopped(result, signal)) return `Stopped  by ${stopReasons[signal]}, before it had ended.\n${goOn}`;
  const error = renderError(withNextStep(result.error), width, colors);
  return result.stopReason === "iterations" ? `${error}\n${goOn}` : error;
}

function withNextStep(error: HaftError): HaftError {
  if (error.hint || !error.code.startsWith("MODEL_")) return error;
  const hint = "Try again, check the provider's address and key, or name another model: --model <provider:name>.";
  return new HaftError(error.code, error.message, { hint });
}

/** Somebody stopped it: no failure. */
export function wasStopped(result: ExecuteResult, signal: StopSignal | undefined): signal is StopSignal {
  return signal !== undefined && result.status === "error" && result.stopReason === "aborted";
}
