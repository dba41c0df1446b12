import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BuiltChild, buildChild } from "./faults/build-child.ts";
import { fullDisk } from "./faults/full-disk.ts";
import { withoutPostgres, withPostgres } from "./faults/postgres-faults.ts";
import { openPlace } from "./faults/stores.ts";
import { killMany } from "./faults/stores-faults.ts";
import { zombies } from "./faults/zombie.ts";

let child: BuiltChild;
beforeAll(async () => {
  child = await buildChild();
});
afterAll(() => child.remove());

/** `npm run test:faults` does the same with many more, and with every store. */
describe.each(["file", "sqlite-strict"] as const)("%s", (kind) => {
  test("killed at any moment: nothing acknowledged is lost, nothing that ended is made again", async () => {
    const place = openPlace(kind, child.script);
    try {
      const { faults, kills, entries } = await killMany(place, 3, 5);
      expect(faults).toEqual([]);
      expect(kills).toBeGreaterThanOrEqual(5);
      expect(entries).toBeGreaterThan(30);
    } finally {
      await place.close();
    }
  });

  test("a worker that wakes up after others went on appends nothing and begins nothing", async () => {
    const place = openPlace(kind, child.script);
    try {
      expect((await zombies(place, 1, 1)).faults).toEqual([]);
    } finally {
      await place.close();
    }
  });

  test("a full disk: a clear error, and nothing acknowledged is lost", async () => {
    expect((await fullDisk(kind, child.script, 3, 1)).faults).toEqual([]);
  });
});

describe.skipIf(withoutPostgres !== undefined)(
  `postgres${withoutPostgres ? ` (skipped: ${withoutPostgres})` : ""}`,
  () => {
    test("its writers killed and stopped: nothing acknowledged is lost or made again", async () => {
      await withPostgres(child.script, async (place) => {
        const killed = await killMany(place, 3, 5);
        const told = [killed, await zombies(place, 1, 1)];
        expect(told.flatMap(({ faults }) => faults)).toEqual([]);
        expect(killed.kills).toBeGreaterThanOrEqual(5);
      });
    }, 90_000);
  },
);

test("a store that acknowledges what it has not written is found", async () => {
  const place = openPlace("hasty", child.script);
  try {
    const tally = await killMany(place, 3, 10);
    expect(tally.kinds.of("lost")).toBeGreaterThan(0);
  } finally {
    await place.close();
  }
});
