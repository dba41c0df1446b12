import { describe, expect, test } from "vitest";
import type { Script } from "../helpers/provider-server/index.ts";
import { haft, project } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

const script: Script = [
  { text: "Writing.", toolCalls: [{ name: "Write", input: { path: "b.txt", content: "b\u2028\n\u001b[31m" } }] },
  { text: "Done\nin two lines." },
];

function events(stdout: string): any[] {
  expect(stdout.endsWith("\n")).toBe(true);
  return stdout
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe.concurrent("haft run --json", () => {
  test("every line of stdout is an event, and stderr is empty", async () => {
    const cwd = await project();
    await using model = await modelServer(script);
    const run = await haft(["run", "--sandbox", "virtual", "write", "--json", "--apply"], {
      cwd,
      env: { ...model.env, FORCE_COLOR: "1" },
    });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).not.toContain("\u001b");
    const all = events(run.stdout);
    const types = all.map(({ type }) => type);
    for (const type of [
      "run-start",
      "message",
      "model-start",
      "text-delta",
      "model-response",
      "tool-call",
      "tool-start",
    ]) {
      expect(types).toContain(type);
    }
    expect(types.at(-2)).toBe("run-end");
    expect(all.find(({ type }) => type === "run-start").sandbox).toMatchObject({ kind: "virtual" });
    expect(all.at(-1)).toMatchObject({ type: "changes", applied: true, files: [{ path: "b.txt", type: "created" }] });
  });

  test("what is not applied is said on stderr, and in the events", async () => {
    const cwd = await project();
    await using model = await modelServer(script);
    const run = await haft(["run", "--sandbox", "virtual", "write", "--json"], { cwd, env: model.env });
    expect(events(run.stdout).at(-1)).toMatchObject({ type: "changes", applied: false });
    expect(run.stderr).toContain("Not applied.");
  });

  test("a failure is an event, and a sentence on stderr", async () => {
    const cwd = await project();
    await using model = await modelServer(() => ({ fault: { status: 401, message: "wrong key" } }));
    const run = await haft(["run", "hi", "--json"], { cwd, env: model.env });
    expect(run.code).toBe(1);
    expect(events(run.stdout).at(-1)).toMatchObject({ type: "run-end", status: "error" });
    expect(run.stderr).toContain("wrong key");
  });

  test("nothing but the mistake is printed when the run cannot begin", async () => {
    const run = await haft(["run", "hi", "--json", "--tools", "nope"], { cwd: await project() });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("nope");
  });
});
