import { expect, test } from "vitest";
import { execute } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";

test("a misspelt field of a step is an error that lists the fields, and no empty answer", async () => {
  const model = scriptedModel([{ calls: [{ name: "add" }] } as never]);
  const result = await execute({ model, prompt: "go" });
  expect(result).toMatchObject({ error: { code: "SCRIPT_INVALID", message: expect.stringContaining('"calls"') } });
  expect(result.status === "error" && result.error.hint).toContain("toolCalls");
});

test("more calls than steps are an error with the count", async () => {
  const result = await execute({ model: scriptedModel([]), prompt: "go" });
  expect(result).toMatchObject({ error: { code: "SCRIPT_ENDED", message: expect.stringContaining("0 steps") } });
});
