/** A call's result on its way into a program. */
import type { LoggedError } from "../../core/log.ts";
import type { CallResult, PastSettlement } from "../../core/mode.ts";
import type { Settlement, ThrownError } from "../../core/program.ts";

export function settlementOf(id: number, result: CallResult): Settlement {
  const { at } = result;
  return result.ok ? { id, at, ok: true, output: result.json } : { id, at, ok: false, error: thrown(result.error) };
}

export function pastSettlement(past: PastSettlement): Settlement {
  return "timer" in past ? { at: past.at, timer: past.timer } : settlementOf(past.call, past.result);
}

/** The model reads a hint where it prints the error. */
function thrown({ name, code, message, hint, data, cause }: LoggedError): ThrownError {
  return {
    ...(name !== undefined && { name }),
    message: hint === undefined ? message : `${message}\n${hint}`,
    code,
    ...(data !== undefined && { data }),
    ...(cause !== undefined && { cause }),
  };
}
