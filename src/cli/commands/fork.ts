/** `haft fork`: the beginning of a session, as a session of its own. */
import { fork, type StoreFlags } from "../../project/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { findSession } from "../find-session.ts";
import { Screen } from "../render/screen.ts";
import { withStore } from "../with-store.ts";

export interface ForkFlags extends StoreFlags {
  at?: number;
}

/** The id alone on stdout, so that a script can take it. */
export async function forkCommand(given: string, flags: ForkFlags): Promise<number> {
  const made = await withStore(flags, async (store) => fork(store, await findSession(store, given), flags.at));
  process.stdout.write(`${made}\n`);
  new Screen(process.stderr).print(`Next     haft log ${made}\n         haft run --session ${made} "…"`);
  return exitCodes.success;
}
