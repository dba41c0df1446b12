import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contentOf, haft, project, sessionIn, startHaft, until } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";
import { hasScript, onTerminal } from "./helpers/terminal.ts";

const program = (code: string) => ({ toolCalls: [{ name: "run_program", input: { code } }] });
const answers = (...codes: string[]) => [...codes.map(program), { text: "All done." }];

/** `more` are further settings. Types are looked at in the tests that are about types. */
const settings = (more = "", options = "typecheck: false") => `
  import { appendFileSync } from "node:fs";
  import { Tool } from "haft";
  import { codeMode } from "haft/code";
  const note = new Tool({ name: "note", handler: ({ text }) => { appendFileSync("notes.txt", text + "\\n"); return "noted " + text; } });
  const hang = new Tool({ name: "hang", handler: () => new Promise(() => {}) });
  const deploy = note.rename("deploy").with({ approval: true });
  export default { sandbox: "local", tools: ["coding", note, hang, deploy], mode: codeMode({ ${options} }), ${more} };`;

/** Nothing but a person stops its programs. */
const endless = settings("", "typecheck: false, limits: { cpuMs: 600_000 }");

describe.concurrent("haft run --mode code", () => {
  test("shows a program, its calls with their lines, and what became of it, in 80 columns", async () => {
    const cwd = await project({ "a.txt": "hello\n" });
    const code = [
      'const text: string = await Read({ path: "a.txt" });',
      `const list = await Bash({ command: "echo ${"wide ".repeat(30)}; ls" });`,
      'if (text.includes("\u001b[31m")) throw new Error("\u202e");',
      "return { size: text.length };",
    ].join("\n");
    await using model = await modelServer(answers(code));
    const run = await haft(["run", "--mode", "code", "--sandbox", "local", "go"], { cwd, env: model.env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(model.server.requests[0]!.tools.map(({ name }) => name)).toEqual(["run_program"]);
    expect(run.stdout).toContain("● Program  4 lines, types checked\n  1 │ const text: string = await Read(");
    expect(run.stdout).toContain('3 │ if (text.includes("\\x1b[31m")) throw new Error("\\u202e");');
    expect(run.stdout).toContain("● Read  a.txt  line 1\n  │ 1 line\n");
    expect(run.stdout).toMatch(/● Bash {2}echo wide .*… {2}line 2\n/);
    expect(run.stdout).toMatch(/● Program returned {2}2 calls, .*\n {2}│ Returned: \{ size: \d+ \}\n/);
    expect(run.stdout).toContain("All done.");
    expect(run.stdout).not.toMatch(/run_program|Kept:|[\u001b\r\u2800-\u28ff]/);
    for (const line of run.stdout.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(80);
  });

  test("says where one threw, which limit stopped one, and what a check found before anything ran", async () => {
    const cwd = await project({ "agent.config.ts": settings("", "limits: { cpuMs: 200 }") });
    await using model = await modelServer(
      answers(
        "const x: any = {};\nreturn x.foo.bar;",
        "while (true) {}",
        'const n: number = "a";\nawait note({ text: "never" });\nawait nope({});',
        "void note({ text: 'late' }); await Bash({ command: 'exit 3' }); return 1n;",
      ),
    );
    const run = await haft(["run", "go"], { cwd, env: { ...model.env, FORCE_COLOR: "0" } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/● Program threw {2}TypeError: .*\(line 2\)\s+0 calls, /);
    expect(run.stdout).toMatch(/│ > 2 \| return x\.foo\.bar;/);
    expect(run.stdout).toMatch(
      /● Program stopped by a limit {2}The program computed for longer than 200 ms\s+0 calls, /,
    );
    expect(run.stdout).toMatch(/3 │ await nope\(\{\}\);\n\n● Program not run {2}2 problems\n {2}│ 1:7 /);
    expect(run.stdout).toContain("noted late");
    expect(await contentOf(cwd, "notes.txt")).toBe("late\n");
  });

  test("--json and --quiet stay clean", async () => {
    const cwd = await project({ "agent.config.ts": settings() });
    await using model = await modelServer((_request, index) =>
      index % 2 === 0
        ? program('console.log("\u001b[31m");\nawait note({ text: "a" });\nthrow new Error();')
        : { text: "Over." },
    );
    const json = await haft(["run", "go", "--json"], { cwd, env: model.env });
    expect(json).toMatchObject({ code: 0, stderr: "" });
    const events = json.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === "program-start")).toMatchObject({ check: "off" });
    expect(events.find(({ type }) => type === "tool-call")).toMatchObject({ name: "note", line: 2 });
    const end = events.find(({ type }) => type === "program-end");
    expect(end).toMatchObject({ status: "threw", calls: 1, error: { data: { line: 3 } } });
    const quiet = await haft(["run", "go", "-q"], { cwd, env: model.env });
    expect(quiet).toMatchObject({ code: 0, stdout: "Over.\n", stderr: "" });
  });

  test("a mode that is not there is said before anything is opened, with those that are", async () => {
    const cwd = await project({ "agent.config.mjs": 'export default { mode: "cod" };' });
    const flag = await haft(["run", "--mode", "nonsense", "hi"], { cwd });
    expect(flag).toMatchObject({ code: 2, stdout: "" });
    expect(flag.stderr).toMatch(/"nonsense"[\s\S]*Modes are tools, code\./);
    const setting = await haft(["chat", "hi"], { cwd });
    expect(setting).toMatchObject({ code: 2, stdout: "" });
    expect(setting.stderr).toMatch(/"cod"[\s\S]*Did you mean "code"\?/);
  });
});

describe.concurrent("a program that was stopped", () => {
  test("by a call that needs approval goes on in another process; what had ended is not done again", async () => {
    const cwd = await project({ "agent.config.ts": settings() });
    const code = [
      "const draw = crypto.randomUUID();",
      'const first = await note({ text: "first " + draw });',
      'const second = await deploy({ text: "second " + draw });',
      "return [first, second, draw].length;",
    ].join("\n");
    await using model = await modelServer(answers(code));
    const stopped = await haft(["run", "go"], { cwd, env: model.env });
    expect(stopped.code).toBe(3);
    expect(stopped.stdout).toMatch(/● deploy .* line 3\n {2}└ waits: /);
    expect(stopped.stderr).toContain("--approve 1/2");
    const session = sessionIn(stopped.stdout);
    const run = await haft(["run", "--session", session, "--approve", "1/2"], { cwd, env: model.env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/● Program goes on {2}with the results of 1 call\n[\s\S]*\n> 3 │ const second = /);
    expect(run.stdout).not.toContain("● note");
    expect(run.stdout).toMatch(/● deploy .* line 3\n[\s\S]*● Program returned {2}2 calls\n {2}│ Returned: 3\n/);
    const [first, second] = (await readFile(join(cwd, "notes.txt"), "utf8")).trim().split("\n");
    expect(first).toMatch(/^first [0-9a-f-]{36}$/);
    expect(second).toBe(first!.replace("first", "second"));
  });

  test("by Ctrl-C while it computes ends at once, and its session goes on with something else", async () => {
    const cwd = await project({ "agent.config.ts": endless });
    await using model = await modelServer(answers("await note({ text: 'a' });\nwhile (true) {}"));
    const run = startHaft(["run", "go"], { cwd, env: model.env });
    await until("its call is over", () => run.stdout().includes("noted a"));
    run.child.kill("SIGINT");
    const { code, stdout } = await run.finished;
    expect(code).toBe(130);
    expect(stdout).toMatch(/● Program stopped\n[\s\S]*^Stopped /m);
    const next = await haft(["run", "--session", sessionIn(stdout), "and now?"], { cwd, env: model.env });
    expect(next).toMatchObject({ code: 0, stderr: "" });
    expect(next.stdout).toContain("All done.");
    expect(next.stdout).not.toContain("● Program");
  });

  test("by Ctrl-C while it waits for a call that never ends, ends at once", async () => {
    const cwd = await project({ "agent.config.ts": endless });
    await using model = await modelServer(answers("await hang({});"));
    const run = startHaft(["run", "go"], { cwd, env: model.env });
    await until("the call is announced", () => run.stdout().includes("● hang"));
    run.child.kill("SIGINT");
    const { code, stdout } = await run.finished;
    expect(code).toBe(130);
    expect(stdout).toMatch(/● Program stopped\n[\s\S]*^Stopped /m);
  });
});

test("haft chat --mode code keeps what a program made for the next turn", async () => {
  const cwd = await project();
  await using model = await modelServer([
    ...answers("let kept = 41;"),
    program("return ++kept;"),
    { text: "Here it is." },
  ]);
  const chat = await haft(["chat", "--mode", "code"], { cwd, env: model.env, input: "one\ntwo\n" });
  expect(chat.code).toBe(0);
  expect(chat.stdout).toContain("Here it is.");
  expect(chat.stdout.match(/^● Program {2}/gm)).toHaveLength(2);
});

describe.skipIf(!hasScript())("at a terminal (skipped where util-linux has no `script`)", { concurrent: true }, () => {
  test("a program is coloured, its writing is told, and a call of it is asked about", async () => {
    const cwd = await project({ "agent.config.ts": settings() });
    const code = 'const a = await deploy({ text: "yes" });\nconst b = await deploy({ text: "no" }).catch(() => 1);';
    await using model = await modelServer(answers(code));
    const run = onTerminal(["run", "go"], cwd, model.env);
    await run.sees("Writing a program");
    await run.sees("Running the program");
    await run.sees("Run deploy?");
    await run.answer("y");
    await run.sees("line 1");
    await run.sees("Run deploy?");
    await run.answer("n");
    await run.sees("Why not?");
    await run.answer("\r");
    await run.sees("line 2");
    await run.sees("Program returned");
    expect(await run.code).toBe(0);
    expect(run.raw()).toContain("\u001b[35mconst\u001b[39m a = \u001b[35mawait\u001b[39m deploy(");
    expect(run.raw()).toContain('\u001b[32m"yes"\u001b[39m');
    expect(await contentOf(cwd, "notes.txt")).toBe("yes\n");
  });

  test("Ctrl-C stops a loop without end and a question, and NO_COLOR is heard", async () => {
    const cwd = await project({ "agent.config.ts": endless });
    await using model = await modelServer((_request, index) =>
      program(index === 0 ? "while (true) {}" : "await deploy({ text: 'never' });"),
    );
    const loop = onTerminal(["run", "go"], cwd, { ...model.env, NO_COLOR: "1" });
    await loop.sees("Running the program");
    loop.type("\u0003");
    await loop.sees("Stopped");
    expect(await loop.code).toBe(130);
    expect(loop.raw()).not.toMatch(/\u001b\[3\dm/);

    const question = onTerminal(["run", "go"], cwd, model.env);
    await question.sees("Run deploy?");
    await question.answer("\u0003");
    expect(await question.code).toBe(130);
    await expect(contentOf(cwd, "notes.txt")).rejects.toThrow();
  });
});
