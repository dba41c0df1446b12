/** Which run an entry belongs to. */
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/core/log.ts";
import { isIn, isIterationKey, runOf, withoutNested } from "../../src/core/log-keys.ts";

const event = (key: string, type: string, more: object = {}) => ({ key, type, ...more }) as unknown as RunEvent;

test.each<[string, string, object, string]>([
  ["run_x", "run-start", {}, "run_x"],
  ["run_x/2", "model-response", {}, "run_x"],
  ["run_x/2", "message", {}, "run_x"],
  ["run_x/2/1", "tool-call", {}, "run_x"],
  ["run_x/2/w1", "state", {}, "run_x"],
  ["run_x/2/1", "decision", {}, "run_x"],
  ["run_x/2/1", "tool-output", {}, "run_x"],
  ["run_x/2/1", "retry", { what: "tool" }, "run_x"],
  ["run_x/2/1", "secret", { action: "access" }, "run_x"],
  ["run_x/2/1", "secret", { action: "resolve" }, "run_x/2/1"],
  ["run_x/2/1", "run-start", {}, "run_x/2/1"],
  ["run_x/2/1", "message", {}, "run_x/2/1"],
  ["run_x/2/1", "run-end", {}, "run_x/2/1"],
  ["run_x/2/1/1", "text-delta", {}, "run_x/2/1"],
  ["run_x/2/1/1", "iteration-end", {}, "run_x/2/1"],
  ["run_x/2/1/1/3", "tool-end", {}, "run_x/2/1"],
  ["run_x/2/1/1/3", "run-start", {}, "run_x/2/1/1/3"],
])("%s %s %o belongs to %4$s", (key, type, more, run) => {
  expect(runOf(event(key, type, more))).toBe(run);
});

test("a key is of an iteration, or in a place, by its parts", () => {
  expect(["run_x", "run_x/1", "run_x/1/1", "run_x/1/1/1"].map(isIterationKey)).toEqual([false, true, false, true]);
  expect(["run_x/1/1", "run_x/1/1/2", "run_x/1/12", "run_x/1"].map((key) => isIn("run_x/1/1", key))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a log without nested runs is given back as it is", () => {
  const plain = [event("run_x", "run-start"), event("run_x/1/1", "tool-call")] as any[];
  expect(withoutNested(plain)).toBe(plain);
  expect(withoutNested([...plain, event("run_x/1/1", "run-start") as any])).toEqual(plain);
});
