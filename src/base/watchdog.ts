/** Coarse time limits for many things at once, on one timer: cheap where a limit is long and seldom reached. */

/** How exact a limit is, in milliseconds. */
export const TICK_MS = 100;

/** Something that has a limit, and finds out for itself whether it is reached. */
export interface Watched {
  check(now: number): void;
}

const watching = new Set<Watched>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Checks it every 100 ms until `unwatch`. Keeps the process alive meanwhile. */
export function watch(watched: Watched): void {
  watching.add(watched);
  timer ??= setInterval(tick, TICK_MS);
  if (watching.size === 1) timer.ref();
}

export function unwatch(watched: Watched): void {
  if (watching.delete(watched) && watching.size === 0) timer!.unref();
}

function tick(): void {
  const now = Date.now();
  for (const watched of watching) watched.check(now);
}
