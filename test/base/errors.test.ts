/** HaftError, and reading anything that was thrown. */
import { describe, expect, test } from "vitest";
import { codeOf, HaftError, messageOf } from "../../src/base/errors.ts";

test("a HaftError keeps code, hint, data and cause", () => {
  const cause = new Error("below");
  const error = new HaftError("A_CODE", "What was wrong", { hint: "What to do", data: { n: 1 }, cause });
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.code, error.hint, error.cause]).toEqual(["HaftError", "A_CODE", "What to do", cause]);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: "A_CODE",
    message: "What was wrong",
    hint: "What to do",
    data: { n: 1 },
  });
  expect(JSON.parse(JSON.stringify(new HaftError("B", "m")))).toEqual({ code: "B", message: "m" });
});

test("is: by brand, not by class, and by code when one is given", () => {
  const error = new HaftError("A_CODE", "m");
  const ofAnotherCopy = { [Symbol.for("haft.error")]: true, code: "A_CODE" };
  expect([HaftError.is(error), HaftError.is(error, "A_CODE"), HaftError.is(ofAnotherCopy, "A_CODE")]).toEqual([
    true,
    true,
    true,
  ]);
  expect([HaftError.is(error, "OTHER"), HaftError.is(new Error("x")), HaftError.is(null), HaftError.is("x")]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

describe("messageOf", () => {
  const hostile = {
    get message() {
      throw new Error("again");
    },
  };
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  test.each<[unknown, string]>([
    [new Error("plain"), "plain"],
    [new TypeError(""), "TypeError"],
    ["text", "text"],
    [{ message: "of an object" }, "of an object"],
    [{ status: 500 }, '{"status":500}'],
    [undefined, "undefined"],
    [null, "null"],
    [42, "42"],
    [5n, "Something was thrown that cannot be written as text"],
    [Symbol("s"), "Symbol(s)"],
    [() => "the source of this must not show", "A function was thrown"],
    [Object.assign(new Error("x"), { message: { not: "text" } }), "Error"],
    [hostile, "Something was thrown that cannot be written as text"],
    [cycle, "Something was thrown that cannot be written as text"],
  ])("%#: is one sentence", (thrown, sentence) => {
    expect(messageOf(thrown)).toBe(sentence);
  });
});

test("codeOf: text only, never a throw", () => {
  const hostile = {
    get code() {
      throw new Error("again");
    },
  };
  expect([codeOf({ code: "E_X" }), codeOf({ code: 5 }), codeOf(null), codeOf("x"), codeOf(hostile)]).toEqual([
    "E_X",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
