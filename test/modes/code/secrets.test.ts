/** Secrets that a program puts together, or that a hook gives it, are taken out as anywhere else, and replays are the same. */
import { expect, test } from "vitest";
import { Snapshot, SnapshotSignal } from "../../../src/index.ts";
import { execute, scriptedModel, tool, waiting } from "../../engine/support.ts";
import { lastReport, mode, program } from "./support.ts";

const value = "john-2024-secret";
const secrets = { TOKEN: { static: value } };
const made = "const token = ['john', '2024', 'secret'].join('-');";

const ask = tool("ask", () => {
  throw new SnapshotSignal("someone has to say");
});

async function interrupted(code: string, more: object = { secrets }) {
  const inputs: unknown[] = [];
  const save = tool("save", (input) => {
    inputs.push(input);
    return input;
  });
  const tools = [save, ask, tool("make", () => value)];
  const result = waiting(await execute({ model: scriptedModel([program(code)]), mode, prompt: "go", tools, ...more }));
  const text = JSON.stringify(result.snapshot);
  const log = Snapshot.from(text).resolve(result.pending[0]!.callId, 1);
  const goOn = async (options: object) => {
    const model = scriptedModel(["the end"]);
    const again = await execute({ model, mode, log, tools, ...options });
    return { status: again.status, report: model.requests[0] && lastReport(model.requests[0]) };
  };
  return { inputs, text, goOn };
}

test("one that a program puts together reaches neither tool nor log, and a replay is exact, also after it has changed", async () => {
  const code = `${made} const saved = await save({ token }); console.log(token); await ask({ token }); return { token, saved };`;
  const { inputs, text, goOn } = await interrupted(code);
  expect(text).not.toContain(value);
  expect(inputs).toEqual([{ token: "[REDACTED:TOKEN]" }]);
  const same = await goOn({ secrets });
  expect(same.status).toBe("success");
  expect(same.report).not.toContain(value);
  expect(inputs).toHaveLength(1);
  expect(await goOn({ secrets: { TOKEN: { static: "another-value-77" } } })).toMatchObject({ status: "success" });
  expect(inputs).toHaveLength(1);
});

test("what becomes a secret later does not hold up a program that has handed it on", async () => {
  const { text, goOn } = await interrupted("const t = await make({}); await save({ t }); await ask({}); return t;", {});
  expect(text).toContain(value);
  const { status, report } = await goOn({ secrets });
  expect(status).toBe("success");
  expect(report).toContain("[REDACTED:TOKEN]");
});

test("another input is another call, secrets or not", async () => {
  const { text } = await interrupted(`${made} await save({ token, n: 1 }); await ask({});`);
  const log = Snapshot.from(text.replaceAll("n: 1", "n: 2"));
  const model = scriptedModel([]);
  const tools = [tool("save", () => 1), ask];
  expect(await execute({ model, mode, log, tools, secrets })).toMatchObject({ error: { code: "REPLAY_DIVERGED" } });
});

test("a hook's program runs as it is written down", async () => {
  const hooks = {
    onBeforeExecution: async ({ code }: { code?: string }) =>
      code === undefined
        ? undefined
        : { code: `const t = "${value}"; await save({ t: [...t].reverse().join("") }); await ask({}); return t;` },
  };
  const { inputs, text, goOn } = await interrupted("return 1", { secrets, hooks });
  expect(text).not.toContain(value);
  expect(inputs).toEqual([{ t: [..."[REDACTED:TOKEN]"].reverse().join("") }]);
  expect(await goOn({ secrets, hooks })).toMatchObject({ status: "success" });
});
