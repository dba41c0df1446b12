/** Names: which are possible, which are reserved, numbering, and what a slip was meant to be. */
import { describe, expect, test } from "vitest";
import { checkName, nearest, uniqueNames } from "../../src/core/names.ts";

const refused = (name: unknown) => expect(() => checkName(name, "A tool", "TOOL_NAME_INVALID"));

describe("checkName", () => {
  test.each(["a", "add", "Add2", "search_docs", "A".repeat(50), "user", "console"])("%s is fine", (name) => {
    expect(() => checkName(name, "A tool", "TOOL_NAME_INVALID")).not.toThrow();
  });

  test.each(["_x", "1x", "a-b", "a.b", "", "é", "a b", "$x", "x".repeat(51)])("%j has a wrong shape", (name) => {
    refused(name).toThrow(
      expect.objectContaining({
        code: "TOOL_NAME_INVALID",
        message: `A tool has the invalid name ${JSON.stringify(name)}`,
      }),
    );
  });

  test.each(["class", "think", "Think", "RETURN", "execute", "object", "await", "undefined"])(
    "%s is reserved, in any capitals",
    (name) => {
      refused(name).toThrow(
        expect.objectContaining({ message: `A tool has the name "${name}", which is a reserved word` }),
      );
    },
  );

  test.each<[unknown, string]>([
    [undefined, "undefined"],
    [5n, "a bigint"],
    [{ name: "x" }, "an object with the keys name"],
    [() => "x", "a function"],
  ])("%o is no name", (name, found) => {
    refused(name).toThrow(`A tool has the invalid name ${found}`);
  });
});

describe("uniqueNames", () => {
  const named = (names: string[]) => names.map((name) => ({ name }));
  const numbered = (names: string[]) => uniqueNames(named(names), (_, name) => ({ name })).map(({ name }) => name);

  test("repeated names are numbered, the last keeps the bare one", () => {
    expect(numbered(["add", "add", "sub", "add", "sub", "unique"])).toEqual([
      "add1",
      "add2",
      "sub1",
      "add",
      "sub",
      "unique",
    ]);
  });

  test("a number that is taken is passed over, and who has it keeps it", () => {
    expect(numbered(["add", "add", "add1"])).toEqual(["add2", "add", "add1"]);
  });

  test("a long name is cut so that it stays one", () => {
    const long = "x".repeat(50);
    const names = numbered([long, long, long]);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(() => checkName(name, "A tool", "TOOL_NAME_INVALID")).not.toThrow();
  });

  test("the items given stay as they are", () => {
    const items = named(["a", "a"]);
    uniqueNames(items, (_, name) => ({ name }));
    expect(items).toEqual([{ name: "a" }, { name: "a" }]);
  });
});

describe("nearest", () => {
  const tools = ["search_docs", "readFile", "git", "ls", "add"];
  test.each<[string, string | undefined]>([
    ["searchDocs", "search_docs"],
    ["serach_docs", "search_docs"],
    ["read_file", "readFile"],
    ["gti", "git"],
    ["ad", "add"],
    ["rm", undefined],
    ["sub", undefined],
    ["deploy", undefined],
    ["", undefined],
  ])("%s → %s", (name, meant) => {
    expect(nearest(name, tools)).toBe(meant);
  });
  test("nothing is near when there is nothing", () => {
    expect(nearest("x", [])).toBeUndefined();
  });
});
