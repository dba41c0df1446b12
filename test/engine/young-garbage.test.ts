/** A run that is over is freed by the quick collections of young memory: nothing that lives long keeps hold of it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../helpers/source-files.ts";

/** Without the optimizing compiler, whose notes are in the same memory. */
const flags = ["--expose-gc", "--no-opt", "--max-semi-space-size=2"];

/** A run has some 10 KB of messages and log. */
function bytesLeft(how: "keep" | "forget"): number {
  const child = join(root, "test/engine/young-garbage/child.mjs");
  return Number(execFileSync(process.execPath, [...flags, child, how], { encoding: "utf8" }));
}

test("what ran leaves next to nothing behind", () => {
  expect(bytesLeft("forget")).toBeLessThan(6_000);
});

test("and this would be seen: somebody keeps the results", () => {
  expect(bytesLeft("keep")).toBeGreaterThan(8_000);
});
