/** Identifiers: their shape, their order, and that there are never two of one. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { newId } from "../../src/base/ids.ts";

test("prefix, underscore, 20 characters of lower case Crockford base 32", () => {
  expect(newId("run")).toMatch(/^run_[0-9a-hjkmnp-tv-z]{20}$/);
});

test("100,000 are all different", () => {
  expect(new Set(Array.from({ length: 100_000 }, () => newId("x"))).size).toBe(100_000);
});

test("they sort by the time they were made, also those of one millisecond", async () => {
  const made: string[] = [];
  for (let round = 0; round < 3; round++) {
    for (let index = 0; index < 200; index++) made.push(newId("x"));
    await sleep(3);
  }
  expect([...made].sort()).toEqual(made);
});
