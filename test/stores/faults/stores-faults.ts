/** Everything that is done to a store, to each of them, with the counts of it. */
import { randomFrom } from "../../modes/code/faults/random-program.ts";
import { fullDisk } from "./full-disk.ts";
import { killAndGoOn } from "./kill.ts";
import { fileKinds, openPlace, type Place } from "./stores.ts";
import { Tally } from "./tally.ts";
import { zombies } from "./zombie.ts";

/** Groups of sessions whose processes are killed at the same time. */
const AT_ONCE = 4;
/** Kills of one group of sessions, at most. */
const KILLS_EACH = 8;

export interface StoreFaultsOptions {
  seed: number;
  kills: number;
  /** Only this one. */
  store: string | undefined;
}

/** Gives what went wrong. */
export async function storeFaults({ seed, kills, store }: StoreFaultsOptions): Promise<string[]> {
  const faults: string[] = [];
  console.log("memory: left out, no process outlives it");
  for (const kind of store ? [store] : fileKinds) {
    const place = openPlace(kind);
    try {
      const started = performance.now();
      const tally = await killMany(place, seed, kills);
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      console.log(`${kind}: ${tally}; ${seconds} s`);
      faults.push(...tally.faults, ...(await zombies(place, seed, Math.ceil(kills / 50))));
    } finally {
      await place.close();
    }
    faults.push(...(await fullDisk(kind, seed, Math.ceil(kills / 50))));
  }
  return faults;
}

/** Until so many processes were killed. */
export async function killMany(place: Place, seed: number, kills: number): Promise<Tally> {
  const tally = new Tally();
  const random = randomFrom(seed);
  let groups = 0;
  const worker = async () => {
    while (tally.kills < kills) await killAndGoOn(place, ++groups, random, KILLS_EACH, tally);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, Math.ceil(kills / KILLS_EACH)) }, worker));
  return tally;
}
