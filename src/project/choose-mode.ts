/** Checks the name of a mode where people write it: before anything is opened. */
import { HaftError } from "../base/errors.ts";
import type { ExecuteOptions } from "../core/execute.ts";
import { nearest } from "../core/names.ts";

const known = ["tools", "code"];

/** A mode of one's own is an object, and has no name to check. @throws HaftError MODE_UNKNOWN */
export function checkMode(mode: ExecuteOptions["mode"]): void {
  if (typeof mode !== "string" || known.includes(mode)) return;
  const near = nearest(mode, known);
  throw new HaftError("MODE_UNKNOWN", `There is no mode "${mode}".`, {
    hint: `${near ? `Did you mean "${near}"? ` : ""}Modes are ${known.join(", ")}.`,
    data: { known },
  });
}
