/** Programs of every kind: the faulty ones are found, on their line, and no correct one is refused. */
import { describe, expect, test } from "vitest";
import { openChecker } from "../../../src/vm/check/index.ts";
import { declarations, readCorpus } from "./corpus/read-corpus.ts";

const checker = openChecker()!;

describe("correct programs", () => {
  const programs = readCorpus("correct");

  test("there are many", () => expect(programs.length).toBeGreaterThanOrEqual(60));

  test.each(programs)("$name", async ({ code, earlier }) => {
    expect(await checker.check({ code, earlier, declarations })).toEqual([]);
  });
});

describe("faulty programs", () => {
  const programs = readCorpus("faulty");

  test("there are many, and each says where", () => {
    expect(programs.length).toBeGreaterThanOrEqual(60);
    expect(programs.filter(({ marked }) => marked.length === 0)).toEqual([]);
  });

  test.each(programs)("$name", async ({ code, earlier, marked }) => {
    const problems = await checker.check({ code, earlier, declarations });
    expect(problems.map(({ line }) => line)).toContain(marked[0]);
  });
});
