import { describe, expect, test } from "vitest";
import type { Script } from "../helpers/provider-server/index.ts";
import { haft, project } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

const long = "a word and another ".repeat(12).trim();

const script: Script = [
  {
    text: `# Plan\n\n${long}\n\n- **one** with \`code\`\n- two`,
    toolCalls: [{ name: "Bash", input: { command: `echo ${long}; exit 3` } }],
  },
  {
    toolCalls: [
      { name: "Write", input: { path: "a.txt", content: `${"short\n".repeat(3)}` } },
      { name: "Nope", input: { a: long } },
    ],
  },
  { text: "Done." },
];

describe.concurrent("what haft run prints where there is no terminal", () => {
  test("fits into 80 columns, without colours, cursor moves or a spinner", async () => {
    const cwd = await project({ "AGENTS.md": "Be brief." });
    await using model = await modelServer(script);
    // CI makes some libraries print colours into files.
    const run = await haft(["run", "go"], { cwd, env: { ...model.env, CI: "true", COLUMNS: "200" } });
    expect(run.code).toBe(0);
    expect(run.stdout).not.toMatch(/[\u001b\r\u2800-\u28ff]/);
    for (const line of run.stdout.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(80);
    expect(run.stdout).toMatch(/● Bash {2}echo a word .*…\n/);
    expect(run.stdout).toContain("└ exit 3");
    expect(run.stdout).toContain("● Nope");
    expect(run.stdout).toContain("- one with `code`\n- two\n");
  });

  test("has colours with FORCE_COLOR, and NO_COLOR wins", async () => {
    await using model = await modelServer(() => ({ text: "**Hello**" }));
    const cwd = await project();
    const forced = await haft(["run", "go"], { cwd, env: { ...model.env, FORCE_COLOR: "1" } });
    expect(forced.stdout).toContain("\u001b[1mHello\u001b[22m");
    expect(forced.stdout).not.toMatch(/\u001b\[\d*[A-KJ]|\r/);
    const none = await haft(["run", "go"], { cwd, env: { ...model.env, FORCE_COLOR: "1", NO_COLOR: "1" } });
    expect(none.stdout).not.toContain("\u001b");
  });

  test("holds no control sequence of a model, a tool or a file", async () => {
    const evil = "\u001b]0;title\u0007\u001b[2J\u001b[31mred\u202e\u009b1m";
    const cwd = await project({ "evil.txt": evil });
    await using model = await modelServer([
      { text: `Look: ${evil}`, toolCalls: [{ name: "Bash", input: { command: "cat evil.txt" } }] },
      { toolCalls: [{ name: `x${evil}`, input: { [evil]: evil } }] },
      { text: "Done." },
    ]);
    const run = await haft(["run", "go"], { cwd, env: model.env });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("red");
    expect(run.stdout + run.stderr).not.toMatch(/[\u001b\u0007\u202e\u009b]/);
  });
});
