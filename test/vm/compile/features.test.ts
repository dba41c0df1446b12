import { parse } from "@babel/parser";
import { describe, expect, test } from "vitest";
import { features } from "./features.ts";
import { compiled, run, thrownAt } from "./run.ts";

const plain = (value: unknown) => JSON.parse(JSON.stringify({ value }));

describe.each(features)("$name", ({ setup, result, expected }) => {
  test("means what it says", async () => {
    const ran = await run(`${setup};\n${result}`);
    expect(ran.thrown).toBeUndefined();
    expect(plain(ran.value)).toEqual(plain(expected));
  });

  test("throws where it was written", async () => {
    const sameLine = await run(`${setup}; throw new Error("here")\n`);
    const lines = setup.split("\n");
    expect(thrownAt(sameLine)).toEqual({ line: lines.length, column: lines.at(-1)!.length + "; throw ".length + 1 });
    const later = await run(`${setup}\n{\n    const e = new Error("here") as unknown; throw e }`);
    expect(thrownAt(later)).toEqual({ line: lines.length + 2, column: 15 });
  });

  test("keeps every word where it stood", () => {
    const source = `\n${setup};\n${result}`;
    const { code, place } = compiled(source);
    const lines = source.split("\n");
    const codeLines = code.split("\n");
    // Where something was put in, throwing shows that places are right.
    const isSame = (line: number) => codeLines[line - 1]!.length === lines[line - 1]?.length;
    const misplaced = wordsOf(code).filter(({ text, line, column }) => {
      const at = place(line, column);
      const word = lines[at.line - 1]!.slice(at.column - 1, at.column - 1 + text.length);
      return isSame(line) && (word !== text || at.line !== line || at.column !== column);
    });
    expect(misplaced).toEqual([]);
  });
});

function wordsOf(code: string) {
  const { tokens } = parse(code, { sourceType: "module", tokens: true });
  return (tokens ?? [])
    .filter((token: any) => typeof token.value === "string" && token.type.label === "name")
    .map((token: any) => ({
      ...{ text: code.slice(token.start, token.end), line: token.loc.start.line, column: token.loc.start.column + 1 },
    }));
}
