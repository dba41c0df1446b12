import { expect, test } from "vitest";
import type { Mode, ModeSession } from "../../src/core/mode.ts";
import { toolsMode } from "../../src/modes/tools.ts";
import { asks, execute, scriptedModel, tool } from "./support.ts";

/** Makes the calls, and fails when they are over. */
const failing: Mode = {
  name: "tools",
  open() {
    const tools = toolsMode.open() as ModeSession;
    return {
      present: (context) => tools.present(context),
      read: (response) => tools.read(response),
      stopped: (response, results) => tools.stopped(response, results),
      close() {},
      async act(response, _, hands) {
        await Promise.all(tools.read(response).map((call) => hands.invoke(call)));
        throw new Error("the mode is broken");
      },
    };
  },
};

test("a run that fails in an iteration still tells what became of the calls that had ended", async () => {
  const model = scriptedModel([asks("give")]);
  const result = await execute({ model, mode: failing, tools: [tool("give", () => "given")], prompt: "go" });
  expect(result).toMatchObject({ status: "error", error: { code: "INTERNAL" } });
  expect(JSON.stringify(result.messages.at(-1))).toContain("given");
  expect(JSON.stringify(result.messages.at(-1))).not.toContain("Not done");
});
