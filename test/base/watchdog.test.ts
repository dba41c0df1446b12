/** One timer for many long limits. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { TICK_MS, watch } from "../../src/base/watchdog.ts";

test("every check is asked with the time, until it is taken back", async () => {
  const [asked, other]: number[][] = [[], []];
  const stop = watch((now) => asked!.push(now));
  const stopOther = watch((now) => other!.push(now));
  await sleep(TICK_MS * 3.5);
  stop();
  const before = asked!.length;
  expect(before).toBeGreaterThanOrEqual(2);
  expect(Math.abs(asked!.at(-1)! - Date.now())).toBeLessThan(TICK_MS * 10);
  await sleep(TICK_MS * 2.5);
  expect(asked!.length).toBe(before);
  expect(other!.length).toBeGreaterThan(before);
  stopOther();
  stopOther();
});

test("a check may take itself back, and it begins again after a pause", async () => {
  let calls = 0;
  const once = () =>
    new Promise<void>((resolve) => {
      const stop = watch(() => {
        calls++;
        stop();
        resolve();
      });
    });
  await once();
  await once();
  expect(calls).toBe(2);
});
