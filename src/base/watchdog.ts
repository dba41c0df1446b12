/** Coarse time limits for many things at once, on one timer: cheap where a limit is long and seldom reached. */

/** How exact a limit is, in milliseconds. */
export const TICK_MS = 100;

type Check = (now: number) => unknown;

const checks = new Set<Check>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls `check` every 100 ms until the returned function is called. Keeps the process alive meanwhile. */
export function watch(check: Check): () => void {
  checks.add(check);
  timer ??= setInterval(tick, TICK_MS);
  if (checks.size === 1) timer.ref();
  return () => {
    if (checks.delete(check) && checks.size === 0) timer!.unref();
  };
}

function tick(): void {
  const now = Date.now();
  for (const check of checks) check(now);
}
