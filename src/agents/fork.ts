/** The beginning of a log, as that of a session of its own. */
import { invalidOption } from "../base/errors.ts";
import type { Entry } from "../core/log.ts";
import { Snapshot } from "../core/snapshot.ts";
import { pastRun } from "../engine/past-log.ts";

/**
 * The entries up to `at`. The last run among them has an id of its own: what it calls from here on are other calls. Wherever it is
 * cut it goes on; a call that had started and not ended there is in doubt.
 *
 * @throws HaftError `OPTIONS_INVALID`
 */
export function forkEntries(entries: readonly Entry[], at: number | undefined): Entry[] {
  const last = entries.at(-1)!.seq;
  if (at !== undefined && !(Number.isInteger(at) && at >= 0 && at <= last))
    throw invalidOption(`at must be the seq of an entry, got ${String(at)}`, `There are entries 0 to ${last}.`);
  const kept = at === undefined ? entries : entries.filter(({ seq }) => seq <= at);
  const { run } = pastRun(kept, {});
  return new Snapshot(run ?? "", [...kept]).fork().entries;
}
