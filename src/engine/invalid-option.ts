/** What execute() rejects with. */
import { HaftError } from "../base/errors.ts";

export function invalidOption(message: string, hint?: string): HaftError {
  return new HaftError("OPTIONS_INVALID", message, { hint });
}
