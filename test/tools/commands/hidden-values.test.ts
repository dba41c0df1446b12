/** Secret values in output that comes in pieces. */
import { expect, test } from "vitest";
import { HiddenValues } from "../../../src/tools/commands/hidden-values.ts";
import { StreamFilter, unfinishedBytes } from "../../../src/tools/commands/stream-filter.ts";

function through(values: Record<string, string>, pieces: (string | Uint8Array)[]): string[] {
  const filter = new StreamFilter(new HiddenValues(values));
  const passed = pieces.map((piece) => filter.push(Buffer.from(piece)).toString());
  return [...passed, filter.end().toString()];
}

test("a value in one piece, twice", () => {
  expect(through({ KEY: "abcdef" }, ["x abcdef y abcdef z"])).toEqual(["x [REDACTED:KEY] y [REDACTED:KEY] z", ""]);
});

test("a value in every split of two and of single bytes", () => {
  const text = "say päss-wörd now";
  const bytes = Buffer.from(text);
  for (let at = 1; at < bytes.length; at++) {
    expect(through({ P: "päss-wörd" }, [bytes.subarray(0, at), bytes.subarray(at)]).join("")).toBe(
      "say [REDACTED:P] now",
    );
  }
  expect(
    through(
      { P: "päss-wörd" },
      [...bytes].map((byte) => Uint8Array.of(byte)),
    ).join(""),
  ).toBe("say [REDACTED:P] now");
});

test("only what may be the start of a value waits", () => {
  expect(through({ KEY: "abcdef" }, ["hello abc", "xyz", "abcd"])).toEqual(["hello ", "abcxyz", "", "abcd"]);
});

test("of values that are parts of each other, the longest goes first; short ones stay", () => {
  expect(through({ A: "token", B: "token-long", C: "tok" }, ["tok token token-long"]).join("")).toBe(
    "tok [REDACTED:A] [REDACTED:B]",
  );
});

test("how many bytes of a character are still to come", () => {
  expect(["a", "é", "€", "😀"].map((character) => unfinishedBytes(Buffer.from(character)))).toEqual([0, 0, 0, 0]);
  expect([1, 2, 3].map((length) => unfinishedBytes(Buffer.from("😀").subarray(0, length)))).toEqual([1, 2, 3]);
  expect(unfinishedBytes(Uint8Array.of(0x80, 0x80, 0x80, 0x80))).toBe(0);
});
