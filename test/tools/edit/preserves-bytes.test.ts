/** Whatever the file: an edit changes the text it names, and every other byte stays. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdits } from "../../../src/tools/edit/apply-edits.ts";

const word = fc.constantFrom("a", "bb", "c d", "é", "😀", "", " ", "x\t");
const lineEnd = fc.constantFrom("\n", "\r\n");
const lines = fc
  .array(
    fc.tuple(word, lineEnd).map(([text, end]) => text + end),
    { maxLength: 8 },
  )
  .map((all) => all.join(""));

test("an exact edit of a marked piece", () => {
  fc.assert(
    fc.property(fc.boolean(), lines, lines, lines, lines, word, (hasBom, before, piece, after, newText, last) => {
      const bom = hasBom ? "\uFEFF" : "";
      const file = `${bom}${before}<<${piece}>>${after}${last}`;
      const oldText = `<<${piece.replaceAll("\r\n", "\n")}>>`;
      const { bytes } = applyEdits(new TextEncoder().encode(file), [{ oldText, newText: `[${newText}]` }], "file");
      const result = Buffer.from(bytes).toString();
      expect(result.startsWith(`${bom}${before}[`)).toBe(true);
      expect(result.endsWith(`]${after}${last}`)).toBe(true);
      const written = result.slice(bom.length + before.length + 1, result.length - after.length - last.length - 1);
      expect(written.replaceAll("\r\n", "\n")).toBe(newText.replaceAll("\r\n", "\n"));
    }),
    { numRuns: 1000 },
  );
});

test("an edit that only removes the blanks that it did not name", () => {
  fc.assert(
    fc.property(
      lines,
      lines,
      fc.array(fc.constantFrom(" ", "\t"), { minLength: 1, maxLength: 4 }),
      lineEnd,
      (before, after, blanks, end) => {
        const file = `${before}<<one${blanks.join("")}${end}two>>${end}${after}`;
        const { bytes, inexact } = applyEdits(
          new TextEncoder().encode(file),
          [{ oldText: "<<one\ntwo>>", newText: "!" }],
          "file",
        );
        expect(Buffer.from(bytes).toString()).toBe(`${before}!${end}${after}`);
        expect(inexact).toEqual(["trailing-blanks"]);
      },
    ),
    { numRuns: 500 },
  );
});
