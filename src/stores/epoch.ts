/** The rule that a writer which lost its turn can write nothing. */
import { HaftError } from "../base/errors.ts";

/** @throws HaftError `STORE_EPOCH_STALE` */
export function checkEpoch(session: string, epoch: number, newest: number): void {
  if (epoch >= newest) return;
  throw new HaftError(
    "STORE_EPOCH_STALE",
    `Session "${session}" is at epoch ${newest}; this writer is at ${epoch} and may not write`,
    {
      hint: "Another worker has taken the session over. Open it anew.",
    },
  );
}
