/** Signals: what they carry, and that they are known by brand. */
import { expect, test } from "vitest";
import { isSignal, SnapshotSignal, ThinkSignal } from "../../src/core/signals.ts";

test("a ThinkSignal carries a reason for logs and a context for the model", () => {
  const signal = new ThinkSignal("No results", { tried: ["a"] });
  expect([signal.reason, signal.message, signal.context]).toEqual(["No results", "No results", { tried: ["a"] }]);
  expect(new ThinkSignal("Invalid code").context).toBe("Invalid code");
});

test("a SnapshotSignal carries what is waited for", () => {
  const signal = new SnapshotSignal("Waiting for payment", { order: 5 });
  expect([signal.reason, signal.message, signal.meta]).toEqual([
    "Waiting for payment",
    "Waiting for payment",
    { order: 5 },
  ]);
});

test("each is known from the other, from errors, and across copies of this package", () => {
  const [think, snapshot] = [new ThinkSignal("x"), new SnapshotSignal("x")];
  expect([
    ThinkSignal.is(think),
    ThinkSignal.is(snapshot),
    SnapshotSignal.is(snapshot),
    SnapshotSignal.is(think),
  ]).toEqual([true, false, true, false]);
  expect([think, snapshot].every(isSignal)).toBe(true);
  expect([new Error("x"), "x", null, undefined, { name: "ThinkSignal", reason: "forged" }].some(isSignal)).toBe(false);
  expect(ThinkSignal.is({ [Symbol.for("haft.signal")]: "think", reason: "of another copy" })).toBe(true);
});
