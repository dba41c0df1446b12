/** What a handler gives back beyond a value, and how values read to a model. */
import { describe, expect, test } from "vitest";
import { HaftError } from "../../src/base/errors.ts";
import { fail, failureOf, isFail, isOk, modelText, ok } from "../../src/core/tool-result.ts";

describe("ok", () => {
  test("carries the value and what comes with it", () => {
    const content = [{ type: "text" as const, text: "shown" }];
    expect(ok(5, { assigns: { seen: true }, content })).toMatchObject({ value: 5, assigns: { seen: true }, content });
    expect([isOk(ok(null)), isOk({ value: 1 }), isOk(fail("x")), isOk(undefined)]).toEqual([true, false, false, false]);
  });

  test.each<[string, () => unknown, RegExp]>([
    ["a promise", () => ok(Promise.resolve(1)), /await it first/],
    ["assigns that are none", () => ok(1, { assigns: "x" as never }), /assigns must be an object, not a string/],
    ["content that is no list", () => ok(1, { content: "text" as never }), /content must be a list/],
    ["a part without its text", () => ok(1, { content: [{ type: "text" } as never] }), /content must be a list/],
    [
      "an image without its type",
      () => ok(1, { content: [{ type: "image", data: "" } as never] }),
      /content must be a list/,
    ],
  ])("refuses %s", (_, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: "RESULT_INVALID", message: expect.stringMatching(message) }));
  });
});

describe("fail", () => {
  const cycle: Record<string, unknown> = { a: 1 };
  cycle.self = cycle;

  test.each<[unknown, string, string]>([
    ["not found", "TOOL_FAILED", "not found"],
    [new Error("boom"), "TOOL_FAILED", "boom"],
    [Object.assign(new Error("slow down"), { code: "RATE_LIMIT" }), "RATE_LIMIT", "slow down"],
    [{ code: "E_STOCK", left: 2 }, "E_STOCK", '{"code":"E_STOCK","left":2}'],
    [{ at: new Date(0), ids: new Set([1]) }, "TOOL_FAILED", '{"at":"1970-01-01T00:00:00.000Z","ids":[1]}'],
    [undefined, "TOOL_FAILED", "The tool failed and gave no reason"],
    [cycle, "TOOL_FAILED", '{"a":1,"self":"[circular: value]"}'],
    [
      { run() {} },
      "TOOL_FAILED",
      "The tool failed, and its reason cannot be told: reason.run is the function run, which cannot be written as JSON",
    ],
  ])("%#: the model reads one sentence", (reason, code, message) => {
    expect(isFail(fail(reason))).toBe(true);
    expect(failureOf(fail(reason))).toMatchObject({ code, message });
  });

  test("a HaftError is kept as it is, hint included", () => {
    const error = new HaftError("NO_STOCK", "None left", { hint: "Order more" });
    expect(failureOf(fail(error))).toBe(error);
  });
});

describe("modelText", () => {
  test.each<[unknown, string]>([
    ["text\n  verbatim \u0000", "text\n  verbatim \u0000"],
    ["", ""],
    [undefined, ""],
    [null, "null"],
    [0, "0"],
    [false, "false"],
    [[1, "x"], '[1,"x"]'],
    [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
    [12n, '"12"'],
    [[Number.NaN, Number.POSITIVE_INFINITY], '["NaN","Infinity"]'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [new Date(Number.NaN), '"Invalid Date"'],
    [new Map([["a", new Map([[1, 2n]])]]), '{"a":[[1,"2"]]}'],
    [new Set(["x", undefined]), '["x",null]'],
    [new Error("only this", { cause: { secret() {} } }), '"only this"'],
    [new Uint8Array([104, 105]), '"aGk="'],
    [new Uint8Array([104, 105]).buffer, '"aGk="'],
    [/a+/g, '"/a+/g"'],
    [new URL("https://example.org/a"), '"https://example.org/a"'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])("%#: %o", (value, text) => {
    expect(modelText(value)).toBe(text);
  });

  test("a cycle is told by the path to where it leads, in a text no longer than the value", () => {
    const child: Record<string, unknown> = { tags: new Set(["x"]) };
    const parent = { children: [child], first: child };
    child.parent = parent;
    child.by = new Map<unknown, unknown>([[1, child]]);
    expect(JSON.parse(modelText(parent))).toEqual({
      children: [{ tags: ["x"], parent: "[circular: value]", by: [[1, "[circular: value.children[0]]"]] }],
      first: "[same as: value.children[0]]",
    });
    const all: unknown[][] = Array.from({ length: 40 }, () => []);
    for (const one of all) one.push(...all);
    expect(modelText(all).length).toBeLessThan(40 * 40 * 400);
  });

  test("one object in more places than there is time is told once", () => {
    let many: unknown[] = [];
    for (let level = 0; level < 40; level++) many = [many, many];
    expect(modelText(many).length).toBeLessThan(10_000);
  });

  test("depth alone is no cycle", () => {
    let deep: unknown = "end";
    for (let level = 0; level < 500; level++) deep = [deep];
    expect(modelText(deep)).toBe(`${"[".repeat(500)}"end"${"]".repeat(500)}`);
  });
});
