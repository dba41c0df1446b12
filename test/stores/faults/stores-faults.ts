/** Everything that is done to a store, to each of them, with the counts of it. */
import { randomFrom } from "../../modes/code/faults/random-program.ts";
import { takenAway } from "./away.ts";
import { buildChild } from "./build-child.ts";
import { fullDisk } from "./full-disk.ts";
import { killAndGoOn } from "./kill.ts";
import type { StoreKind } from "./open-store.ts";
import { withoutPostgres, withPostgres } from "./postgres-faults.ts";
import { fileKinds, openPlace, type Place } from "./stores.ts";
import { Tally, type Told } from "./tally.ts";
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
  const child = await buildChild();
  for (const kind of fileKinds.filter((kind) => store === undefined || kind === store))
    faults.push(...(await faultsOf(kind, child.script, seed, kills)));
  if (store === undefined || store === "postgres") faults.push(...(await faultsOfPostgres(child.script, seed, kills)));
  child.remove();
  return faults;
}

async function faultsOf(kind: StoreKind, child: string, seed: number, kills: number): Promise<string[]> {
  const started = performance.now();
  const times = Math.ceil(kills / 50);
  const faults: string[] = [];
  const tell = (told: Told) => {
    console.log(`${kind}: ${told.summary}`);
    faults.push(...told.faults);
  };
  const place = openPlace(kind, child);
  try {
    await place.read("nobody"); // what opens a store is loaded once, before several are opened at the same time
    const work = [killMany(place, seed, kills), zombies(place, seed, times), fullDisk(kind, child, seed, times)];
    for (const told of await Promise.all(work)) tell(told);
  } finally {
    await place.close();
  }
  console.log(`${kind}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return faults;
}

async function faultsOfPostgres(child: string, seed: number, kills: number): Promise<string[]> {
  if (withoutPostgres) {
    console.log(`postgres: left out, ${withoutPostgres}`);
    return [];
  }
  const started = performance.now();
  const times = Math.ceil(kills / 50);
  const told = await withPostgres(child, async (place, kinds) => {
    const work = await Promise.all([killMany(place, seed, kills), zombies(place, seed, times)]);
    return [...work, await takenAway(place, kinds, seed, times)];
  });
  for (const { summary } of told) console.log(`postgres: ${summary}`);
  console.log(`postgres: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return told.flatMap(({ faults }) => faults);
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
