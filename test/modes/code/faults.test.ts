import { describe, expect, test } from "vitest";
import { play } from "./faults/play.ts";

/** `npm run test:faults` does the same with many more. */
describe("random programs, cut anywhere", () => {
  test.each([11, 12, 13, 14, 15, 16])("seed %i: no call is made twice, and a replay says the same", async (seed) => {
    const { prefixes, faults } = await play(seed, 7);
    expect(faults).toEqual([]);
    expect(prefixes).toBeGreaterThan(2);
  });
});
