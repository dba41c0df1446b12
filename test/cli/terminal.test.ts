import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { cleanEnvironment, cli, contentOf, project, until } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

/** `script` of util-linux gives a command a terminal of its own. */
function hasScript(): boolean {
  try {
    return execFileSync("script", ["--version"], { encoding: "utf8" }).includes("util-linux");
  } catch {
    return false;
  }
}

interface TerminalRun {
  type(keys: string): void;
  /** Typed by somebody who has read the question. */
  answer(keys: string): Promise<void>;
  /** The window is closed: what runs in it is sent SIGHUP. */
  close(): void;
  /** All that was written, without control sequences. */
  text(): string;
  raw(): string;
  /** Waits for words on the screen, after those that were waited for before. */
  sees(words: string): Promise<void>;
  code: Promise<number | null>;
}

const open: ChildProcess[] = [];
afterAll(() => {
  for (const child of open) child.kill();
});

function onTerminal(args: string[], cwd: string, env: Record<string, string>): TerminalRun {
  const command = ["stty cols 80 rows 40;", "exec", process.execPath, cli, ...args].join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: cleanEnvironment({ TERM: "xterm", SHELL: "/bin/sh", ...env }),
  });
  open.push(child);
  let raw = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    raw += text;
  });
  const text = () => stripVTControlCharacters(raw);
  return {
    type: (keys) => child.stdin.write(keys),
    async answer(keys) {
      await new Promise((done) => setTimeout(done, 200));
      child.stdin.write(keys);
    },
    close: () => child.kill("SIGKILL"),
    text,
    raw: () => raw,
    async sees(words) {
      await until(`"${words}" on the terminal:\n${text()}`, () => text().indexOf(words, seen) >= 0);
      seen = text().indexOf(words, seen) + words.length;
    },
    code: new Promise((done) => child.on("close", done)),
  };
}

describe.skipIf(!hasScript())("at a terminal (skipped where util-linux has no `script`)", { concurrent: true }, () => {
  test("text is drawn, a spinner turns, and a yes applies the changes of an overlay", async () => {
    const cwd = await project();
    await using model = await modelServer([
      { toolCalls: [{ name: "Write", input: { path: "a.txt", content: "a\n" } }], delayMs: 300 },
      { pieces: ["**Bold** ", "and ", "done."], eventDelayMs: 60 },
    ]);
    const run = onTerminal(["run", "--sandbox", "virtual", "go"], cwd, model.env);
    await run.sees("Thinking");
    await run.sees("Created a.txt");
    await run.sees("Bold and done.");
    await run.sees("Apply this change");
    await run.answer("y");
    expect(await run.code).toBe(0);
    expect(run.raw()).toMatch(/[\u2800-\u28ff]/);
    expect(run.raw()).toContain("\u001b[1mBold\u001b[22m and done.");
    expect(await contentOf(cwd, "a.txt")).toBe("a\n");
  });

  test("a no applies nothing, and NO_COLOR is heard", async () => {
    const cwd = await project();
    await using model = await modelServer([
      { toolCalls: [{ name: "Write", input: { path: "a.txt", content: "a\n" } }] },
      { text: "**Done.**" },
    ]);
    const run = onTerminal(["run", "--sandbox", "virtual", "go"], cwd, { ...model.env, NO_COLOR: "1" });
    await run.sees("Apply this change");
    await run.answer("n");
    expect(await run.code).toBe(0);
    expect(run.raw()).not.toMatch(/\u001b\[[0-9;]*1mDone/);
    await expect(access(join(cwd, "a.txt"))).rejects.toThrow();
  });

  test("a call that needs approval is shown in full and asked about", async () => {
    const config = `import { Tool } from "haft";
      export default { tools: [new Tool({ name: "deploy", description: "Deploys.", approval: true, handler: () => "live" })] };`;
    const cwd = await project({ "agent.config.ts": config });
    const hidden = `${"x".repeat(200)} and then some`;
    const calls = (_request: unknown, index: number) =>
      index % 2 === 0 ? { toolCalls: [{ name: "deploy", input: { to: hidden } }] } : { text: "Over." };
    await using model = await modelServer(calls);
    const yes = onTerminal(["run", "--sandbox", "virtual", "go"], cwd, model.env);
    await yes.sees("and then some");
    await yes.sees("Run deploy once?");
    await yes.answer("y");
    expect(await yes.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toBe("live");

    const no = onTerminal(["run", "--sandbox", "virtual", "go"], cwd, model.env);
    await no.sees("Run deploy once?");
    await no.answer("n");
    expect(await no.code).toBe(0);
    expect(model.server.requests[3]!.toolResults[0]!.text).toContain("the user said no");

    const stop = onTerminal(["run", "--sandbox", "virtual", "go"], cwd, model.env);
    await stop.sees("Run deploy once?");
    await stop.answer("\u0003");
    expect(await stop.code).toBe(130);
  });

  test("a yes that was typed before the question does not count", async () => {
    const cwd = await project();
    await using model = await modelServer([
      { toolCalls: [{ name: "Write", input: { path: "a.txt", content: "a\n" } }] },
      { text: "Done.", delayMs: 700 },
    ]);
    const run = onTerminal(["run", "--sandbox", "virtual", "go"], cwd, model.env);
    await run.sees("Created a.txt");
    run.type("y");
    await run.sees("Apply this change");
    await run.answer("n");
    expect(await run.code).toBe(0);
    await expect(access(join(cwd, "a.txt"))).rejects.toThrow();
  });

  test("a local Ollama is offered when no model is named", async () => {
    await using model = await modelServer(() => ({ text: "Hello from here." }));
    const run = onTerminal(["run", "--sandbox", "virtual", "go"], await project(), { OLLAMA_HOST: model.server.url });
    await run.sees("Which one?");
    await run.sees("ollama:test-model");
    run.type("\r");
    await run.sees("Hello from here.");
    expect(await run.code).toBe(0);
  });

  test("chat: turns share a session; Ctrl-C once stops a turn, twice leaves", async () => {
    await using model = await modelServer([{ text: "First." }, { fault: "silence" }, { text: "Third." }]);
    const chat = onTerminal(["chat"], await project(), model.env);
    await chat.sees("You");
    chat.type("one\r");
    await chat.sees("First.");
    await chat.sees("You");
    chat.type("two\r");
    await until("the second request", () => model.server.requests.length === 2);
    chat.type("\u0003");
    await chat.sees("Stopped");
    await chat.sees("You");
    chat.type("three\r");
    await chat.sees("Third.");
    await chat.sees("You");
    chat.type("\u0003");
    await chat.sees("Ctrl-C again leaves");
    await chat.sees("You");
    chat.type("\u0003");
    await chat.sees("haft chat --session session_");
    expect(await chat.code).toBe(130);
    const said = model.server.requests[2]!.messages.filter(({ role }) => role === "user").map(({ text }) => text);
    expect(said).toEqual(["one", "two", "three"]);
  });

  test("chat: what is pasted is one message, with its lines", async () => {
    await using model = await modelServer(() => ({ text: "Read." }));
    const chat = onTerminal(["chat"], await project(), model.env);
    await chat.sees("You");
    chat.type("see \u001b[200~one\rtwo\nthree\u001b[201~!");
    await chat.sees("three!");
    chat.type("\r");
    await chat.sees("Read.");
    chat.type("/exit\r");
    expect(await chat.code).toBe(0);
    expect(model.server.requests[0]!.messages[0]!.text).toBe("see one\ntwo\nthree!");
  });

  test("chat: a terminal that goes away leaves a patch of what was held back", async () => {
    const cwd = await project();
    await using model = await modelServer([
      { toolCalls: [{ name: "Write", input: { path: "a.txt", content: "a\n" } }] },
      { text: "Written." },
    ]);
    const chat = onTerminal(["chat", "--sandbox", "virtual", "write"], cwd, model.env);
    await chat.sees("Written.");
    await chat.sees("You");
    chat.close();
    await until("the patch", async () => (await readdir(join(cwd, ".haft/patches")).catch(() => [])).length === 1);
  });

  test("chat: Ctrl-C twice during a turn leaves at once, and Ctrl-D leaves with 0", async () => {
    await using model = await modelServer([{ text: "Hello." }, { fault: "silence" }]);
    const ending = onTerminal(["chat", "hi"], await project(), model.env);
    await ending.sees("Hello.");
    await ending.sees("You");
    ending.type("\u0004");
    expect(await ending.code).toBe(0);

    const chat = onTerminal(["chat", "hi"], await project(), model.env);
    await until("the second request", () => model.server.requests.length === 2);
    chat.type("\u0003");
    await chat.sees("Stopping");
    chat.type("\u0003");
    expect(await chat.code).toBe(130);
  });
});
