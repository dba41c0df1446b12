import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { demoProject } from "../../src/cli/demo/project.ts";
import { runCodeDemo } from "../../src/cli/demo/run-code-demo.ts";
import { runDemo } from "../../src/cli/demo/run-demo.ts";
import { Screen } from "../../src/cli/render/screen.ts";
import { haft, project, startHaft, until } from "./helpers/haft.ts";
import { hasScript, onTerminal } from "./helpers/terminal.ts";

async function demo(files: Record<string, string>, run = runDemo): Promise<{ code: number; text: string }> {
  let text = "";
  const screen = new Screen(
    {
      write: (part) => {
        text += part;
      },
    },
    {},
  );
  return { code: await run(files, screen), text };
}

const copies = (folder = tmpdir()) => readdirSync(folder).filter((name) => name.startsWith("haft-demo-"));

describe("haft demo", () => {
  test("finds a bug, edits, shows the diff and passes the test, without key or network", async () => {
    const before = copies();
    const run = await haft(["demo"], { cwd: await project() });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout.replace(/\s+/g, " ")).toContain("The model is a script");
    expect(run.stdout.replace(/\s+/g, " ")).toContain("a temporary copy of a small project");
    expect(run.stdout).toContain("└ exit 1");
    expect(run.stdout).toMatch(/-\s+sum \+= price \+ quantity;\n.*\+\s+sum \+= price \* quantity;/);
    expect(run.stdout).toMatch(/fail 0[\s\S]*└ exit 0/);
    expect(run.stdout).toContain("haft demo --mode code");
    for (const line of run.stdout.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(80);
    expect(copies().filter((name) => !before.includes(name))).toEqual([]);
  });

  test.each([
    ["another bug beside it", { "src/cart.js": demoProject["src/cart.js"]!.replace("toFixed(2)", "toFixed(1)") }],
    ["no bug", { "src/cart.js": demoProject["src/cart.js"]!.replace("price + quantity", "price * quantity") }],
    ["a test that cannot pass", { "test/more.test.js": "throw new Error('12.50')" }],
  ])("fails on a fixture with %s", async (_what, files) => {
    const { code, text } = await demo({ ...demoProject, ...files });
    expect(code).toBe(1);
    expect(text).toContain("DEMO_FAILED");
  });
});

/** Those that begin a program for a demo in this folder. */
async function firstProcesses(folder: string): Promise<string[]> {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes("first-process-main") && line.includes(folder));
}

describe.concurrent("haft demo --mode code", () => {
  test("kills a process in the middle of its program, and goes on at the same await in another", async () => {
    const cwd = await project();
    const run = await haft(["demo", "--mode", "code"], { cwd, env: { TMPDIR: cwd } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const { stdout } = run;
    const killed = /kill -9 (\d+): ended by SIGKILL/.exec(stdout)![1];
    expect(stdout).toMatch(/● Edit {2}src\/cart\.js {2}line 17\n {2}└ waits: [\s\S]*kill -9/);
    expect(stdout).toMatch(/● Program goes on {2}with the results of 4 calls\n[\s\S]*\n> 17 │ await Edit/);
    const [first, second] = stdout.split("kill -9");
    expect(first!.match(/^● (Bash|Read)/gm)).toHaveLength(4);
    expect(second!.match(/^● (Bash|Read|Edit)/gm)).toEqual(["● Edit", "● Bash"]);
    const drawn = /echo "repair (\w{8})"/.exec(first!)![1];
    expect(second).toContain(`Returned: { repair: "${drawn}", before: 1, after: 0 }`);
    expect(second!.replace(/\s+/g, " ")).toContain(`Process ${killed} made calls 1 to 4 (Bash, Read, Read, Bash).`);
    expect(second).toContain("made calls 5 to 6 (Edit, Bash).");
    for (const line of stdout.split("\n")) expect([...line].length, line).toBeLessThanOrEqual(80);
    expect(stdout).not.toMatch(/[\u001b\r\u2800-\u28ff]/);
    expect(copies(cwd)).toEqual([]);
  });

  test.each([
    ["no bug", { "src/cart.js": demoProject["src/cart.js"]!.replace("price + quantity", "price * quantity") }],
    ["another bug", { "src/cart.js": demoProject["src/cart.js"]!.replace("price + quantity", "quantity") }],
  ])("fails on a fixture with %s", async (_what, files) => {
    const { code, text } = await demo({ ...demoProject, ...files }, runCodeDemo);
    expect(code).toBe(1);
    expect(text).toContain("DEMO_FAILED");
    expect(text).not.toContain("Kept");
  });

  test.skipIf(process.platform !== "linux")("is stopped by SIGTERM, with its process and its folder", async () => {
    const cwd = await project();
    const run = startHaft(["demo", "--mode", "code"], { cwd, env: { TMPDIR: cwd } });
    await until("the program runs", () => run.stdout().includes("● Program"));
    run.child.kill("SIGTERM");
    expect(await run.finished).toMatchObject({ code: 143, signal: null });
    expect(copies(cwd)).toEqual([]);
    await until("the first process is gone", async () => (await firstProcesses(cwd)).length === 0);
  });

  test.skipIf(!hasScript())("waits where somebody reads, and Ctrl-C leaves", async () => {
    const cwd = await project();
    const run = onTerminal(["demo", "--mode", "code"], cwd, { NO_COLOR: "1", TMPDIR: cwd });
    await run.sees("waits for a yes");
    run.type("\u0003");
    expect(await run.code).toBe(130);
    expect(run.text()).not.toContain("kill -9");
    expect(run.raw()).not.toMatch(/\u001b\[[0-9;]*m/);
    expect(copies(cwd)).toEqual([]);
  });

  test("says which demos there are", async () => {
    const run = await haft(["demo", "--mode", "nonsense"], { cwd: await project() });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("tools, code");
  });
});
