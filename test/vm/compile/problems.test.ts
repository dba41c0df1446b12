/** What is said of a program that cannot run. */
import { describe, expect, test } from "vitest";
import { compileProgram, excerptOf } from "../../../src/vm/compile/index.ts";
import { problemsOf } from "./run.ts";

const noImport = "Nothing can be imported: tools are global functions: there is nothing to import";
const noExport = "Nothing can be exported from another file: tools are global functions";
const tooDeep = "The program is nested too deeply: write it flatter";

test.each([
  ["const a = ;", "1:11 Unexpected token"],
  ["const a = 1\nconst b = (2", '2:13 Unexpected token, expected ","'],
  ["let a = 1\nlet a = 2", "2:5 Identifier 'a' has already been declared."],
  ["import a from 'a'", `1:1 ${noImport}`],
  ["import 'a'", `1:1 ${noImport}`],
  ["import { type A, b } from 'a'", `1:1 ${noImport}`],
  ["import a = require('a')", `1:1 ${noImport}`],
  ["const a = await import('a')", `1:17 ${noImport}`],
  ["import.meta.url", `1:1 ${noImport}`],
  ["export * from 'a'", `1:1 ${noExport}`],
  ["export { a } from 'a'", `1:1 ${noExport}`],
  [
    "export default async () => <T>a\nexport default 2",
    "2:1 A program gives one value: write export default once, or return",
  ],
  ["export = 1", "1:1 `export =` cannot be used here: write return and the value"],
  ["namespace A { export const b = 1 }", "1:1 A namespace with values cannot be used here: write an object"],
  ["namespace A.B { export const b = 1 }", "1:1 A namespace with values cannot be used here: write an object"],
  ["@a class B {}", "1:1 Decorators cannot be used here: call the function yourself"],
  ["class A { @b c() {} }", "1:11 Decorators cannot be used here: call the function yourself"],
  ["using a = b()", "1:1 `using` cannot be used here: write const, and close it in a finally block"],
  ["await using a = b()", "1:1 `using` cannot be used here: write const, and close it in a finally block"],
  ["class A { accessor b = 1 }", "1:11 `accessor` cannot be used here: write a property, or get and set"],
  ["async <T>(a: T)\n=> a", "1:1 No line may end before =>"],
  ["async (a): Promise<T>\n=> a", "1:1 No line may end before =>"],
  ["enum A { B = 'b', C }", "1:19 C needs a value, for there is none that follows a text"],
  ["enum A { B = (() => 1)() }", "1:15 A value of an enum cannot hold a function: write it before the enum"],
  [
    "class A extends B { constructor(private c: 1) { if (1) super() } }",
    "1:21 Write super() as a statement of its own",
  ],
])("%j", (source, problem) => {
  expect(problemsOf(source)).toEqual([problem]);
});

test("several at once, in the order of the program, ten at most", () => {
  const source = "search(1)\nlet a = 1\nlet a = 2\nimport b from 'b'\nreturn";
  expect(problemsOf(source).map((problem) => problem.split(" ")[0])).toEqual(["1:1", "3:5", "4:1"]);
  expect(problemsOf("search(1)\n".repeat(30))).toHaveLength(10);
});

test("nothing is said of the parser", () => {
  const sources = [
    "<div>a</div>",
    "a |> b",
    "#{ a: 1 }",
    "do { 1 }",
    "module a {}",
    "return <A b='c' />",
    "x = do {}",
    "v8%Foo()",
  ];
  for (const problem of sources.flatMap(problemsOf))
    expect(problem).not.toMatch(/plugin|babel|sourceType|option|\(\d+:/i);
});

describe("limits", () => {
  test("more than 1 MiB", () => {
    const result = compileProgram(`// ${"é".repeat(600_000)}`, { functions: [] });
    expect(result).toEqual({
      ok: false,
      problems: [{ line: 1, column: 1, message: "The program is longer than 1 MiB" }],
    });
  });

  test.each([
    ["parentheses", `${"(".repeat(50_000)}1${")".repeat(50_000)}`],
    ["brackets that never close", "[".repeat(50_000)],
    ["functions", `${"()=>{".repeat(20_000)}${"}".repeat(20_000)}`],
    ["blocks", `${"{".repeat(50_000)}${"}".repeat(50_000)}`],
    ["types", `let a: ${"A<".repeat(50_000)}1${">".repeat(50_000)}`],
    ["templates", `${"`${".repeat(20_000)}1${"}`".repeat(20_000)}`],
    ["unary operators", `${"- ".repeat(100_000)}1`],
  ])("very deep %s", (_, source) => {
    expect(problemsOf(source)).toEqual([`1:1 ${tooDeep}`]);
  });

  test.each([
    ["casts", `${"<T>(".repeat(40)}1${")".repeat(40)}`],
    ["heads of arrows", "(a=(b):{".repeat(40)],
    ["generic arrows", "(a=<T>(".repeat(40)],
  ])("%s that the parser would read a thousand million times", (_, source) => {
    expect(problemsOf(source)).toEqual([expect.stringContaining(tooDeep)]);
  });

  test("long chains are not deep", () => {
    expect(problemsOf(`a${".b()".repeat(5_000)}`)).toEqual([]);
    expect(problemsOf(`${"1+".repeat(1_000)}1`)).toEqual([]);
    expect(problemsOf("search\n".repeat(10_000))).toEqual([]);
  });
});

describe("an excerpt", () => {
  const source = "one\ntwo\n\tthree();\nfour\nfive";

  test("shows the lines around a place", () => {
    expect(excerptOf(source, 3, 2)).toBe("  1 | one\n  2 | two\n> 3 | \tthree();\n    | \t^\n  4 | four");
    expect(excerptOf(source, 1, 1)).toBe("> 1 | one\n    | ^\n  2 | two");
    expect(excerptOf(source, 5, 5)).toBe("  3 | \tthree();\n  4 | four\n> 5 | five\n    |     ^");
    expect(excerptOf("", 1, 1)).toBe("> 1 |\n    | ^");
  });

  test("of a place that there is not", () => {
    expect(excerptOf("one", 9, 40)).toBe("> 1 | one\n    |    ^");
  });

  test("of a long line is short, and points to the right place", () => {
    const long = `${"x".repeat(5_000)}HERE${"y".repeat(5_000)}`;
    const [line, caret] = excerptOf(long, 1, 5_001).split("\n");
    expect(line!.length).toBeLessThan(200);
    expect(line!.slice(caret!.indexOf("^"))).toMatch(/^HERE/);
  });

  test("comes with each problem", () => {
    const result = compileProgram("let a = 1\nlet b = ;", { functions: [] });
    expect(result).toMatchObject({ problems: [{ excerpt: "  1 | let a = 1\n> 2 | let b = ;\n    |         ^" }] });
  });
});
