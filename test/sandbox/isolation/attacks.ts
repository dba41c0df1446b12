/** All attacks, in the order of the table. */
import type { Attack } from "./attack.ts";
import { apiAttacks } from "./groups/api.ts";
import { backgroundAttacks } from "./groups/background.ts";
import { bombAttacks } from "./groups/bombs.ts";
import { fileAttacks } from "./groups/files.ts";
import { networkAttacks } from "./groups/network.ts";
import { oddPathAttacks } from "./groups/odd-paths.ts";
import { processAttacks } from "./groups/processes.ts";
import { protectedFileAttacks } from "./groups/protected-files.ts";
import { randomPathAttacks } from "./groups/random-paths.ts";
import { resourceAttacks } from "./groups/resources.ts";
import { streamAttacks } from "./groups/streams.ts";
import { swapRaces } from "./groups/swap-race.ts";
import { systemCallAttacks } from "./groups/system-calls.ts";

export const attacks: readonly Attack[] = [
  ...[...fileAttacks, ...protectedFileAttacks].sort(byId),
  ...[...apiAttacks, ...oddPathAttacks, ...swapRaces, ...randomPathAttacks].sort(byId),
  ...[...processAttacks, ...systemCallAttacks].sort(byId),
  ...networkAttacks,
  ...[...resourceAttacks, ...streamAttacks].sort(byId),
  ...bombAttacks,
  ...backgroundAttacks,
];

export const GROUPS: Record<string, string> = {
  F: "commands and files",
  A: "the file API",
  P: "processes, variables, rights",
  N: "the network",
  R: "resources",
  C: "calculations that never end",
  B: "what wants to stay behind",
};

function byId(a: Attack, b: Attack): number {
  return a.id < b.id ? -1 : 1;
}
