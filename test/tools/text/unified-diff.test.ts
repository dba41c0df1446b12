/** Diffs, checked by applying them. */
import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { lineCount, unifiedDiff } from "../../../src/tools/text/unified-diff.ts";

const header = "--- a\n+++ b\n";

test("applied to the text before, it gives the text after", async () => {
  const line = fc.constantFrom("", "a", "b", "c", "  d", "\t");
  const text = fc
    .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
    .map(([lines, ended]) => lines.join("\n") + (ended ? "\n" : ""));
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const diff = await unifiedDiff(before, after, 1000);
      if (before === after) expect(diff).toBe("");
      else expect(applyPatch(before, `${header}${diff}\n`)).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test("a small change of a large text is quick, and its lines have their numbers", async () => {
  const before = "some line of text\n".repeat(200_000);
  const after = `${before.slice(0, 18 * 150_000)}new\n${before.slice(18 * 150_000)}`;
  const startedAt = performance.now();
  expect(await unifiedDiff(before, after, 200)).toMatch(/^@@ -1499\d\d,6 \+1499\d\d,7 @@\n/);
  expect(performance.now() - startedAt).toBeLessThan(3000);
});

test("two large texts with nothing in common are not compared to the end", async () => {
  const text = (seed: number) => Array.from({ length: 50_000 }, (_, index) => `${index * seed}\n`).join("");
  const startedAt = performance.now();
  expect(await unifiedDiff(text(3), text(7), 200)).toMatch(
    /^(\[nearly everything changed: 50000 lines before, 50000 now\]|@@)/,
  );
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test("long lines are cut", async () => {
  const diff = await unifiedDiff(`${"a".repeat(3000)}\n`, `${"b".repeat(3000)}\n`, 200);
  expect(diff.split("\n").map((line) => line.length)).toEqual([11, 515, 515]);
});

test("lines are counted with and without an end", () => {
  expect(["", "\n", "a", "a\n", "a\nb"].map(lineCount)).toEqual([0, 1, 1, 1, 2]);
});
