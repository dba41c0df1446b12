/** Who may append to a session: nobody who lost its turn, and nobody who has not read what another wrote. */
import { HaftError } from "../base/errors.ts";
import type { Entry } from "../core/log.ts";

/** What a session holds already. */
export interface Held {
  epoch: number;
  /** The `seq` of the last entry; undefined for a new session. */
  last: number | undefined;
}

/** @throws HaftError `STORE_EPOCH_STALE`, `STORE_CONFLICT` */
export function checkAppend(session: string, held: Held, entries: readonly Entry[], epoch: number): void {
  if (epoch < held.epoch) {
    throw new HaftError(
      "STORE_EPOCH_STALE",
      `Session "${session}" is at epoch ${held.epoch}; this writer is at ${epoch} and may not write`,
      { hint: "Another worker has taken the session over. Open it anew." },
    );
  }
  const next = held.last === undefined ? undefined : held.last + 1;
  if (entries.length > 0 && next !== undefined && entries[0]!.seq !== next) {
    throw new HaftError(
      "STORE_CONFLICT",
      `Session "${session}" goes on with entry ${next}, and entry ${entries[0]!.seq} was to be written`,
      { hint: "Someone else has written to this session meanwhile. Read it anew, and go on from there." },
    );
  }
}
