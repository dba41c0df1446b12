/** A server is taken away while runs go on: stopped at once and started again, its connections ended, the network cut. */
import { setTimeout as sleep } from "node:timers/promises";
import { randomFrom } from "../../modes/code/faults/random-program.ts";
import { Sessions } from "./kill.ts";
import { APPENDS, script } from "./script.ts";
import type { Place } from "./stores.ts";
import { Tally, type Told } from "./tally.ts";

/** Takes the server away, and gives it back before it resolves. */
export interface Away {
  name: string;
  happen(): Promise<void>;
}

/** Of each kind so many times, at a random place of a pair of runs. */
export async function takenAway(place: Place, kinds: readonly Away[], seed: number, times: number): Promise<Told> {
  const random = randomFrom(seed);
  const tally = new Tally();
  const errors = new Map<string, number>();
  let happened = 0;
  for (let number = 0; number < times * kinds.length; number++) {
    const away = kinds[number % kinds.length]!;
    const effects = `${place.folder}/away-${number}.txt`;
    const order = { child: place.child, where: place.where, effects, script, ttlMs: 100, toolMs: 3 };
    const work = new Sessions({ ...place, mayFail: true }, order, [`w${number}a`, `w${number}b`], tally);
    const life = work.start(
      undefined,
      watchFor(Math.floor(random() * APPENDS * 2), () => void happen()),
    );
    let over: Promise<void> | undefined;
    const happen = async () => {
      happened++;
      over = sleep(random() * 4).then(() => away.happen());
      await over;
    };
    await life.ended;
    await over;
    await work.look(life.life);
    for (const { status, code = "", message } of life.life.reports.values()) {
      if (status !== "error") continue;
      errors.set(code, (errors.get(code) ?? 0) + 1);
      if (!code.startsWith("STORE_")) tally.fault("error", `${away.name}: ${code} ${message}`);
    }
    for (let round = 0; work.open.length > 0 && round < 20; round++) await work.goOn();
    if (work.open.length > 0) tally.fault("end", `${work.open.join(", ")} came to no end after ${away.name}`);
  }
  const names = kinds.map(({ name }) => name).join(", ");
  const failed = [...errors].map(([code, count]) => `${code} ${count}`).join(", ") || "none";
  const kept = ["lost", "repeated", "twice"].map((kind) => `${tally.kinds.of(kind)} ${kind}`).join(", ");
  const summary = `taken away ${happened} times (${names}): ${tally.runs} runs, ${tally.entries} entries acknowledged: ${kept}, ${tally.faults.length} faults in all; runs that ended with an error and went on later: ${failed}`;
  return { summary, faults: tally.faults };
}

function watchFor(appends: number, then: () => void) {
  let left = appends;
  return (line: string) => {
    if (line.startsWith("appended ") && left-- === 0) then();
  };
}
