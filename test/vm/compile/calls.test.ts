/** Calls that nobody waits for. */
import { describe, expect, test } from "vitest";
import { compiled, problemsOf, run } from "./run.ts";

const advice = "write await, or void if nobody is to wait for it";
const unawaited = (name: string, place: string) => `${place} ${name}(…) was not awaited: ${advice}`;

describe("a call that is a statement", () => {
  test.each([
    ["search(1); return", "1:1", "search"],
    ["Orders.cancel(1)\nreturn", "1:1", "Orders.cancel"],
    ["Orders?.cancel(1); return", "1:1", "Orders.cancel"],
    ["Orders.cancel?.(1); return", "1:1", "Orders.cancel"],
    ["Orders['cancel'](1); return", "1:1", "Orders.cancel"],
    ["(search)(1); return", "1:1", "search"],
    ["((search(1))); return", "1:3", "search"],
    ["(search(1) as any)!; return", "1:2", "search"],
    ["(Orders as any).cancel!(1) satisfies any; return", "1:1", "Orders.cancel"],
    ["search<string>(1); return", "1:1", "search"],
    ["if (1) search(1)", "1:8", "search"],
    ["for (const a of [1]) {\n  search(a)\n}", "2:3", "search"],
    ["async function f() { search(1) }\nawait f()", "1:22", "search"],
    ["[1].forEach((a) => { search(a) })", "1:22", "search"],
    ["[1].map(async (a) => { search(a); return a })", "1:24", "search"],
    ["class A { b() { search(1) } }", "1:17", "search"],
    ["true && search(1)\nreturn", "1:9", "search"],
    ["true ? search(1) : 2\nreturn", "1:8", "search"],
    ["search(1), 2", "1:1", "search"],
    ["search(1).then((a) => a)\nreturn", "1:1", "search"],
    ["search(1)?.catch(() => {}).finally(() => {})\nreturn", "1:1", "search"],
    ["search(1)\nconst a = 1", "1:1", "search"],
    ["search(1)\nexport default 1", "1:1", "search"],
  ])("%j", (source, place, name) => {
    expect(problemsOf(source)).toEqual([unawaited(name, place)]);
  });

  test("each of several, in their order", () => {
    const problems = problemsOf("search(1)\nsearch(2)\nawait search(3)\nOrders.cancel(4)\nreturn");
    expect(problems).toEqual([
      unawaited("search", "1:1"),
      unawaited("search", "2:1"),
      unawaited("Orders.cancel", "4:1"),
    ]);
  });
});

describe("is no problem", () => {
  test.each([
    "await search(1); return",
    "void search(1); return",
    "const a = search(1); await a",
    "search(1)",
    "true && search(1)",
    "search(1).then((a) => a)",
    "await Promise.all([search(1), search(2)]); return",
    "[1].map((a) => search(a)); return",
    "return search(1)",
    "for await (const a of [search(1)]) {}",
    "other(1); Orders.list(1); Orders.cancel.call(1); search; (() => search)()\nreturn",
    "const search = (a: any) => a\nsearch(1)\nreturn",
    "function f(search: any) { search(1) }",
    "class Orders { static cancel() {} }\nOrders.cancel()\nreturn",
    "for (const { Orders } of []) Orders.cancel(1)",
    "try {} catch (search) { search(1) }",
    "{ let search: any = () => {}; { search(1) } }",
    "switch (1) { case 1: function search() {} search() }",
    "const f = function search() { search() }",
    "for (let search: any = 0; search; ) search()",
    "() => { if (0) { var search: any } search() }",
    "const o = { cancel() { } }; o.cancel(); return",
  ])("%j", (source) => {
    expect(problemsOf(source)).toEqual([]);
  });

  test("a name is its own only where it holds", () => {
    expect(problemsOf("{ let search = 1 }\nsearch(1)\nfunction f(search) {}")).toEqual([unawaited("search", "2:1")]);
  });
});

describe("isDetached", () => {
  const at = (source: string, word: string, path?: string) => {
    const index = source.indexOf(word);
    const before = source.slice(0, index).split("\n");
    return compiled(source).isDetached(before.length, before.at(-1)!.length + 1, path);
  };

  test.each([
    ["void search(1)", "search", true],
    ["void search(1)", "(1", true],
    ["void (Orders?.cancel(1) as any)!", "cancel", true],
    ["void search(1).then((a) => a)", "search", true],
    ["true && void search(1)", "search", true],
    ["[1].forEach((a) => void search(a))", "search", true],
    ["if (1) {\n  void search(\n    1)\n}", "1)\n", true],
    ["await search(1); void search(2)", "search", false],
    ["void search(1); await search(2)", "search(2", false],
    ["void (async () => { await search(1) })(); void search(2)", "search(1", false],
    ["void 0; await search(1)", "search", false],
    ["void search(1)", "void", false],
  ])("%j at %j is %j", (source, word, expected) => {
    expect(at(source, word)).toBe(expected);
  });

  test("tells a call from those around it", () => {
    const source = "void Orders.cancel(await search(1))";
    expect(at(source, "search")).toBe(false);
    expect(at(source, "search", "Orders.cancel")).toBe(true);
    expect(at(source, "search", "search")).toBe(false);
  });

  test("finds one of very many", () => {
    const source = Array.from({ length: 2_000 }, (_, index) => `${index % 2 ? "void" : "await"} search(${index})`);
    const { isDetached } = compiled(source.join("\n"));
    expect(source.every((_, index) => isDetached(index + 1, 7) === (index % 2 === 1))).toBe(true);
  });
});

test("detached or not, the call is made", async () => {
  const { calls } = await run("void search(1)\nawait Orders.cancel(2)");
  expect(calls).toEqual([
    { name: "search", input: 1 },
    { name: "Orders.cancel", input: 2 },
  ]);
});
