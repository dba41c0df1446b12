/** The edit engine, on bytes. */
import { describe, expect, test } from "vitest";
import { applyEdits, type TextEdit } from "../../../src/tools/edit/apply-edits.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const edit = (oldText: string, newText: string, replaceAll?: boolean): TextEdit => ({ oldText, newText, replaceAll });

function expectEdit(before: string | Uint8Array, edits: TextEdit[], after: string, inexact: string[] = []): void {
  const result = applyEdits(typeof before === "string" ? bytes(before) : before, edits, "file.txt");
  expect(JSON.stringify(Buffer.from(result.bytes).toString())).toBe(JSON.stringify(after));
  expect(Buffer.from(result.bytes).equals(bytes(after))).toBe(true);
  expect(result.inexact).toEqual(inexact);
}

function expectRefusal(before: string | Uint8Array, edits: TextEdit[], code: string, message?: RegExp): void {
  expect(() => applyEdits(typeof before === "string" ? bytes(before) : before, edits, "file.txt")).toThrowError(
    expect.objectContaining({ code, ...(message && { message: expect.stringMatching(message) }) }),
  );
}

describe("exact", () => {
  test("one line among others", () => expectEdit("one\ntwo\nthree\n", [edit("two", "2")], "one\n2\nthree\n"));
  test("text is deleted", () => expectEdit("one\ntwo\nthree\n", [edit("two\n", "")], "one\nthree\n"));
  test("replacement patterns are text", () => expectEdit("x\n", [edit("x", "$& $1 $' $`")], "$& $1 $' $`\n"));
  test("characters beyond the basic plane", () => expectEdit("a😀b\n", [edit("😀", "😁")], "a😁b\n"));
  test("all occurrences", () => expectEdit("n n n\n", [edit("n", "mm", true)], "mm mm mm\n"));
  test("all occurrences of a text that overlaps itself", () => expectEdit("aaaa\n", [edit("aa", "b", true)], "bb\n"));
});

describe("line ends, BOM and last line", () => {
  test("CRLF: old text with LF is found, new lines get CRLF", () =>
    expectEdit("a\r\nb\r\nc\r\n", [edit("a\nb", "a\nnew\nb")], "a\r\nnew\r\nb\r\nc\r\n"));
  test("LF: old text with CRLF is found, new lines get LF", () =>
    expectEdit("a\nb\n", [edit("a\r\nb", "c\r\nd")], "c\nd\n"));
  test("lone CR", () => expectEdit("a\rb\r", [edit("a\nb", "c\nd")], "c\rd\r"));
  test("a lone CR in a file of LF lines is a character", () =>
    expectEdit("10%\r20%\nend\n", [edit("20%", "30%")], "10%\r30%\nend\n"));
  test("mixed: lines that are not edited keep theirs", () =>
    expectEdit("a\r\nb\nc\r\nd\n", [edit("d", "D")], "a\r\nb\nc\r\nD\n"));
  test("mixed: lines of context inside the edit keep theirs", () =>
    expectEdit("a\nb\r\nc\r\nd\ne\r\n", [edit("a\nb\nc\nd\n", "a\nb\nC\nd\n")], "a\nb\r\nC\r\nd\ne\r\n"));
  test("BOM", () => expectEdit("\uFEFFa\nb\n", [edit("a", "z")], "\uFEFFz\nb\n"));
  test("BOM and CRLF: every other byte stays", () =>
    expectEdit("\uFEFFfirst \r\nsecond\t\r\n\r\nlast", [edit("second", "2nd")], "\uFEFFfirst \r\n2nd\t\r\n\r\nlast"));
  test("no newline at the end", () => expectEdit("a\nb", [edit("b", "c")], "a\nc"));
  test("old text that starts or ends in the middle of a CRLF", () =>
    expectEdit("a\r\nb\r\nc", [edit("\nb", "\nB"), edit("c", "C")], "a\r\nB\r\nC"));
});

describe("several edits", () => {
  test("in any order", () => expectEdit("a\nb\nc\n", [edit("c", "C"), edit("a", "A")], "A\nb\nC\n"));
  test("each is looked for in the file as it was", () =>
    expectEdit("a b\n", [edit("a", "b"), edit("b", "c")], "b c\n"));
  test("side by side", () => expectEdit("abcd\n", [edit("ab", "1"), edit("cd", "2")], "12\n"));
  test("overlaps are refused", () =>
    expectRefusal("abc\n", [edit("ab", "x"), edit("bc", "y")], "EDIT_OVERLAP", /line 1/));
  test("one that is not found stops all", () =>
    expectRefusal("a\n", [edit("a", "b"), edit("q", "r")], "EDIT_NOT_FOUND"));
});

describe("forgiving", () => {
  const TRAILING = ["trailing-blanks"];
  test("blanks at line ends of the file", () =>
    expectEdit("foo(  \n  bar   \n)\nkeep   \n", [edit("foo(\n  bar\n)", "baz()")], "baz()\nkeep   \n", TRAILING));
  test("blanks at line ends of the old text", () =>
    expectEdit("foo(\n  bar\n)\n", [edit("foo(   \n  bar\t\n)", "baz()")], "baz()\n", TRAILING));
  test("blanks at line ends with CRLF and BOM", () =>
    expectEdit("\uFEFFa  \r\nb\r\nc \r\n", [edit("a\nb", "x\ny")], "\uFEFFx\r\ny\r\nc \r\n", TRAILING));
  test("blanks after the old text ask for a line's end", () => {
    expectEdit("foobar\nfoo\n", [edit("foo  ", "x")], "foobar\nx\n", TRAILING);
    expectRefusal("foobar\n", [edit("foo  ", "x")], "EDIT_NOT_FOUND");
  });
  test("quotes and dashes; only the match changes", () =>
    expectEdit(
      "say \u201Chi\u201D \u2014 ok\nother \u201Cq\u201D\n",
      [edit('say "hi" - ok', 'say "yo"')],
      'say "yo"\nother \u201Cq\u201D\n',
      ["look-alikes"],
    ));
  test("no-break space", () => expectEdit("a\u00A0b\n", [edit("a b", "c")], "c\n", ["look-alikes"]));
  test("look-alikes and blanks at once", () =>
    expectEdit("\u2018a\u2019  \nb\n", [edit("'a'\nb", "c")], "c\n", ["look-alikes"]));
  test("composed and decomposed letters stay different", () =>
    expectRefusal("caf\u00E9\n", [edit("cafe\u0301", "x")], "EDIT_NOT_FOUND"));
  test("line numbers with an arrow", () =>
    expectEdit("foo\nbar\n", [edit("     1\u2192foo\n     2\u2192bar", "x")], "x\n", ["line-numbers"]));
  test("line numbers with a tab, in both texts", () =>
    expectEdit("foo\nbar\n", [edit("1\tfoo\n2\tbar", "1\tFOO\n2\tbar")], "FOO\nbar\n", ["line-numbers"]));
  test("line numbers, an empty line, and a new line without a number", () =>
    expectEdit("a\n\nb\n", [edit("9\ta\n10\n11\tb\n", "9\ta\n10\nnew\n11\tb\n")], "a\n\nnew\nb\n", ["line-numbers"]));
  test("numbers that do not count up are text", () =>
    expectRefusal("a\nb\n", [edit("1: a\n5: b", "x")], "EDIT_NOT_FOUND"));
  test("an exact match elsewhere goes first", () => expectEdit("x \nx\n", [edit("x\n", "y\n")], "x \ny\n"));
});

describe("refusals", () => {
  test("more than one occurrence", () =>
    expectRefusal("x\na\nx\n", [edit("x", "y")], "EDIT_AMBIGUOUS", /Found 2 occurrences .*lines 1, 3/));
  test("occurrences that overlap", () =>
    expectRefusal("aaa\n", [edit("aa", "b")], "EDIT_AMBIGUOUS", /Found 2 occurrences .*line 1/));
  test("many occurrences: five lines are named", () =>
    expectRefusal(
      "x\n".repeat(5000),
      [edit("x", "y")],
      "EDIT_AMBIGUOUS",
      /at least 1000 occurrences .*lines 1, 2, 3, 4, 5, …/,
    ));
  test("all occurrences, none exact", () =>
    expectRefusal("a\u00A0b a\u00A0b\n", [edit("a b", "c", true)], "EDIT_AMBIGUOUS", /none of them exact/));
  test("more occurrences than can be replaced", () =>
    expectRefusal("x".repeat(100_001), [edit("x", "y", true)], "EDIT_TOO_MANY"));
  test("not there", () => expectRefusal("x\n", [edit("y", "z")], "EDIT_NOT_FOUND"));
  test("not there, but nearly: names the line", () =>
    expectRefusal(
      "one\n  const total = 1;\nend\n",
      [edit("const total = 1;\nfinish", "x")],
      "EDIT_NOT_FOUND",
      /Its line 1 stands at line 2/,
    ));
  test("the same text", () => expectRefusal("x\n", [edit("x", "x")], "EDIT_NO_CHANGE"));
  test("the same text but for line ends", () => expectRefusal("a\r\nb", [edit("a\nb", "a\r\nb")], "EDIT_NO_CHANGE"));
  test("the file has the new text already", () =>
    expectRefusal("a  \nb\n", [edit("a\nb", "a  \nb")], "EDIT_NO_CHANGE"));
  test("empty old text", () => expectRefusal("x\n", [edit("", "x")], "EDIT_EMPTY"));
  test("binary", () => expectRefusal(Uint8Array.from([0, 1, 2]), [edit("x", "y")], "FILE_BINARY"));
  test("not UTF-8", () => expectRefusal(Uint8Array.from([0x63, 0xe9, 0x0a]), [edit("c", "y")], "FILE_NOT_UTF8"));
  test("too large", () =>
    expectRefusal(new Uint8Array(10 * 1024 * 1024 + 1).fill(97), [edit("b", "y")], "FILE_TOO_LARGE"));
});

describe("facts of the result", () => {
  test("replacements, the first line that changed, and the texts", () => {
    const result = applyEdits(
      bytes("\uFEFFa\r\nb\r\nc\r\nb\r\n"),
      [edit("c\n", "C\n"), edit("b", "bb", true)],
      "file.txt",
    );
    expect(result).toMatchObject({
      replacements: 3,
      firstChangedLine: 2,
      before: "a\nb\nc\nb\n",
      after: "a\nbb\nC\nbb\n",
    });
  });
});

test("time grows with the size, not with its square: an 8 MB CRLF file, every way of matching", () => {
  const seconds = (lines: number) => {
    const file = bytes(`${"line of text number\r\n".repeat(lines)}needle  \r\nlast\r\n`);
    const startedAt = performance.now();
    for (const oldText of ["needle", "needle\nlast", "\u2018needle\nlast"]) {
      try {
        const { firstChangedLine } = applyEdits(file, [edit(oldText, "N")], "file.txt");
        expect(firstChangedLine).toBe(lines + 1);
      } catch (error) {
        expect(error).toMatchObject({ code: "EDIT_NOT_FOUND" });
      }
    }
    return (performance.now() - startedAt) / 1000;
  };
  seconds(1000);
  const small = seconds(40_000);
  const large = seconds(400_000);
  expect(large).toBeLessThan(Math.max(small, 0.05) * 60);
});
