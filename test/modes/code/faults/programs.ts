/** Random programs cut at every place of their log, and processes that run programs killed at any moment. */
import { killAndGoOn } from "./kill.ts";
import { play } from "./play.ts";
import { randomFrom } from "./random-program.ts";

export interface ProgramFaultsOptions {
  seed: number;
  /** Places of logs to go on from. */
  prefixes: number;
  kills: number;
}

/** Gives what went wrong. */
export async function programFaults({ seed, prefixes, kills }: ProgramFaultsOptions): Promise<string[]> {
  const cut = await cutLogs(seed, prefixes);
  return [...cut, ...(await killProcesses(seed, kills))];
}

async function cutLogs(seed: number, prefixes: number): Promise<string[]> {
  const faults: string[] = [];
  let [programs, cut, stops] = [0, 0, 0];
  while (cut < prefixes) {
    const played = await play(seed + programs, 1);
    programs++;
    cut += played.prefixes;
    stops += played.stops;
    faults.push(...played.faults);
    if (programs % 10 === 0) console.log(`${cut} of ${prefixes} places`);
  }
  console.log(
    `${programs} random runs of three programs, ${stops} stops for a decision, gone on from ${cut} places of their logs`,
  );
  return faults;
}

async function killProcesses(seed: number, kills: number): Promise<string[]> {
  const faults: string[] = [];
  let [killed, runs] = [0, 0];
  const random = randomFrom(seed);
  while (killed < kills) {
    const two = await Promise.all([killAndGoOn(random, 3), killAndGoOn(random, 3)]);
    for (const { faults: found, kills: times } of two) {
      faults.push(...found);
      killed += times;
      runs++;
    }
    if (runs % 10 === 0) console.log(`${killed} of ${kills} kills`);
  }
  console.log(`${runs} runs in processes of their own, killed ${killed} times`);
  return faults;
}
