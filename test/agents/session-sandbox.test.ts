/** A session keeps one sandbox over its runs, and disposes what it opened. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Agent, type AgentOptions, type Sandbox } from "../../src/index.ts";
import { openSandbox } from "../../src/sandbox/index.ts";
import { asks, gate, never, results, scriptedModel, tool } from "../engine/support.ts";
import { errorOf } from "./support.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function setUp(script: Parameters<typeof scriptedModel>[0], more: Partial<AgentOptions> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), "haft-session-"));
  folders.push(cwd);
  const write = tool("write", async (_input, { sandbox }) => sandbox.writeFile("note.txt", Buffer.from("kept")), {
    sandbox: true,
  });
  const read = tool("read", async (_input, { sandbox }) => Buffer.from(await sandbox.readFile("note.txt")).toString(), {
    sandbox: true,
  });
  const model = scriptedModel(script);
  const options = { name: "a", model, tools: [write, read], sandbox: "virtual", cwd, ...more };
  return { agent: new Agent(options), model, cwd };
}

async function isDisposed(sandbox: Sandbox): Promise<boolean> {
  return sandbox.readFile("note.txt").then(
    () => false,
    (error) => error.code === "SANDBOX_DISPOSED",
  );
}

test("what one run writes, the next one reads; closing disposes it", async () => {
  const { agent, model, cwd } = setUp([asks("write"), "Written.", asks("read"), "Read."]);
  const session = agent.session();
  expect(session.sandbox).toBeUndefined();
  await session.run("write");
  const sandbox = session.sandbox!;
  await session.run("read");
  expect(session.sandbox).toBe(sandbox);
  expect(results(model.requests[3]!.prompt)).toMatchObject({ call_3_1: expect.stringContaining("kept") });
  expect(existsSync(join(cwd, "note.txt"))).toBe(false);
  expect(await isDisposed(sandbox)).toBe(false);
  await session.close();
  expect(await isDisposed(sandbox)).toBe(true);
});

test("two sessions have one each", async () => {
  const { agent } = setUp(["One.", "Two."]);
  const sessions = [agent.session(), agent.session()];
  for (const session of sessions) await session.run("x");
  expect(sessions[0]!.sandbox).not.toBe(sessions[1]!.sandbox);
  const sandboxes = sessions.map(({ sandbox }) => sandbox!);
  await agent.close();
  for (const sandbox of sandboxes) expect(await isDisposed(sandbox)).toBe(true);
});

test("it is disposed after a run that failed, and while one hangs", async () => {
  const reached = gate();
  const hang = tool("hang", () => {
    reached.open();
    return never;
  });
  const script = [{ error: new Error("broken") }, asks("hang")];
  const { agent } = setUp(script, { tools: [hang], modelLimits: { attempts: 1 } });
  const session = agent.session();
  expect((await session.run("x")).stopReason).toBe("model");
  const run = session.run("y");
  await reached.passed;
  const sandbox = session.sandbox!;
  await session.close({ timeoutMs: 5000 });
  expect(await isDisposed(sandbox)).toBe(true);
  expect(errorOf(await run)?.code).toBe("SESSION_CLOSED");
});

test("one that cannot be opened is the run's error, and is tried again by the next run", async () => {
  const { agent, cwd } = setUp(["Fine."]);
  const session = agent.session();
  rmSync(cwd, { recursive: true });
  expect(errorOf(await session.run("x"))?.code).toBeDefined();
  mkdirSync(cwd);
  expect((await session.run("y")).output).toBe("Fine.");
});

test("a sandbox that was given stays its owner's", async () => {
  const { agent: other, cwd } = setUp(["One.", "Two."]);
  const given = await openSandbox("virtual", { cwd });
  const agent = new Agent({ ...other.options, sandbox: given });
  const session = agent.session();
  await session.run("x");
  await session.close();
  expect(await isDisposed(given)).toBe(false);
  await given.dispose();
});
