/** Command, in real sandboxes. */
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/core/sandbox.ts";
import { Command, type CommandOptions } from "../../../src/tools/index.ts";
import { inEachSandbox, openLocal, put } from "../helpers.ts";

const withoutTime = (text: string) => text.replace(/\d+\.\d s/g, "N s");

async function run(
  sandbox: Sandbox,
  options: CommandOptions,
  input: { args?: string[]; cwd?: string; timeout?: number },
): Promise<string> {
  return withoutTime(await Command.withOptions(options).execute(input, { sandbox }));
}

inEachSandbox((open, kind) => {
  test("arguments reach the program as they are", async () => {
    const sandbox = await open();
    const args = ["%s|", "a b", "$HOME", "*", "; echo no", "'q'", ""];
    expect(await run(sandbox, { command: "printf" }, { args })).toBe("a b|$HOME|*|; echo no|'q'||\n[exit 0, N s]");
  });

  test("no arguments, an exit code, a folder", async () => {
    const sandbox = await open();
    await put(sandbox, "sub/file", "x");
    expect(await run(sandbox, { command: "ls" }, {})).toBe("sub\n[exit 0, N s]");
    expect(await run(sandbox, { command: "ls", cwd: "sub" }, {})).toBe("file\n[exit 0, N s]");
    expect(await run(sandbox, { command: "ls", cwd: "nowhere" }, { cwd: "sub" })).toBe("file\n[exit 0, N s]");
    expect(await run(sandbox, { command: "test" }, { args: ["-f", "none"] })).toBe("[no output]\n[exit 1, N s]");
  });

  test("trusted variables reach the program and nobody else", async () => {
    const sandbox = await open();
    const tool = Command.withOptions({ command: "printenv", env: { GH_TOKEN: "ghp_very-secret", MODE: "test" } });
    const told: string[] = [];
    const text = await tool.execute({ args: [] }, { sandbox, progress: (message) => told.push(message) });
    expect(text).toContain("GH_TOKEN=[REDACTED:GH_TOKEN]\n");
    expect(text).toContain("MODE=test\n");
    expect(text).toContain("PAGER=cat\n");
    const seen = [
      text,
      told.join(""),
      tool.describe({ sandbox }),
      JSON.stringify(tool),
      JSON.stringify(tool.inputSchema),
      JSON.stringify(tool.optionValues),
      inspect(tool.optionValues, { depth: 9 }),
    ];
    expect(seen.filter((shown) => shown.includes("ghp_very"))).toEqual([]);
  });

  test("session secrets are there too, and win", async () => {
    const sandbox = await open();
    const tool = Command.withOptions({ command: "printenv", env: { A: "from-tool", B: "from-tool" } });
    const values = { B: "from-session" };
    const text = await tool.execute(
      { args: [] },
      { sandbox, secrets: { names: ["B"], env: () => values, get: () => "" } },
    );
    expect(text).toContain("A=[REDACTED:A]\n");
    expect(text).toContain("B=[REDACTED:B]\n");
    const shown = Command.withOptions({ command: "printenv", env: { B: "x" } });
    const short = await shown.execute(
      { args: ["B"] },
      { sandbox, secrets: { names: ["B"], env: () => ({ B: "yes" }), get: () => "" } },
    );
    expect(withoutTime(short)).toBe("yes\n[exit 0, N s]");
  });

  test("its description says where programs are not the real ones", async () => {
    const sandbox = await open();
    const shown = Command.withOptions({ command: "git" }).describe({ sandbox });
    expect(shown.includes("There is no git")).toBe(kind === "virtual");
    expect(shown.includes("\nHere:")).toBe(kind === "virtual");
  });

  test("a program that is not there", async () => {
    const sandbox = await open();
    const text = await run(sandbox, { command: "no-such-program" }, { args: [] }).catch(
      (error) => `${error.code} ${error.message}`,
    );
    expect(text).toMatch(/^COMMAND_NOT_STARTED \[Command was not started: no-such-program|not found\n\[exit 127/);
  });
});

test("its time limit: the model's, else the option's", async () => {
  const sandbox = await openLocal();
  const tool = Command.withOptions({ command: "sleep", timeoutMs: 300 });
  await expect(tool.execute({ args: ["30"] }, { sandbox })).rejects.toMatchObject({
    code: "COMMAND_TIMEOUT",
    message: expect.stringContaining("timed out after 0.3 s"),
  });
  await expect(tool.execute({ args: ["30"], timeout: 0.5 }, { sandbox })).rejects.toThrow(/timed out after 0\.5 s/);
});

describe("what a model is shown", () => {
  test("a name made from the program, unless one is given", () => {
    const names: [string, string][] = [
      ["git", "Git"],
      ["gh", "Gh"],
      ["docker-compose", "Docker_compose"],
      ["node18", "Node18"],
      ["/usr/bin/my-tool", "My_tool"],
      ["C:\\bin\\build.exe", "Build_exe"],
      ["7z", "Run_7z"],
      ["[", "Run_"],
      ["x".repeat(80), `X${"x".repeat(49)}`],
    ];
    for (const [command, name] of names) expect(Command.withOptions({ command }).name).toBe(name);
    expect(Command.withOptions({ command: "git", name: "vcs" }).name).toBe("vcs");
  });

  test("its description, and args only as what must be given", () => {
    const tool = Command.withOptions({ command: "git" });
    expect(tool.description).toContain("`git`");
    expect(tool.inputSchema.properties.args).toMatchObject({ type: "array", items: { type: "string" } });
    expect(tool.inputSchema.required).toEqual(["args"]);
    expect(Command.withOptions({ command: "git", description: "The repository." }).description).toBe("The repository.");
  });

  test("copies keep the trusted variables", async () => {
    const sandbox = await openLocal();
    const tool = Command.withOptions({ command: "printenv", env: { MODE: "on" } })
      .rename("Look")
      .with({ aliases: ["look"] });
    expect(withoutTime(await tool.execute({ args: ["MODE"] }, { sandbox }))).toBe("on\n[exit 0, N s]");
  });
});

describe("mistakes", () => {
  test("without options a call fails, and says how to give them", async () => {
    await expect(Command.execute({ args: [] })).rejects.toMatchObject({
      code: "TOOL_OPTIONS_INVALID",
      message: expect.stringContaining("command: is missing"),
      hint: expect.stringContaining("[tool, values]"),
    });
  });

  test("options that do not fit; a value is never repeated", () => {
    const refusal = (options: object) => {
      try {
        return Command.withOptions(options as CommandOptions).name;
      } catch (error) {
        return `${(error as any).code}: ${(error as Error).message}`;
      }
    };
    expect(refusal({ command: "" })).toMatch(/^TOOL_OPTIONS_INVALID: .*command: must not be empty/);
    expect(refusal({ command: "gh", env: { GH_TOKEN: undefined } })).toMatch(
      /env\.GH_TOKEN: must be text, got nothing/,
    );
    expect(refusal({ command: "gh", env: "ghp_very-secret" })).toMatch(/env: must be an object, got text$/);
    expect(refusal({ command: "gh", environment: {} })).toMatch(
      /environment: is not an option; there are command, name,/,
    );
  });

  test("arguments that are not text", async () => {
    const tool = Command.withOptions({ command: "git" });
    const refusal = (args: unknown) => tool.execute({ args } as never).catch((error) => error.message);
    expect(await refusal(["a", 1])).toBe('Tool "Git" received invalid input: args: must be an array of strings');
    expect(await refusal("status")).toBe('Tool "Git" received invalid input: args: must be an array, got text');
  });
});
