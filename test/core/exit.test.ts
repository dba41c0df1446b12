/** Exits as they are defined. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DefaultExit, Exit, ListenExit, ThinkExit } from "../../src/core/exit.ts";
import { plainSchema } from "./standard-schemas.ts";

const done = new Exit({
  name: "done",
  description: "Over",
  aliases: ["complete"],
  metadata: { n: 1 },
  schema: z.object({ result: z.string() }),
});

test("what a model is shown is always an object", () => {
  expect([done.inputSchema, done.wrapsValue]).toEqual([
    { type: "object", properties: { result: { type: "string" } }, required: ["result"] },
    false,
  ]);
  const count = new Exit({ name: "count", schema: z.number() });
  expect([count.inputSchema, count.wrapsValue]).toEqual([
    { type: "object", properties: { value: { type: "number" } }, required: ["value"], additionalProperties: false },
    true,
  ]);
  expect(new Exit({ name: "anything" }).inputSchema).toEqual({
    type: "object",
    properties: {},
    additionalProperties: true,
  });
});

test("is: the exit, or one that was made again with its name", () => {
  expect([
    done.is(done),
    done.is(new Exit({ name: "done" })),
    done.is(new Exit({ name: "other" })),
    done.is("done"),
    done.is(undefined),
  ]).toEqual([true, true, false, false, false]);
  expect([Exit.is(done), Exit.is({ name: "done" })]).toEqual([true, false]);
});

test("clone and rename give new ones", () => {
  const renamed = done.rename("complete");
  expect([renamed.name, renamed.aliases, done.name, done.aliases]).toEqual(["complete", [], "done", ["complete"]]);
  const cloned = done.clone({ description: "Other" });
  expect([cloned.name, cloned.description, cloned.metadata, done.description]).toEqual([
    "done",
    "Other",
    { n: 1 },
    "Over",
  ]);
});

test("withUniqueNames: on copies, without a name twice", () => {
  const exits = [done, done, done.rename("done1")];
  expect(Exit.withUniqueNames(exits).map(({ name }) => name)).toEqual(["done2", "done", "done1"]);
  expect(exits[0]!.name).toBe("done");
});

test("the built-in ones", () => {
  expect([ListenExit.name, ThinkExit.name, DefaultExit.name]).toEqual(["listen", "think", "done"]);
  expect(DefaultExit.wrapsValue).toBe(true);
});

describe("a bad definition fails where it is defined", () => {
  test.each<[string, unknown, string, RegExp]>([
    ["no object", "done", "EXIT_INVALID", /^new Exit\(\) takes an object/],
    ["no name", {}, "EXIT_INVALID", /^An exit has the invalid name undefined$/],
    ["a bad name", { name: "a b" }, "EXIT_INVALID", /^An exit has the invalid name "a b"$/],
    ["a reserved name", { name: "return" }, "EXIT_INVALID", /which is a reserved word$/],
    ["a description", { name: "e", description: 5 }, "EXIT_INVALID", /^Exit "e": description must be text$/],
    ["aliases", { name: "e", aliases: "complete" }, "EXIT_INVALID", /^Exit "e": aliases must be an array of names$/],
    [
      "an alias",
      { name: "e", aliases: ["no way"] },
      "EXIT_INVALID",
      /^Exit "e": an alias has the invalid name "no way"$/,
    ],
    ["metadata", { name: "e", metadata: [] }, "EXIT_INVALID", /^Exit "e": metadata must be an object$/],
    [
      "a schema that is none",
      { name: "e", schema: { ok: z.boolean() } },
      "SCHEMA_INVALID",
      /^Exit "e": schema is an object with the keys ok,/,
    ],
    [
      "a schema without JSON Schema",
      { name: "e", schema: plainSchema("tiny", (value) => ({ value })) },
      "SCHEMA_UNSUPPORTED",
      /^Exit "e": schema is a tiny schema/,
    ],
  ])("%s", (_, definition, code, message) => {
    expect(() => new Exit(definition as never)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
