/** Waits for what others wrote, a hook, a handler, a dynamic value, but not long beyond an abort of the run. */
import { isThenable } from "../base/thenable.ts";
import type { RunAbort } from "./run-abort.ts";

/** How long an abort waits for work that takes note of it. */
export const GRACE_MS = 300;

/** @throws the reason of the abort when the work does not end in time, or what the work throws */
export function untilAbort<T>(abort: RunAbort, work: Promise<T>, graceMs?: number): Promise<T>;
export function untilAbort<T>(abort: RunAbort, work: T | PromiseLike<T>, graceMs?: number): T | Promise<T>;
export function untilAbort<T>(abort: RunAbort, work: T | PromiseLike<T>, graceMs = GRACE_MS): T | Promise<T> {
  if (!isThenable(work)) return work;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    abort.add(giveUpSoon);
    if (abort.aborted) giveUpSoon();
    work.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error) => {
        settle();
        reject(error);
      },
    );

    function giveUpSoon(): void {
      timer = setTimeout(() => {
        settle();
        reject(abort.reason);
      }, graceMs);
    }
    function settle(): void {
      clearTimeout(timer);
      abort.remove(giveUpSoon);
    }
  });
}
