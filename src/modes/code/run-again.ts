/** Runs an earlier program again from the log alone. Makes no call. */
import type { PastProgram } from "../../core/mode.ts";
import type { ProgramDone, ProgramSession } from "../../core/program.ts";
import type { Offer } from "./offer.ts";
import { callMissing, diverged } from "./replay-errors.ts";
import { pastSettlement } from "./settlement.ts";
import { Telling } from "./telling.ts";
import { programObjects } from "./writes.ts";

/** For what it left at its top level. False where the VM was lost meanwhile. @throws HaftError `REPLAY_DIVERGED` */
export async function runAgain(session: ProgramSession, past: PastProgram, offer: Offer): Promise<boolean> {
  const made = new Set<number>();
  const telling = new Telling(session, offer, ({ calls }) => {
    for (const { id, name, input } of calls) {
      made.add(id);
      const asked = offer.asked(name, input);
      if (asked) past.calls.get(id)?.assertSame({ id: "", ...asked });
    }
  });
  const { code, seed, at: now } = past.start;
  const objects = programObjects(offer.objects, past);
  const begun = await telling.start({ code, seed, now, functions: functionsOf(past, offer), objects, isReplay: true });
  const done = begun ?? (await telling.settle(past.settled.map(pastSettlement), true));
  if (done?.type === "lost") return false;
  const missing = [...past.calls.keys()].find((number) => !made.has(number));
  if (missing !== undefined) throw callMissing(missing);
  if (!done) await session.leave();
  else if (["limit", "aborted", "diverged"].includes(done.type)) throw diverged(failureOf(done));
  return true;
}

/** What it called may be offered no more. */
function functionsOf({ calls }: PastProgram, { paths }: Offer): string[] {
  const called = [...calls.values()].flatMap(({ name }) => name ?? []);
  return [...new Set([...paths, ...called])];
}

function failureOf(done: ProgramDone): string {
  const why = "message" in done ? `: ${done.message}` : "";
  return `An earlier program could not be run again${why}`;
}
