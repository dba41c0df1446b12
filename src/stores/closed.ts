/** What a store says after it was closed. */
import { HaftError } from "../base/errors.ts";

export function closedStore(): HaftError {
  return new HaftError("STORE_CLOSED", "This store was closed", { hint: "Open another one on the same place." });
}
