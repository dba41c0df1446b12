/** Nothing of the host's environment reaches a command, in any sandbox, by any tool, with secrets or without. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SecretSource } from "../../src/core/secrets.ts";
import { execute } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { Bash, Command } from "../../src/tools/index.ts";
import { inEachSandbox } from "../tools/helpers.ts";

const CANARY = "HAFT_TEST_CANARY";
const VALUE = "cAnArY-of-the-host-4711";

beforeAll(() => {
  process.env[CANARY] = VALUE;
});
afterAll(() => {
  delete process.env[CANARY];
});

inEachSandbox((open) => {
  test.each<Record<string, SecretSource>>([
    {},
    { TOKEN: { env: CANARY } },
    { TOKEN: { command: ["printenv", "HOME"] } },
  ])("with %j", async (secrets) => {
    const sandbox = await open();
    const isGiven = JSON.stringify(secrets).includes(CANARY);
    const toolCalls = [
      {
        name: "Bash",
        input: { command: `env; echo "[$${CANARY}]"; printenv ${CANARY}; cat /proc/self/environ | tr '\\0' '\\n'` },
      },
      { name: "Env", input: { args: [] } },
      { name: "Printenv", input: { args: [CANARY] } },
    ];
    const tools = [Bash, [Command, { command: "env" }], [Command, { command: "printenv" }]] as const;
    const model = scriptedModel([{ toolCalls }, "ok"]);
    const result = await execute({ model, tools, sandbox, secrets, prompt: "go" });
    const seen = JSON.stringify([result.messages, model.requests[1]!.prompt]);
    expect(seen).not.toContain(VALUE);
    expect(seen).not.toContain(`${CANARY}=`);
    expect(seen.includes("TOKEN=[REDACTED:TOKEN]")).toBe(isGiven || "TOKEN" in secrets);
  });
});
