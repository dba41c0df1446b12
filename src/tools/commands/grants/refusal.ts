/** How a grant says no: before anything runs, what was refused, and what there is. */
import { HaftError } from "../../../base/errors.ts";

const MAX_NAMES = 60;

export function refused(what: string, allowed?: readonly string[] | string): HaftError {
  return new HaftError("COMMAND_REFUSED", `Nothing was run: ${what}.${allowedText(allowed)}`, {
    hint: "Call it again within what is allowed, or do the work with another tool.",
  });
}

/** Text of a model in a sentence of ours: short, and on one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

function allowedText(allowed: readonly string[] | string | undefined): string {
  if (allowed === undefined) return "";
  if (typeof allowed === "string") return ` Allowed: ${allowed}.`;
  if (allowed.length === 0) return " Allowed: none.";
  const more = allowed.length > MAX_NAMES ? ` and ${allowed.length - MAX_NAMES} more` : "";
  return ` Allowed: ${allowed.slice(0, MAX_NAMES).join(", ")}${more}.`;
}
