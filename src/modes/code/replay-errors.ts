/** A program that does not do again what the log says that it did. Nothing was called. */
import { HaftError } from "../../base/errors.ts";

export function diverged(message: string): HaftError {
  return new HaftError("REPLAY_DIVERGED", message, {
    hint: "Go on with the tools, model and options that the log was made with.",
  });
}

export function callMissing(number: number): HaftError {
  return diverged(`The program does not make call ${number}, which the log has`);
}
