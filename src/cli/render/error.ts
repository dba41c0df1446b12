/** Says what went wrong and what to do next: sentences, never a stack. */
import { HaftError, messageOf } from "../../base/errors.ts";
import type { Colors } from "./colors.ts";
import { clean, wrapWith } from "./text.ts";

const ISSUES = "If this is Haft's fault, HAFT_DEBUG=1 shows where it happened.";

/** Message, code and hint. With HAFT_DEBUG in the environment, the stack of an error that nobody foresaw as well. */
export function renderError(thrown: unknown, width: number, colors: Colors): string {
  const foreseen = HaftError.is(thrown);
  const message = clean(messageOf(thrown)).trim();
  const code = foreseen ? ` ${colors.dim(`(${thrown.code})`)}` : "";
  const lines = [wrapWith(`${message}${code}`, width, "Error    ").replace(/^Error/, colors.red("Error"))];
  const hint = foreseen ? thrown.hint : ISSUES;
  if (hint) lines.push(wrapWith(clean(hint), width, "Next     ").replace(/^Next/, colors.bold("Next")));
  if (process.env.HAFT_DEBUG && thrown instanceof Error && thrown.stack) lines.push(clean(thrown.stack));
  return lines.join("\n");
}
