/** A small disk that is full while runs go on, and has room again afterwards. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Random, randomFrom } from "../../modes/code/faults/random-program.ts";
import { Sessions } from "./kill.ts";
import type { StoreKind } from "./open-store.ts";
import { script } from "./script.ts";
import { openPlace } from "./stores.ts";
import { Tally, type Told } from "./tally.ts";

const DISK_KB = 2_048;
/** Times that the disk is full under one pair of sessions, at most. */
const FULL = 3;

export async function fullDisk(kind: StoreKind, child: string, seed: number, times: number): Promise<Told> {
  const tally = new Tally();
  const codes = new Map<string, number>();
  const random = randomFrom(seed);
  for (let number = 0; number < times; number++) {
    const isMounted = await withSmallDisk(kind, child, (disk, open) => fillAndGoOn(disk, open(), random, tally, codes));
    if (!isMounted) return { summary: "a full disk is left out, no tmpfs can be mounted here", faults: [] };
  }
  const failures = [...codes].map(([code, count]) => `${code} ${count}`).join(", ");
  if (codes.size === 0) tally.fault("disk", `${kind}: the disk was never full`);
  const summary = `${tally.runs} runs met a full disk: ${failures}; ${tally.faults.length} faults`;
  return { summary, faults: tally.faults };
}

async function fillAndGoOn(
  disk: string,
  place: ReturnType<typeof openPlace>,
  random: Random,
  tally: Tally,
  codes: Map<string, number>,
): Promise<void> {
  const order = {
    child: place.child,
    where: place.where,
    effects: join(place.folder, "effects.txt"),
    script,
    ttlMs: 100,
    toolMs: 1,
  };
  const work = new Sessions({ ...place, mayFail: true }, order, ["a", "b"], tally);
  for (let round = 0; work.open.length > 0 && round < 20; round++) {
    const filler = join(disk, "filler");
    if (round < FULL) fill(disk, filler, Math.floor(random() * (round === 0 ? 3 : 10)));
    const life = await work.start().ended;
    rmSync(filler, { force: true });
    await work.look(life);
    for (const { status, code = "", message } of life.reports.values()) {
      if (status !== "error") continue;
      codes.set(code, (codes.get(code) ?? 0) + 1);
      if (!isClear(code) || round >= FULL) tally.fault("disk", `round ${round}: ${code} ${message}`);
    }
  }
  if (work.open.length > 0) tally.fault("end", `${work.open.join(", ")} came to no end`);
}

/** In a run; or of the file system, from a claim of the file store. */
function isClear(code: string): boolean {
  return code.startsWith("STORE_");
}

/** Leaves so much room, in blocks of 4 KB. */
function fill(disk: string, filler: string, blocks: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail - blocks) * bsize));
}

/** False: none can be mounted. */
async function withSmallDisk(
  kind: StoreKind,
  child: string,
  work: (disk: string, open: () => ReturnType<typeof openPlace>) => Promise<void>,
): Promise<boolean> {
  let disk = "";
  let place: ReturnType<typeof openPlace> | undefined;
  try {
    place = openPlace(kind, child, (folder) => {
      disk = join(folder, "disk");
      mkdirSync(disk);
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_KB}k`, "tmpfs", disk], { stdio: "ignore" });
      return join(disk, "store");
    });
  } catch {
    return false;
  }
  try {
    await work(disk, () => place);
  } finally {
    execFileSync("umount", ["-l", disk]);
    await place.close();
  }
  return true;
}
