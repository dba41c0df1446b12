/** One timer for many long limits. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { TICK_MS, unwatch, watch } from "../../src/base/watchdog.ts";

test("every check is asked with the time, until it is taken back", async () => {
  const [asked, other]: number[][] = [[], []];
  const one = { check: (now: number) => void asked!.push(now) };
  const another = { check: (now: number) => void other!.push(now) };
  watch(one);
  watch(another);
  await sleep(TICK_MS * 3.5);
  unwatch(one);
  const before = asked!.length;
  expect(before).toBeGreaterThanOrEqual(2);
  expect(Math.abs(asked!.at(-1)! - Date.now())).toBeLessThan(TICK_MS * 10);
  await sleep(TICK_MS * 2.5);
  expect(asked!.length).toBe(before);
  expect(other!.length).toBeGreaterThan(before);
  unwatch(another);
  unwatch(another);
});

test("a check may take itself back, and it begins again after a pause", async () => {
  let calls = 0;
  const once = () =>
    new Promise<void>((resolve) => {
      const watched = {
        check() {
          calls++;
          unwatch(watched);
          resolve();
        },
      };
      watch(watched);
    });
  await once();
  await once();
  expect(calls).toBe(2);
});
