/** Runs earlier programs again from the log alone, for what they left at their top level. Makes no call. */
import type { PastProgram } from "../../core/mode.ts";
import type { ProgramSession, Turn } from "../../core/program.ts";
import type { Offer } from "./offer.ts";
import { callMissing, diverged } from "./replay-errors.ts";
import { pastSettlement } from "./settlement.ts";

/** Gives the programs whose top level is kept. What a program did that was stopped by a limit is void. */
export async function rebuild(
  session: ProgramSession,
  earlier: readonly PastProgram[],
  offer: Offer,
): Promise<string[]> {
  const kept = earlier.filter(({ end }) => end?.status !== "limit");
  for (const program of kept) await runAgain(session, program, offer);
  return kept.map(({ start }) => start.code);
}

async function runAgain(session: ProgramSession, past: PastProgram, offer: Offer): Promise<void> {
  const { code, seed, at: now } = past.start;
  const made = new Set<number>();
  const look = (turn: Turn): Turn => {
    for (const { id, name, input } of turn.calls) {
      made.add(id);
      const asked = offer.asked(name, input);
      if (asked) past.calls.get(id)?.assertSame({ id: "", ...asked });
    }
    return turn;
  };
  let { done } = look(await session.start({ code, seed, now, functions: offer.paths, isReplay: true }));
  const settled = past.settled.map(pastSettlement);
  if (!done && settled.length > 0) done = look(await session.settle(settled, { isReplay: true })).done;
  const missing = [...past.calls.keys()].find((number) => !made.has(number));
  if (missing !== undefined) throw callMissing(missing);
  if (!done) await session.leave();
  else if (["limit", "aborted", "diverged", "lost"].includes(done.type)) throw diverged(failureOf(done));
}

function failureOf(done: NonNullable<Turn["done"]>): string {
  const why = "message" in done ? `: ${done.message}` : "";
  return `An earlier program could not be run again${why}`;
}
