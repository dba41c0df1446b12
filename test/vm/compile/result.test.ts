/** What a program gives when it has ended. */
import { describe, expect, test } from "vitest";
import { compiled, run } from "./run.ts";

const value = async (source: string) => {
  const ran = await run(source);
  expect(ran.thrown).toBeUndefined();
  return ran.value;
};

describe("the last expression", () => {
  test.each([
    ["1 + 1", 2],
    ["const a = 1\na // the end", 1],
    ["const a = 1;\n(a as number);\n\n", 1],
    ["({ a: 1 })", { a: 1 }],
    ["1, 2", 2],
    ["await Promise.resolve(3)", 3],
    ["Promise.resolve(4)", 4],
    ["let a = 1\na;;\ninterface B {}\ntype C = 1", 1],
    ["'text'", "text"],
    ["'use strict'", undefined],
    ["<any>5", 5],
    ["`a\n  b`", "a\n  b"],
    ["search('x')", { name: "search", input: "x" }],
    ["(Orders?.cancel(1) as any)!", { name: "Orders.cancel", input: 1 }],
    ["const a: any = {}\na.b = 5", undefined],
    ["let a = 1\na++", undefined],
    ["const a = 1", undefined],
    ["if (true) { 1 }", undefined],
    ["", undefined],
    ["// nothing", undefined],
    ["#!/usr/bin/env node\n6", 6],
  ])("%j", async (source, expected) => {
    expect(await value(source)).toEqual(expected);
  });

  test("return goes before it", async () => {
    expect(await value("if (true) return 1\n2")).toBe(1);
    expect(await value("return { a: await Promise.resolve(1) }")).toEqual({ a: 1 });
  });
});

describe("one lone function is the program", () => {
  test.each([
    "async () => { return 1 }",
    "() => 1",
    "(async () => { return await Promise.resolve(1) });",
    "type A = 1\n(() => 1 as A) // end",
    "(async function main() { return 1 })",
    "async function main(): Promise<number> { return 1 }",
    "interface A {}\nfunction main() { return 1 } // end",
    "export default async function main() { return 1 }",
    "export default () => 1",
    "export default async () => <number>1",
    "() => <number>(1 as any)!",
    "export default async function () { return 1 };",
    "const one = 1\nexport default async () => one as number\n",
  ])("%j", async (source) => {
    expect(await value(source)).toBe(1);
  });

  test("but not a generator, nor one of several statements", async () => {
    expect(await value("function* main() {}")).toBe(undefined);
    expect(await value("const a = 1\nfunction main() {}")).toBe(undefined);
    expect(typeof (await value("const a = 1\n;() => a"))).toBe("function");
  });
});

describe("a default export", () => {
  test.each([
    ["export default 1", 1],
    ["export default { a: 1 } satisfies object", { a: 1 }],
    ["export default 1\nlet a = 2\na", 1],
    ["const a = 1; export default a as number;", 1],
    ["export default [1] // one", [1]],
  ])("%j", async (source, expected) => {
    expect(await value(source)).toEqual(expected);
  });

  test("keeps its name", async () => {
    const ran = await run("export default class A { static b = 1 }");
    expect(ran.program.names).toEqual(["A"]);
    expect(ran.value).toBe(ran.scope.A![0]());
  });
});

describe("what stands around a program", () => {
  test.each([
    ["```ts\nlet a = 1\n```", "let a = 1"],
    ["\n  ```typescript title=x\n\nlet a = 1\n\n```  \n", "\nlet a = 1\n"],
    ["```\r\nlet a = 1\r\n\r\n```\r\n", "let a = 1\n"],
    ["~~~js\nlet a = 1\n~~~", "let a = 1"],
    ["````ts\n/*\n```\n*/\n````", "/*\n```\n*/"],
    ["```\n```", ""],
    ["\uFEFFlet a = 1", "let a = 1"],
    ["let a = 1\r\nlet b = 2\rlet c", "let a = 1\nlet b = 2\nlet c"],
    ["  let a = 1", "  let a = 1"],
  ])("%j", (source, expected) => {
    expect(compiled(source).source).toBe(expected);
  });
});
