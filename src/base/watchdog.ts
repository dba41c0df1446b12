/** Coarse time limits for many things at once, on one timer: cheap where a limit is long and seldom reached. */

/** Of one timer of Node, in milliseconds: what is set for longer fires at once. */
export const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** How exact a limit is, in milliseconds. */
export const TICK_MS = 100;

/** Something that has a limit, and finds out for itself whether it is reached. */
export interface Watched {
  check(now: number): void;
  /** Where the watchdog keeps it; undefined while it is not watched. Nobody else sets it. */
  place?: number | undefined;
}

/**
 * An array, and not a Set: a Set that lives long and changes often leaves old tables behind, each of which refers to
 * the next and to what it held, so that everything that was ever watched would wait for a full garbage collection.
 */
const watching: Watched[] = [];
let timer: ReturnType<typeof setInterval> | undefined;

/** Checks it every 100 ms until `unwatch`. Keeps the process alive meanwhile. */
export function watch(watched: Watched): void {
  if (watched.place !== undefined) return;
  watched.place = watching.push(watched) - 1;
  timer ??= setInterval(tick, TICK_MS);
  if (watching.length === 1) timer.ref();
}

export function unwatch(watched: Watched): void {
  const { place } = watched;
  if (place === undefined) return;
  const last = watching.pop()!;
  if (last !== watched) {
    watching[place] = last;
    last.place = place;
  }
  watched.place = undefined;
  if (watching.length === 0) timer!.unref();
}

/** From the end: what takes the place of one that leaves was checked already. */
function tick(): void {
  const now = Date.now();
  for (let index = watching.length - 1; index >= 0; index--) watching[index]?.check(now);
}
