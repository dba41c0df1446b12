/** Definitions that are refused, where they are made. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { HaftError } from "../../src/base/errors.ts";
import { Tool } from "../../src/core/tool.ts";
import { asyncNumberObject, plainSchema } from "./standard-schemas.ts";

describe("a bad definition fails where it is defined, in a sentence with the tool's name", () => {
  const handler = () => 1;
  const schemaless = plainSchema("tiny", (value) => ({ value }));

  test.each<[string, unknown, string, RegExp]>([
    ["no object", "add", "TOOL_INVALID", /^new Tool\(\) takes an object .*, not a string$/],
    ["no name", { handler }, "TOOL_NAME_INVALID", /^A tool has the invalid name undefined$/],
    ["a bad name", { name: "a-b", handler }, "TOOL_NAME_INVALID", /^A tool has the invalid name "a-b"$/],
    [
      "a reserved name",
      { name: "think", handler },
      "TOOL_NAME_INVALID",
      /^A tool has the name "think", which is a reserved word$/,
    ],
    ["no handler", { name: "t" }, "TOOL_INVALID", /^Tool "t": handler must be a function, not undefined$/],
    [
      "a description that is none",
      { name: "t", handler, description: 5 },
      "TOOL_INVALID",
      /^Tool "t": description must be text, not a number$/,
    ],
    [
      "a description function that gives none",
      { name: "t", handler, description: () => 5 },
      "TOOL_INVALID",
      /^Tool "t": its description function gave a number, not text$/,
    ],
    [
      "a description function that fails",
      { name: "t", handler, description: (o: any) => o.a.b },
      "TOOL_INVALID",
      /^Tool "t": its description function failed: /,
    ],
    [
      "a name function that fails",
      { name: (o: any) => o.a.b, handler },
      "TOOL_INVALID",
      /^A tool: its name function failed: /,
    ],
    [
      "metadata",
      { name: "t", handler, metadata: [] },
      "TOOL_INVALID",
      /^Tool "t": metadata must be an object, not an array of 0$/,
    ],
    [
      "aliases",
      { name: "t", handler, aliases: "x" },
      "TOOL_INVALID",
      /^Tool "t": aliases must be an array of names, not a string$/,
    ],
    [
      "an alias",
      { name: "t", handler, aliases: ["ok", "not ok"] },
      "TOOL_NAME_INVALID",
      /^Tool "t": an alias has the invalid name "not ok"$/,
    ],
    ["retry", { name: "t", handler, retry: 3 }, "TOOL_INVALID", /^Tool "t": retry must be a function, not a number$/],
    [
      "timeoutMs",
      { name: "t", handler, timeoutMs: 0 },
      "TOOL_INVALID",
      /^Tool "t": timeoutMs must be a number of milliseconds above 0, not 0$/,
    ],
    ["timeoutMs NaN", { name: "t", handler, timeoutMs: Number.NaN }, "TOOL_INVALID", /not NaN$/],
    [
      "approval",
      { name: "t", handler, approval: "sometimes" },
      "TOOL_INVALID",
      /^Tool "t": approval must be true, false,/,
    ],
    [
      "outputValidation",
      { name: "t", handler, outputValidation: "hard" },
      "TOOL_INVALID",
      /^Tool "t": outputValidation must be "off",/,
    ],
    [
      "readOnly",
      { name: "t", handler, readOnly: "yes" },
      "TOOL_INVALID",
      /^Tool "t": readOnly must be true or false, not a string$/,
    ],
    [
      "an input that is no schema",
      { name: "t", handler, input: { a: z.string() } },
      "SCHEMA_INVALID",
      /^Tool "t": input is an object with the keys a, which is not a schema$/,
    ],
    [
      "an output that is no schema",
      { name: "t", handler, output: 5 },
      "SCHEMA_INVALID",
      /^Tool "t": output is a number,/,
    ],
    [
      "a schema without JSON Schema",
      { name: "t", handler, input: schemaless },
      "SCHEMA_UNSUPPORTED",
      /^Tool "t": input is a tiny schema that cannot describe itself/,
    ],
    [
      "a date",
      { name: "t", handler, input: z.object({ at: z.date() }) },
      "SCHEMA_UNSUPPORTED",
      /^Tool "t": input has no JSON Schema/,
    ],
    [
      "options that are no schema",
      { name: "t", handler, options: { by: 1 } },
      "SCHEMA_INVALID",
      /^Tool "t": options is an object/,
    ],
    [
      "options that answer later",
      { name: "t", handler, options: asyncNumberObject() },
      "TOOL_INVALID",
      /^Tool "t": options must have a schema that validates at once/,
    ],
  ])("%s", (_, definition, code, message) => {
    let error: HaftError | undefined;
    try {
      new Tool(definition as never);
    } catch (thrown) {
      error = thrown as HaftError;
    }
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("with and clone refuse the same", () => {
    const base = new Tool({ name: "t", handler });
    expect(() => base.with({ name: "1x" })).toThrow(expect.objectContaining({ code: "TOOL_NAME_INVALID" }));
    expect(() => base.clone({ input: 5 as never })).toThrow(expect.objectContaining({ code: "SCHEMA_INVALID" }));
  });
});
