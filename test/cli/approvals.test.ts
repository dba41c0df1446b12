import { access } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contentOf, haft, project, sessionIn } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";
import { logOf } from "./helpers/sessions.ts";
import { hasScript, onTerminal } from "./helpers/terminal.ts";

const deploying = `import { Tool } from "haft";
  export default { tools: [new Tool({ name: "deploy", description: "Deploys.", approval: true, handler: ({ to }) => "live in " + to })] };`;
const asking = (more = "") =>
  `export default { sandbox: "virtual", policy: [${more}{ then: "ask", reason: "is that wanted?" }] };`;
const call = (name: string, input: object) => ({ toolCalls: [{ name, input: input as any }] });

describe.skipIf(!hasScript())("who is asked at a terminal", { concurrent: true }, () => {
  test("sees all of the call, and says yes, no with a reason, or stops", async () => {
    const cwd = await project({ "agent.config.ts": deploying });
    const hidden = `${"x".repeat(200)} and then some`;
    const calls = (_request: unknown, index: number) =>
      index % 2 === 0 ? call("deploy", { to: hidden }) : { text: "Over." };
    await using model = await modelServer(calls);
    const yes = onTerminal(["run", "go"], cwd, model.env);
    await yes.sees("and then some");
    await yes.sees("Run deploy?");
    await yes.answer("y");
    expect(await yes.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toBe(`live in ${hidden}`);

    const no = onTerminal(["run", "go"], cwd, model.env);
    await no.sees("Run deploy?");
    await no.answer("n");
    await no.sees("Why not?");
    await no.answer("it is friday\r");
    expect(await no.code).toBe(0);
    expect(model.server.requests[3]!.toolResults[0]!.text).toContain("the user said no: it is friday");

    const enter = onTerminal(["run", "go"], cwd, model.env);
    await enter.sees("Run deploy?");
    await enter.answer("\r");
    await enter.sees("Why not?");
    await enter.answer("\r");
    expect(await enter.code).toBe(0);
    expect(enter.text()).not.toContain("◇  Run deploy?\r\n│  yes");
    expect(model.server.requests[5]!.toolResults[0]!.text).toContain("the user said no");

    const stop = onTerminal(["run", "go"], cwd, model.env);
    await stop.sees("Run deploy?");
    await stop.answer("\u0003");
    expect(await stop.code).toBe(130);
    expect(model.server.requests).toHaveLength(7);
  });

  test("sees the change that Edit and Write would make, and nothing is written for that", async () => {
    const cwd = await project({ "agent.config.ts": asking(), "a.txt": "one\ntwo\nthree\n" });
    await using model = await modelServer([
      call("Edit", { path: "./x/../a.txt", oldText: "two", newText: "2" }),
      call("Write", { path: "b.txt", content: "fresh\n" }),
      { text: "Done." },
    ]);
    const run = onTerminal(["run", "go", "--sandbox", "local"], cwd, model.env);
    await run.sees("modified a.txt  +1 -1");
    await run.sees("-two");
    await run.sees("+2");
    await run.sees("is that wanted?");
    await run.sees("Run Edit?");
    expect(run.raw()).toContain("\u001b[31m-two");
    expect(await contentOf(cwd, "a.txt")).toBe("one\ntwo\nthree\n");
    await run.answer("y");
    await run.sees("created b.txt  +1 -0");
    await run.sees("Run Write?");
    await expect(access(join(cwd, "b.txt"))).rejects.toThrow();
    await run.answer("n");
    await run.sees("Why not?");
    await run.answer("\r");
    expect(await run.code).toBe(0);
    expect(await contentOf(cwd, "a.txt")).toBe("one\n2\nthree\n");
    await expect(access(join(cwd, "b.txt"))).rejects.toThrow();
  });

  test("sees the first part of a long change, and all of it when asked; NO_COLOR and 80 columns are heard", async () => {
    const cwd = await project({ "agent.config.ts": asking() });
    const content = Array.from({ length: 300 }, (_, n) => `line ${n} ${"wide ".repeat(n % 40)}`).join("\n");
    await using model = await modelServer([call("Write", { path: "long.txt", content }), { text: "Done." }]);
    const run = onTerminal(["run", "go", "--no-apply"], cwd, { ...model.env, NO_COLOR: "1" });
    await run.sees("lines of it not shown yet");
    await run.sees("Run Write?");
    expect(run.text()).not.toContain("line 299");
    await run.answer("a");
    await run.sees("line 299");
    await run.sees("Run Write?");
    const asked = run.raw().slice(0, run.raw().lastIndexOf("Run Write?"));
    expect(asked).not.toMatch(/\u001b\[3[1-6]m[+-]/);
    for (const line of run.text().split(/\r?\n/))
      if (line.startsWith("  │")) expect(line.length).toBeLessThanOrEqual(80);
    await run.answer("y");
    expect(await run.code).toBe(0);
  });

  test("sees what a model hides in a command, a path, a text and a name of a value", async () => {
    const cwd = await project({ "agent.config.ts": asking(), "a.txt": "one\n" });
    const command = "echo safe\u001b[2K\r# \u202egood\u202c \u200bzero\u2066\ttab\u00a0nbsp\u009b1m\u2028\u{e0041}end";
    await using model = await modelServer([
      call("Bash", { command, description: "harmless\ncommand: ls", "x\u001b[31m": "y" }),
      call("Edit", { path: "a.txt", oldText: "one", newText: "\u202eone\u200b\u001b]0;title\u0007" }),
      { text: "Done." },
    ]);
    const run = onTerminal(["run", "go", "--no-apply"], cwd, model.env);
    await run.sees("Run Bash?");
    const shown = run.text().replace(/\r?\n {2}│ (↳ )?/g, "");
    for (const code of [
      "\\x1b[2K",
      "\\r#",
      "\\u202egood\\u202c",
      "\\u200bzero",
      "\\u2066",
      "\\ttab",
      "\\xa0nbsp",
      "\\x9b1m",
      "\\u2028",
      "\\u{e0041}end",
    ])
      expect(shown).toContain(code);
    expect(run.text()).toContain("  │   command: ls"); // no line of its own
    expect(run.raw()).not.toMatch(/\u001b\[2K\r#|[\u202e\u200b\u2066\u009b\u2028]|\u001b\[31my/);
    await run.answer("n");
    await run.sees("Why not?");
    await run.answer("\r");
    await run.sees("Run Edit?");
    expect(run.text()).toContain("+\\u202eone\\u200b\\x1b]0;title\\x07");
    expect(run.raw()).not.toMatch(/\u001b\]0;title|\u202e/);
    await run.answer("n");
    await run.sees("Why not?");
    await run.answer("\r");
    expect(await run.code).toBe(0);
  });

  test("agrees to exactly one call for the session: not to another input, and in no other process", async () => {
    const cwd = await project({ "agent.config.ts": deploying });
    await using model = await modelServer([
      call("deploy", { to: "a", how: { fast: true, safe: true } }),
      call("deploy", { how: { safe: true, fast: true }, to: "a" }),
      call("deploy", { to: "b" }),
      { text: "Over." },
      call("deploy", { to: "a", how: { fast: true, safe: true } }),
      { text: "Over again." },
      call("deploy", { to: "a", how: { fast: true, safe: true } }),
      { text: "And again." },
    ]);
    const chat = onTerminal(["chat", "go"], cwd, model.env);
    await chat.sees("Run deploy?");
    await chat.answer("s");
    await chat.sees("You agreed to exactly this call");
    await chat.sees("Run deploy?");
    await chat.answer("y");
    await chat.sees("Over.");
    await chat.sees("You");
    chat.type("again\r");
    await chat.sees("You agreed to exactly this call");
    await chat.sees("Over again.");
    await chat.sees("You");
    chat.type("/exit\r");
    expect(await chat.code).toBe(0);
    expect(chat.text().match(/◆ {2}Run deploy\?/g)).toHaveLength(2);

    const later = onTerminal(["run", "go", "--session", sessionIn(chat.text())], cwd, model.env);
    await later.sees("Run deploy?");
    await later.answer("y");
    expect(await later.code).toBe(0);
    expect(later.text()).not.toContain("You agreed");
  });

  test("is told beforehand that an edit would fail, and sees its whole input then", async () => {
    const cwd = await project({ "agent.config.ts": asking(), "a.txt": "one\n" });
    await using model = await modelServer([
      call("Edit", { path: "a.txt", oldText: "nowhere", newText: "x" }),
      { text: "Done." },
    ]);
    const run = onTerminal(["run", "go"], cwd, model.env);
    await run.sees("oldText: nowhere");
    await run.sees("As things are it would fail: oldText was not found");
    await run.sees("Run Edit?");
    await run.answer("y");
    expect(await run.code).toBe(0);
  });

  test("a command that runs meanwhile has no terminal to type an answer into", async () => {
    const config = asking('{ tool: "Bash", then: "allow" }, ');
    const cwd = await project({ "agent.config.ts": config });
    await using model = await modelServer([
      call("Bash", { command: "echo y > /dev/tty && echo could || echo could not" }),
      { text: "Done." },
    ]);
    const run = onTerminal(["run", "go", "--sandbox", "local"], cwd, model.env);
    expect(await run.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toContain("could not");
  });
});

describe.concurrent("a policy of the settings file", () => {
  test("denies with its reason, and asks by stopping where there is no terminal", async () => {
    const config = asking('{ path: ".env", then: "deny", reason: "it holds keys" }, { tool: "Read", then: "allow" }, ');
    const cwd = await project({ "agent.config.ts": config, ".env": "KEY=1\n", "a.txt": "a\n" });
    await using model = await modelServer([
      {
        toolCalls: [
          { name: "Read", input: { path: "./.env" } },
          { name: "Read", input: { path: "a.txt" } },
        ],
      },
      call("Bash", { command: "ls \u202e" }),
    ]);
    const run = await haft(["run", "go"], { cwd, env: model.env });
    expect(run.code).toBe(3);
    const [first, second] = model.server.requests[1]!.toolResults;
    expect(first!.text).toContain("denied: it holds keys");
    expect(second!.text).toContain("a");
    expect(run.stderr).toContain("Waiting  Bash ls \\u202e");
    expect(run.stderr).toContain("is that wanted?");
  });

  test("that is wrong is told by its place", async () => {
    const cwd = await project({ "agent.config.ts": `export default { policy: [{ tool: "Bash", then: "forbid" }] };` });
    const run = await haft(["run", "go", "--model", "openai:x"], { cwd });
    expect(run.code).toBe(2);
    expect(run.stderr.replace(/\s+/g, " ")).toContain(
      '"policy"[0]: then must be one of allow, ask, deny, got "forbid"',
    );
  });

  test("no tool writes a decision into the sessions on disk", async () => {
    const cwd = await project({
      "agent.config.ts": `export default { sandbox: "local", policy: [{ then: "allow" }] };`,
    });
    await using model = await modelServer([
      {
        toolCalls: [
          ...[".haft/haft.db", ".haft/haft.db-journal", "a/../.HAFT/haft.db-wal"],
          ...[".haft/sessions/x.jsonl", "a/../.HAFT/sessions/x.jsonl", ".haft/patches/p.patch"],
        ].map((path) => ({
          name: "Write",
          input: { path, content: "{}" },
        })),
      },
      { text: "Done." },
    ]);
    const run = await haft(["run", "go"], { cwd, env: model.env });
    expect(run.code).toBe(0);
    expect(model.server.requests[1]!.toolResults).toHaveLength(6);
    for (const { text } of model.server.requests[1]!.toolResults)
      expect(text).toContain("denied: .haft holds what people decided");
    const session = sessionIn(run.stdout);
    expect((await logOf(cwd, session)).map(({ type }) => type)).not.toContain("decision");
  });
});
