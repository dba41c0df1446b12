/** A worker that stands still for longer than its claim, while others go on with its sessions, and then wakes up. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Random, randomFrom } from "../../modes/code/faults/random-program.ts";
import { Sessions } from "./kill.ts";
import { openCalls } from "./ledger.ts";
import { type Life, type Order, start } from "./life.ts";
import { APPENDS, digest, script } from "./script.ts";
import type { Place } from "./stores.ts";
import { Tally, type Told } from "./tally.ts";

const TTL_MS = 400;

interface Counts {
  stopped: number;
  appends: number;
  effects: number;
  /** Calls whose start was acknowledged when it stopped, and whose effect had not begun: nobody can take those back. */
  windows: number;
}

export async function zombies(place: Place, seed: number, times: number): Promise<Told> {
  const random = randomFrom(seed);
  const tally = new Tally();
  const counts: Counts = { stopped: 0, appends: 0, effects: 0, windows: 0 };
  for (let number = 0; number < times; number++) await stopAndTakeOver(place, number, random, tally, counts);
  const { stopped, appends, effects, windows } = counts;
  const summary = `${stopped} workers stopped, and woken after others went on: ${appends} entries appended, ${effects} effects begun; ${windows} calls had been started without an effect when they stopped; ${tally.faults.length} faults`;
  return { summary, faults: tally.faults };
}

async function stopAndTakeOver(
  place: Place,
  number: number,
  random: Random,
  tally: Tally,
  counts: Counts,
): Promise<void> {
  const effects = `${place.folder}/zombie-${number}.txt`;
  const order = { child: place.child, where: place.where, effects, script, ttlMs: TTL_MS, toolMs: 4 };
  const sessions = [`z${number}a`, `z${number}b`];
  const work = new Sessions(place, order, sessions, tally);
  const zombie = stopAfter(work.order, Math.floor(random() * APPENDS * 1.5), random() * 8);
  try {
    const isStopped = await zombie.stopped;
    await work.look(zombie.life);
    if (!isStopped) return; // it was faster
    const whenStopped = await state(place, sessions, work, zombie.life);
    for (let round = 0; work.open.length > 0 && round < 10; round++) await work.goOn();
    if (work.open.length > 0) tally.fault("end", `${work.open.join(", ")} came to no end`);
    const whenWoken = await state(place, sessions, work, zombie.life);
    zombie.signal("SIGCONT");
    await zombie.ended;
    const atEnd = await state(place, sessions, work, zombie.life);
    const appends = atEnd.entries - whenWoken.entries;
    const begun = atEnd.effects - whenStopped.effects;
    counts.stopped++;
    counts.appends += appends;
    counts.effects += begun;
    counts.windows += whenStopped.windows;
    if (appends > 0) tally.fault("zombie", `z${number} appended ${appends} entries after others had gone on`);
    if (atEnd.broken > 0)
      tally.fault("zombie", `z${number} was told that ${atEnd.broken} entries are written, and they are not`);
    if (begun > whenStopped.windows)
      tally.fault("zombie", `z${number} began ${begun} effects, not ${whenStopped.windows}`);
  } finally {
    zombie.signal("SIGKILL");
  }
}

/** A process that is stopped a moment after so many appends; not stopped, when it was over before. */
function stopAfter(order: Order, appends: number, laterMs: number) {
  let left = appends;
  let tell: (isStopped: boolean) => void;
  const stopped = new Promise<boolean>((resolve) => {
    tell = resolve;
  });
  const started = start(order, undefined, (line) => {
    if (line.startsWith("appended ") && left-- === 0) void stop();
  });
  const stop = async () => {
    await sleep(laterMs);
    let isStopped = started.signal("SIGSTOP");
    while (isStopped && holdsLock(order.where.at, started.life.pid)) {
      started.signal("SIGCONT");
      await sleep(1);
      isStopped = started.signal("SIGSTOP");
    }
    await sleep(30); // what it has said is read
    tell(isStopped);
  };
  started.ended.then(() => tell(false));
  return { ...started, stopped };
}

/**
 * A process that is stopped in the middle of a write keeps the database's lock, or the lock file, and all others wait until it is woken
 * or killed: no claim helps. Here it is let go on until it has none.
 */
function holdsLock(at: string, pid: number): boolean {
  if (new RegExp(`POSIX .* WRITE ${pid} `).test(readFileSync("/proc/locks", "utf8"))) return true;
  const names = statSync(at, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(at) : [];
  const locks = names.filter((name) => lstatSync(join(at, name), { throwIfNoEntry: false })?.isSymbolicLink());
  return locks.some((name) => ownerOf(join(at, name)).startsWith(`${pid}:`));
}

/** Another worker may give its lock back meanwhile. */
function ownerOf(lock: string): string {
  try {
    return readlinkSync(lock);
  } catch {
    return "";
  }
}

/** What there is, and what of it is this worker's. */
async function state(place: Place, sessions: string[], work: Sessions, { pid, acknowledged }: Life) {
  const logs = await Promise.all(sessions.map((session) => place.read(session)));
  const mine = work.effects().filter((effect) => effect.pid === pid);
  const begun = new Set(mine.map(({ callId }) => callId));
  /** It may hear when it wakes up of what was written before others went on. */
  const broken = sessions.flatMap((session, index) => {
    const promised = acknowledged.get(session) ?? [];
    return promised.filter((entry) => entry.digest !== digest(logs[index]![entry.seq]));
  });
  return {
    entries: sum(logs),
    broken: broken.length,
    effects: mine.length,
    windows: logs.flatMap(openCalls).filter((callId) => !begun.has(callId)).length,
  };
}

function sum(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((total, { length }) => total + length, 0);
}
