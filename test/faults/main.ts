/**
 * `npm run test:faults`: programs cut at every place of their log, stores whose writers are killed at any moment, stopped, cut off, and
 * left without room.
 *
 *   npm run test:faults -- --only stores --store sqlite-strict --seed 7 --kills 500
 *   npm run test:faults -- --only programs --prefixes 1500 --kills 100
 */
import { programFaults } from "../modes/code/faults/programs.ts";
import { storeFaults } from "../stores/faults/stores-faults.ts";

const only = option("only");
const seed = Number(option("seed") ?? 1);
const faults: string[] = [];
if (only !== "stores") {
  const [prefixes, kills] = [Number(option("prefixes") ?? 1_500), Number(option("kills") ?? 100)];
  faults.push(...(await programFaults({ seed, prefixes, kills })));
}
if (only !== "programs")
  faults.push(...(await storeFaults({ seed, kills: Number(option("kills") ?? 500), store: option("store") })));

for (const fault of faults.slice(0, 20)) console.error(fault);
console.log(`${faults.length} faults`);
process.exit(faults.length > 0 ? 1 : 0);

function option(name: string): string | undefined {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? undefined : process.argv[index + 1];
}
