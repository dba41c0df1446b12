import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { demoProject } from "../../src/cli/demo/project.ts";
import { runDemo } from "../../src/cli/demo/run-demo.ts";
import { Screen } from "../../src/cli/render/screen.ts";
import { haft, project } from "./helpers/haft.ts";

async function demo(files: Record<string, string>): Promise<{ code: number; text: string }> {
  let text = "";
  const screen = new Screen(
    {
      write: (part) => {
        text += part;
      },
    },
    {},
  );
  return { code: await runDemo(files, screen), text };
}

const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith("haft-demo-"));

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
