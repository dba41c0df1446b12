/** Waits, but no longer than it may. */
import { LONGEST_TIMEOUT_MS } from "../../base/watchdog.ts";

/** Undefined when it does not come in time. */
export async function within<T>(work: Promise<T>, limitMs: number | undefined): Promise<T | undefined> {
  if (limitMs === undefined || limitMs > LONGEST_TIMEOUT_MS) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs).unref(); // what is waited for holds the process, if anything does
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
