/** Waits for an answer until a moment, by the clock on the wall: other processes go by it too. */

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Undefined when there was none until then, milliseconds since 1970. What comes later is nobody's. */
export function untilTime<T>(answer: Promise<T>, at: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      const leftMs = at - Date.now();
      if (leftMs <= 0) resolve(undefined);
      else timer = setTimeout(wait, Math.min(leftMs, LONGEST_TIMEOUT_MS));
    };
    wait();
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(Date.now() < at ? value : undefined); // the timer itself may be late
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
