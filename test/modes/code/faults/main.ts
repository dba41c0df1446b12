/**
 * `npm run test:faults`: random programs cut at every place of their log, and processes killed at any moment.
 *
 *   npm run test:faults -- --seed 7 --prefixes 1500 --kills 100
 */
import { killAndGoOn } from "./kill.ts";
import { play } from "./play.ts";
import { randomFrom } from "./random-program.ts";

const option = (name: string, fallback: number) => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? fallback : Number(process.argv[index + 1]);
};

const [seed, prefixes, kills] = [option("seed", 1), option("prefixes", 1_500), option("kills", 100)];
const faults: string[] = [];
let [programs, cut, stops, killed, runs] = [0, 0, 0, 0, 0];

while (cut < prefixes) {
  const played = await play(seed + programs, 1);
  programs++;
  cut += played.prefixes;
  stops += played.stops;
  faults.push(...played.faults);
  if (programs % 10 === 0) say(`${cut} of ${prefixes} places`);
}
say(
  `${programs} random runs of three programs, ${stops} stops for a decision, gone on from ${cut} places of their logs`,
);

const random = randomFrom(seed);
while (killed < kills) {
  const two = await Promise.all([killAndGoOn(random, 3), killAndGoOn(random, 3)]);
  for (const { faults: found, kills: times } of two) {
    faults.push(...found);
    killed += times;
    runs++;
  }
  if (runs % 10 === 0) say(`${killed} of ${kills} kills`);
}
say(`${runs} runs in processes of their own, killed ${killed} times`);

for (const fault of faults.slice(0, 20)) console.error(fault);
console.log(`${faults.length} faults`);
process.exit(faults.length > 0 ? 1 : 0);

function say(text: string): void {
  console.log(text);
}
