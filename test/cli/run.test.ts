import { access } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isolatedProvider } from "../../src/sandbox/index.ts";
import { contentOf, haft, project, sessionIn } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";
import { logOf } from "./helpers/sessions.ts";

describe.concurrent("haft run does a job", () => {
  test("reads, edits a file with CRLF and BOM without touching another byte, and runs a real test", async () => {
    const source = "\uFEFFexport const double = (n) => n + n + 1;\r\nexport const  odd\t= 1;\r\n\r\n";
    const cwd = await project({
      "package.json": '{ "type": "module" }',
      "double.js": source,
      "double.test.js":
        'import test from "node:test"; import assert from "node:assert";\n' +
        'import { double } from "./double.js";\ntest("doubles", () => assert.equal(double(2), 4));\n',
    });
    await using model = await modelServer([
      { text: "I look.", toolCalls: [{ name: "Read", input: { path: "double.js" } }] },
      {
        toolCalls: [
          { name: "Edit", input: { path: "double.js", edits: [{ oldText: "n + n + 1", newText: "n + n" }] } },
        ],
      },
      { toolCalls: [{ name: "Bash", input: { command: "node --test --test-reporter=tap" } }] },
      { text: "It doubles **now**." },
    ]);
    const run = await haft(["run", "--sandbox", "local", "make", "the test pass"], { cwd, env: model.env });

    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(await contentOf(cwd, "double.js")).toBe(source.replace("n + n + 1", "n + n"));
    expect(model.server.requests[0]!.messages[0]!.text).toBe("make the test pass");
    expect(model.server.requests[3]!.toolResults.at(-1)!.text).toContain("# pass 1");
    expect(run.stdout).toContain("-export const double = (n) => n + n + 1;");
    expect(run.stdout).toContain("exit 0");
    expect(run.stdout).toContain("It doubles now.");
    expect(run.stdout).toMatch(/Done +4 model calls/);
  });

  test("the first row names the sandbox, who chose it, and whether writes are held back", async () => {
    const cwd = await project();
    await using model = await modelServer(() => ({ text: "Hello" }));
    const byDefault = await haft(["run", "hi"], { cwd, env: model.env });
    const named = await haft(["run", "hi", "--sandbox", "local"], { cwd, env: model.env });
    const held = await haft(["run", "hi", "--sandbox", "virtual"], { cwd, env: model.env });
    const { ok } = await isolatedProvider().check();
    const chosen = ok ? "isolated (the default), writes go straight to" : "virtual (the default), writes are held back";
    expect(byDefault.stdout.split("\n")[0]).toContain(`Sandbox  ${chosen}`);
    expect(held.stdout.split("\n")[0]).toContain("Sandbox  virtual (as --sandbox says), writes are held back");
    expect(named.stdout.split("\n")[0]).toContain("Sandbox  local (as --sandbox says), writes go straight to");
  });

  test("keeps the session's log, and goes on with it", async () => {
    const cwd = await project();
    await using model = await modelServer([{ text: "Noted." }, { text: "Blue." }]);
    const first = await haft(["run", "my colour is blue"], { cwd, env: model.env });
    const session = sessionIn(first.stdout);
    expect((await logOf(cwd, session)).map(({ type }) => type)).toContain("run-end");
    expect(await contentOf(cwd, ".haft/.gitignore")).toBe("*\n");

    await haft(["run", "--session", session, "which colour?"], { cwd, env: model.env });
    expect(model.server.requests[1]!.messages.map(({ text }) => text)).toEqual([
      "my colour is blue",
      "Noted.",
      "which colour?",
    ]);
  });

  test("--quiet prints the answer alone", async () => {
    const cwd = await project({ "a.txt": "a" });
    await using model = await modelServer([
      { text: "Looking.", toolCalls: [{ name: "Read", input: { path: "a.txt" } }] },
      { text: "It says a." },
    ]);
    const run = await haft(["run", "-q", "what does it say?"], { cwd, env: model.env });
    expect(run).toMatchObject({ code: 0, stdout: "It says a.\n", stderr: "" });
  });

  test("--tools gives the model these and no others", async () => {
    const cwd = await project();
    await using model = await modelServer(() => ({ text: "Hello" }));
    const names = async (...flags: string[]) => {
      const run = await haft(["run", "hi", ...flags], { cwd, env: model.env });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      return model.server.requests.at(-1)!.tools.map(({ name }) => name);
    };
    expect(await names()).toEqual(["Read", "Bash", "Edit", "Write", "Glob", "Grep"]);
    expect(await names("--tools", "grep,READ")).toEqual(["Grep", "Read"]);
  });

  test("--cwd is where it works and where the log is", async () => {
    const [cwd, elsewhere] = [await project({ "here.txt": "here" }), await project()];
    await using model = await modelServer([
      { toolCalls: [{ name: "Read", input: { path: "here.txt" } }] },
      { text: "Done." },
    ]);
    const run = await haft(["run", "read", "--cwd", cwd], { cwd: elsewhere, env: model.env });
    expect(run.code).toBe(0);
    expect(model.server.requests[1]!.toolResults[0]!.text).toContain("here");
    await access(join(cwd, ".haft"));
    await expect(access(join(elsewhere, ".haft"))).rejects.toThrow();
  });

  test("no variable of the host reaches a command", async () => {
    const cwd = await project();
    await using model = await modelServer([
      { toolCalls: [{ name: "Bash", input: { command: "env" } }] },
      { text: "Done." },
    ]);
    const env = { ...model.env, OPENAI_API_KEY: "sk-of-the-host", MY_OWN: "private" };
    await haft(["run", "--sandbox", "local", "env"], { cwd, env });
    const seen = model.server.requests[1]!.toolResults[0]!.text;
    expect(seen).toContain("PATH=");
    expect(seen).not.toMatch(/sk-of-the-host|key-of-the-test|MY_OWN|HAFT_MODEL/);
  });
});
