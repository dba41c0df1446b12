/** Policies of one's own, what surrounds a grant, and grants on the host. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { execute } from "../../../../src/index.ts";
import { virtual } from "../../../../src/sandbox/virtual/index.ts";
import { scriptedModel } from "../../../../src/testing/index.ts";
import { type ArgsPolicy, Command, type CommandOptions } from "../../../../src/tools/index.ts";
import { openTrap } from "./helpers.ts";

/** `ran` with what reached the program, or why it did not. */
async function tried(args: ArgsPolicy, given: string[], more: Partial<CommandOptions> = {}): Promise<string> {
  const { call } = await openTrap();
  const { code, text } = await call({ command: "printf", args, ...more }, ["%s|", ...given]);
  return code ? `${code}: ${text}` : text.split("\n")[0]!;
}

describe("rules", () => {
  const rules: ArgsPolicy = {
    options: {
      "-v": true,
      "-n": "number",
      "--count": "number",
      "--color": { optional: ["always", "never"] },
      "--file": "path",
      "-o": "text",
    },
    positionals: ["%s|", "a", "b"],
  };

  test("options: long, short, clustered, attached, apart", async () => {
    for (const given of [
      ["-v"],
      ["-n", "3"],
      ["-n3"],
      ["-vn3"],
      ["-vvn", "3"],
      ["--count=3"],
      ["--count", "3"],
      ["--color"],
      ["--color=never"],
      ["-ovalue"],
      ["-vo", "v"],
      ["--file=sub/x"],
      ["a", "--", "b"],
      ["-o", "- text"],
    ])
      expect(await tried(rules, given), given.join(" ")).toBe(
        ["%s|", ...given]
          .slice(1)
          .map((arg) => `${arg}|`)
          .join(""),
      );
  }, 60_000);

  test("what they do not name is refused, with what is allowed", async () => {
    const refusals: [string[], RegExp][] = [
      [
        ["-x"],
        /"-x" is an option of the program that is not granted\. Allowed: -v, -n, --count, --color, --file, -o\./,
      ],
      [["-vx"], /"-x" is an option/],
      [["--xyz=1"], /"--xyz" is an option/],
      [["--cou=3"], /"--cou" is an abbreviation: options are written in full\. Allowed: --count\./],
      [["--colo"], /abbreviation/],
      [["-v=1"], /"-=" is an option/],
      [["--count"], /--count needs a value/],
      [["--count", "--file"], /begins with a dash/],
      [["-n", "x"], /must be a whole number/],
      [["--color=auto"], /none of the values that are granted\. Allowed: always, never\./],
      [["--color", "never"], /"never" as an argument/],
      [["--file=/etc/passwd"], /leads outside/],
      [["--file", "../x"], /leads outside/],
      [["c"], /"c" as an argument: it is none of the values that are granted/],
      [["--", "-v"], /"-v" as an argument/],
      [["a\0b"], /NUL/],
    ];
    for (const [given, message] of refusals) {
      const text = await tried(rules, given);
      expect(text, given.join(" ")).toMatch(/^COMMAND_REFUSED: Nothing was run: /);
      expect(text, given.join(" ")).toMatch(message);
    }
  }, 60_000);

  test("denied options, in every spelling, where the rest is open", async () => {
    const deny: ArgsPolicy = { denyOptions: ["--exec-path", "-x", "--help"] };
    for (const given of [
      ["--exec-path"],
      ["--exec-path=x"],
      ["--exec-p", "x"],
      ["--exec"],
      ["--e"],
      ["-x"],
      ["-vx"],
      ["-xvalue"],
      ["--he"],
    ])
      expect(await tried(deny, given), given.join(" ")).toMatch(/^COMMAND_REFUSED/);
    expect(await tried(deny, ["--other", "-v", "--", "-x"])).toBe("--other|-v|--|-x|");
    expect(await tried({ denyOptions: ["-exec"], singleDash: "whole" }, ["-name", "-exec"])).toMatch(
      /^COMMAND_REFUSED/,
    );
    expect(await tried({ denyOptions: ["-exec"], singleDash: "whole" }, ["-executable"])).toBe("-executable|");
  }, 60_000);

  test("subcommands, as a list and as rules", async () => {
    const { call } = await openTrap();
    const echo = async (options: Partial<CommandOptions>, args: string[]) => {
      const { code, text } = await call({ command: "echo", ...options }, args);
      return code ? text : text.split("\n")[0]!;
    };
    expect(await echo({ subcommands: ["build", "test"] }, ["test", "-v"])).toBe("test -v");
    expect(await echo({ subcommands: ["build", "test"] }, ["push"])).toMatch(
      /"push": it is no subcommand that is granted\. Allowed: build, test\./,
    );
    expect(await echo({ subcommands: ["build"] }, [])).toMatch(/a subcommand is missing/);
    expect(await echo({ subcommands: ["build"] }, ["-v", "build"])).toMatch(/the subcommand comes first/);
    const nested: ArgsPolicy = {
      denyOptions: ["--web"],
      subcommands: { pr: { subcommands: { list: { options: { "--web": true, "-L": "number" } } } } },
    };
    expect(await echo({ args: nested }, ["pr", "list", "-L3"])).toBe("pr list -L3");
    expect(await echo({ args: nested }, ["pr", "list", "--web"])).toMatch(/not granted/);
    expect(await echo({ args: nested }, ["pr", "close"])).toMatch(/"close" after pr/);
    expect(await echo({ subcommands: ["status"], command: "git" }, ["log"])).toMatch(/Allowed: status\./);
  });

  test("functions, and lists: all must agree, and an error is a no", async () => {
    expect(await tried((args) => args.length < 3, ["a"])).toBe("a|");
    expect(await tried((args) => args.length < 3, ["a", "b"])).toMatch(/the arguments "%s\|" "a" "b" are not granted/);
    expect(await tried(() => "only on Sundays", ["a"])).toMatch(/COMMAND_REFUSED: Nothing was run: only on Sundays\./);
    expect(await tried(async () => false, ["a"])).toMatch(/^COMMAND_REFUSED/);
    expect(await tried((() => 1) as never, ["a"])).toMatch(/^COMMAND_REFUSED/);
    const fails: ArgsPolicy = () => {
      throw new Error("broken");
    };
    expect(await tried(fails, ["a"])).toMatch(/could not be looked at: broken/);
    expect(await tried([{ positionals: "text" }, () => true, { denyOptions: ["-x"] }], ["-x"])).toMatch(
      /^COMMAND_REFUSED/,
    );
    const seen: unknown[] = [];
    await tried((args, place) => seen.push(args, place) > 0, ["a"]);
    expect(seen).toMatchObject([["%s|", "a"], { root: expect.any(String), cwd: expect.any(String) }]);
  });

  test("urls and hosts", async () => {
    const rules: ArgsPolicy = {
      positionals: ({ positionals }) => positionals.map((_, at) => (at === 0 ? "text" : "url")),
    };
    // Arguments are held to hosts here, and nothing else does it: so the grant needs a sandbox that has no network.
    expect(await tried(rules, ["https://a.example.com/x"], { network: true })).toBe("https://a.example.com/x|");
    expect(await tried(rules, ["ftp://a.example.com/x"], { network: true })).toMatch(/not a plain URL/);
    expect(await tried(rules, ["https://a.example.com"], { network: ["*.example.com"] })).toMatch(
      /^GRANT_UNENFORCEABLE/,
    );
  });

  test("mistakes in a policy are found where it is made", () => {
    const problem = (options: object) => {
      try {
        return Command.withOptions({ command: "x", ...options }).name;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(problem({ args: { denyOption: ["-x"] } })).toMatch(
      /args\.denyOption: is no rule; there are subcommands, options, denyOptions,/,
    );
    expect(problem({ args: { subcommands: { a: { option: {} } } } })).toMatch(/args\.option: is no rule/);
    expect(problem({ args: "any" })).toMatch(/args: must be rules, a function/);
    expect(problem({ network: ["a b"] })).toMatch(/network: "a b" is no host/);
    expect(problem({ subcommands: "log" })).toMatch(/subcommands: must be an array/);
  });
});

describe("programs that run anything", () => {
  const open = [
    "node",
    "python3.11",
    "npm",
    "npx",
    "make",
    "psql",
    "docker",
    "kubectl",
    "ssh",
    "sh",
    "/bin/bash",
    "env",
    "xargs",
    "sudo",
    "awk",
  ];

  test("need walls, or a person", async () => {
    const { sandbox } = await openTrap();
    for (const command of open) {
      const call = Command.withOptions({ command }).execute({ args: ["--version"] }, { sandbox });
      await expect(call, command).rejects.toMatchObject({
        code: "GRANT_NOT_CONFINED",
        message: expect.stringMatching(
          /runs any code that it is told to run, and the sandbox "local" does not isolate commands/,
        ),
        hint: expect.stringContaining("Command.with({ approval: true })"),
      });
    }
    for (const command of ["git", "find", "tar", "curl", "rg"])
      await expect(
        Command.withOptions({ command, profile: false }).execute({ args: [] }, { sandbox }),
      ).rejects.toMatchObject({ code: "GRANT_NOT_CONFINED" });
  });

  test("run where commands are isolated", async () => {
    await using sandbox = await virtual();
    const sh = Command.withOptions({ command: "sh" });
    expect(await sh.execute({ args: ["-c", "echo in"] }, { sandbox })).toContain("in\n[exit 0");
  });

  test("run where a person is asked, each time", async () => {
    const { sandbox } = await openTrap();
    const asked: unknown[] = [];
    const result = await execute({
      model: scriptedModel([{ toolCalls: [{ name: "Node", input: { args: ["-p", "6*7"] } }] }, { text: "done" }]),
      prompt: "go",
      tools: [[Command.with({ approval: true }), { command: "node" }]],
      sandbox,
      approve(call) {
        asked.push(call.input);
        return { approve: true };
      },
    });
    expect(result.isSuccess()).toBe(true);
    expect(asked).toEqual([{ args: ["-p", "6*7"] }]);
    expect(JSON.stringify(result.messages)).toContain("42");
    const never = Command.with({ approval: false }).withOptions({ command: "node" });
    await expect(never.execute({ args: [] }, { sandbox })).rejects.toMatchObject({ code: "GRANT_NOT_CONFINED" });
  });
});

describe("network", () => {
  test("what nobody can hold a program to is an error, not silence", async () => {
    const { sandbox } = await openTrap();
    for (const network of [false, ["example.com"]] as const) {
      const call = Command.withOptions({ command: "printf", network }).execute({ args: ["x"] }, { sandbox });
      await expect(call).rejects.toMatchObject({
        code: "GRANT_UNENFORCEABLE",
        message: expect.stringContaining('the sandbox "local" cannot'),
      });
    }
    await using closed = await virtual();
    expect(
      await Command.withOptions({ command: "printf", network: false }).execute({ args: ["x"] }, { sandbox: closed }),
    ).toContain("[exit 0");
    const hosts = Command.withOptions({ command: "printf", network: ["example.com"] });
    await expect(hosts.execute({ args: ["x"] }, { sandbox: closed })).rejects.toMatchObject({
      code: "GRANT_UNENFORCEABLE",
    });
  });
});

describe("folders", () => {
  test("the call's folder stays in the root, links included", async () => {
    const trap = await openTrap();
    mkdirSync(join(trap.root, "sub/deep"), { recursive: true });
    symlinkSync(trap.root, join(trap.root, "sub/up"));
    symlinkSync(trap.outside, join(trap.root, "sub/out"));
    const pwd = async (root: string | undefined, cwd?: string) => {
      const { code, text } = await trap.call({ command: "pwd", root }, [], cwd === undefined ? {} : { cwd });
      return code ?? text.split("\n")[0]!.replace(trap.root, "ROOT");
    };
    expect(await pwd(undefined)).toBe("ROOT");
    expect(await pwd("sub")).toBe("ROOT/sub");
    expect(await pwd("sub", "sub/deep")).toBe("ROOT/sub/deep");
    for (const cwd of [".", "..", "/", trap.outside, "sub/up", "sub/out", "sub/deep/../..", "sub/up/sub/../.."])
      expect(await pwd("sub", cwd), cwd).toBe("COMMAND_REFUSED");
    expect(await pwd("sub/up")).toBe("COMMAND_REFUSED");
    for (const cwd of ["..", trap.outside, "sub/out"]) expect(await pwd(undefined, cwd), cwd).toBe("COMMAND_REFUSED");
  });
});

describe("secrets and variables", () => {
  const secrets = {
    names: ["A_TOKEN", "B_TOKEN"],
    env: () => ({ A_TOKEN: "secret-of-a", B_TOKEN: "secret-of-b" }),
    get(name: string) {
      const values: Record<string, string> = secrets.env();
      if (!(name in values)) throw Object.assign(new Error(`no secret ${name}`), { code: "SECRET_UNKNOWN" });
      return values[name]!;
    },
  };

  test("only the secrets that it names reach the program", async () => {
    const { sandbox } = await openTrap();
    const run = (names?: string[]) =>
      Command.withOptions({ command: "printenv", secrets: names }).execute({ args: [] }, { sandbox, secrets });
    expect(await run(["A_TOKEN"])).toContain("A_TOKEN=[REDACTED:A_TOKEN]");
    expect(await run(["A_TOKEN"])).not.toContain("B_TOKEN");
    expect(await run([])).not.toContain("_TOKEN");
    expect(await run()).toContain("B_TOKEN=[REDACTED:B_TOKEN]");
    await expect(run(["NONE"])).rejects.toMatchObject({ code: "SECRET_UNKNOWN" });
  });

  test("values are in no description, log, refusal or error", async () => {
    const trap = await openTrap();
    const value = "ghp_value-that-nobody-sees";
    const tool = Command.withOptions({
      command: "git",
      env: { GIT_TOKEN: value },
      subcommands: ["status"],
      args: { denyOptions: ["-x"] },
    });
    const narrow = tool.narrow({ denyOptions: ["-s"] });
    const told = [
      tool.description,
      inspect(tool, { depth: 9 }),
      JSON.stringify(tool.optionValues),
      inspect(narrow.optionValues, { depth: 9 }),
      narrow.description,
    ];
    for (const args of [["log"], ["status", "-x"], ["status"]]) {
      try {
        told.push(await narrow.execute({ args }, { sandbox: trap.sandbox }));
      } catch (error) {
        told.push(inspect(error, { depth: 9 }), JSON.stringify(error));
      }
    }
    const result = await execute({
      model: scriptedModel([{ toolCalls: [{ name: "Git", input: { args: ["log"] } }] }, { text: "done" }]),
      prompt: "go",
      tools: [[Command, { command: "git", env: { GIT_TOKEN: value } }]],
      sandbox: trap.sandbox,
    });
    told.push(JSON.stringify(result.iterations), JSON.stringify(result.messages));
    expect(told.filter((text) => text?.includes(value))).toEqual([]);
    expect(told.join("")).toContain("COMMAND_REFUSED");
  });
});

describe("on the host", () => {
  test("an exact environment, a confined folder, and a time limit", async () => {
    const trap = await openTrap();
    process.env.HAFT_TEST_LEAK = "leaked-value";
    try {
      const env = Command.withOptions({ command: "printenv", host: true, env: { MINE: "yes" } });
      const text = await env.execute({ args: [] }, { cwd: trap.root });
      const names = [...text.matchAll(/^([A-Z_]+)=/gm)]
        .map((match) => match[1]!)
        .filter((name) => !/^LC_|^LANG$|^TZ$/.test(name));
      expect(names.sort()).toEqual(["GIT_PAGER", "GIT_TERMINAL_PROMPT", "MINE", "NO_COLOR", "PAGER", "PATH", "TERM"]);
    } finally {
      delete process.env.HAFT_TEST_LEAK;
    }
    const pwd = Command.withOptions({ command: "pwd", host: true });
    expect(await pwd.execute({ args: [] }, { cwd: trap.root })).toContain(`${trap.root}\n[exit 0`);
    for (const cwd of ["..", "/", trap.outside])
      await expect(pwd.execute({ args: [], cwd }, { cwd: trap.root })).rejects.toMatchObject({
        code: "COMMAND_REFUSED",
      });
    const sleep = Command.withOptions({ command: "sleep", host: true, timeoutMs: 300 });
    await expect(sleep.execute({ args: ["30"] }, { cwd: trap.root })).rejects.toMatchObject({
      code: "COMMAND_TIMEOUT",
    });
    const none = Command.withOptions({ command: "no-such-program", host: true });
    await expect(none.execute({ args: [] }, { cwd: trap.root })).rejects.toMatchObject({ code: "COMMAND_NOT_STARTED" });
  });

  test("is said to the model, aborts, keeps to profiles, and is closed to programs that run anything", async () => {
    const trap = await openTrap();
    expect(Command.withOptions({ command: "printf", host: true }).description).toContain("It runs on the host");
    const controller = new AbortController();
    const sleeping = Command.withOptions({ command: "sleep", host: true }).execute(
      { args: ["30"] },
      { cwd: trap.root, abortSignal: controller.signal },
    );
    setTimeout(() => controller.abort(), 100);
    await expect(sleeping).rejects.toMatchObject({ code: expect.stringMatching(/ABORTED/) });
    const find = Command.withOptions({ command: "find", host: true });
    expect(await find.execute({ args: [".", "-maxdepth", "0"] }, { cwd: trap.root })).toContain("[exit 0");
    await expect(find.execute({ args: [trap.outside] }, { cwd: trap.root })).rejects.toMatchObject({
      code: "COMMAND_REFUSED",
    });
    await using sandbox = await virtual();
    const sh = Command.withOptions({ command: "sh", host: true });
    await expect(sh.execute({ args: [] }, { sandbox, cwd: trap.root })).rejects.toMatchObject({
      code: "GRANT_NOT_CONFINED",
      message: expect.stringContaining("the host does not isolate commands"),
    });
  });
});
