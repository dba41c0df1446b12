/** What the model reads of a program that ran, or did not. */
import { decode } from "../../base/codec.ts";
import type { Json } from "../../base/json.ts";
import type { ProgramDone, ProgramError, ProgramProblem } from "../../core/program.ts";
import type { ProgramRun } from "./program-run.ts";
import { showPrints, showValue } from "./show.ts";

const MAX_PRINTED_CHARS = 8_000;
const MAX_ERRORS = 5;

/** `ending` is its first part: what it came to. */
export function report(ending: string, run: ProgramRun | undefined): string {
  const parts = [ending];
  if (run) {
    if (run.prints.length > 0) parts.push(`Console:\n${showPrints(run.prints, MAX_PRINTED_CHARS)}`);
    parts.push(...notWaitedFor(run), ...unhandled(run));
    if (run.bindings && run.bindings.length > 0) {
      parts.push(`Kept: ${run.bindings.map(({ name, kind }) => `${name} (${kind})`).join(", ")}`);
    }
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

export function endingText(done: ProgramDone): string {
  switch (done.type) {
    case "returned":
      return returned(done);
    case "exit":
      return "Done.";
    case "threw":
      return errorText(done.error);
    case "invalid":
      return problemsText(done.problems);
    case "limit":
      return `Stopped: ${done.message}. What it did to variables is undone; calls that it made are not.`;
    default:
      return "The program was stopped.";
  }
}

/** Nothing of it has run. */
export function problemsText(problems: readonly ProgramProblem[]): string {
  const lines = problems.map(({ line, column, message, excerpt }) =>
    [`${line}:${column} ${message}`, excerpt].filter((part) => part !== undefined).join("\n"),
  );
  return `The program was not run:\n${lines.join("\n")}`;
}

function returned({ value, size }: { value?: Json; size?: number }): string {
  if (size !== undefined) {
    return `Returned a value of ${size} bytes, too large to be shown. It is $return in the next program: look at parts of it.`;
  }
  return value === undefined ? "It returned nothing." : `Returned: ${showValue(decode(value))}`;
}

function errorText({ name, message, code, data, cause, frames, excerpt }: ProgramError): string {
  const at = frames[0] ? ` (line ${frames[0].line})` : "";
  const facts = [
    ...(code === undefined ? [] : [`code: ${code}`]),
    ...(data === undefined ? [] : [`data: ${showValue(decode(data), { maxChars: 1_000 })}`]),
    ...(cause === undefined ? [] : [`cause: ${showValue(decode(cause), { maxChars: 1_000 })}`]),
  ];
  return [`${name}: ${message}${at}`, excerpt, ...facts].filter((part) => part !== undefined).join("\n");
}

function unhandled({ unhandled }: ProgramRun): string[] {
  const errors = [...new Set(unhandled.map(errorText))];
  const more = errors.length > MAX_ERRORS ? [`and ${errors.length - MAX_ERRORS} more`] : [];
  return errors.length === 0 ? [] : [`Nobody handled:\n${[...errors.slice(0, MAX_ERRORS), ...more].join("\n")}`];
}

function notWaitedFor({ abandoned }: ProgramRun): string[] {
  if (abandoned.length === 0) return [];
  const calls = abandoned.slice(0, MAX_ERRORS).map(({ name, line }) => `${name} (line ${line})`);
  const more = abandoned.length > MAX_ERRORS ? ` and ${abandoned.length - MAX_ERRORS} more` : "";
  return [`Stopped, because the program ended without waiting for them: ${calls.join(", ")}${more}`];
}
