/** Waits, but no longer than it may. */

const LONGEST_MS = 2 ** 31 - 1;

/** Undefined when it does not come in time. */
export async function within<T>(work: Promise<T>, limitMs: number | undefined): Promise<T | undefined> {
  if (limitMs === undefined || limitMs > LONGEST_MS) return work;
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
