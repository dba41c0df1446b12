import { describe, expect, test } from "vitest";
import { haft, project } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

/** A sentence and a next step, in 80 columns, and no trace of where in our code it happened. */
function expectKind(stderr: string): void {
  expect(stderr).toMatch(/^Error {4}\S.*\.?/m);
  expect(stderr).toMatch(/^Next {5}\S/m);
  expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect(stderr).not.toContain("node_modules");
  for (const line of stderr.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
}

describe.concurrent("a mistake in usage ends with 2", () => {
  test.each([
    [
      ["run", "--modle", "x", "hi"],
      ["'--modle'", "--model"],
    ],
    [
      ["rnu", "hi"],
      ["'rnu'", "run"],
    ],
    [
      ["run", "--tools", "read,bsh", "hi"],
      ['"bsh"', '"bash"', "coding, read-only, none"],
    ],
    [
      ["run", "--sandbox", "locl", "hi"],
      ['"locl"', '"local"', "auto, isolated, virtual, local"],
    ],
    [
      ["run", "--max-iterations", "0", "hi"],
      ["'0'", "whole number from 1"],
    ],
    [["run", "--approvals", "perhaps", "hi"], ["ask, interrupt, deny"]],
    [
      ["run", "--cwd", "not-there", "hi"],
      ["not-there", "--cwd"],
    ],
    [["run", "--config", "not-there.ts", "hi"], ["not-there.ts"]],
    [
      ["run", "--model", "gpt-5", "hi"],
      ["gpt-5", "openai:gpt-5"],
    ],
    [
      ["run", "--json", "--quiet", "hi"],
      ["--json", "--quiet"],
    ],
    [["run", "--approve", "1/1"], ["--session"]],
    [["run"], ["no task", "haft run"]],
    [["demo", "--loud"], ["'--loud'"]],
  ])("haft %j", async (args, words) => {
    const run = await haft(args, { cwd: await project() });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expectKind(run.stderr);
    const text = run.stderr.replace(/\s+/g, " ");
    for (const word of words) expect(text).toContain(word);
  });

  test("an unknown mode", async () => {
    await using model = await modelServer(() => ({ text: "Hello" }));
    const run = await haft(["run", "--mode", "cod", "hi"], { cwd: await project(), env: model.env });
    expect(run.code).toBe(2);
    expectKind(run.stderr);
    expect(run.stderr).toContain('"cod"');
  });

  test("an unknown session, and one that has ended", async () => {
    const cwd = await project();
    await using model = await modelServer(() => ({ text: "Hello" }));
    const unknown = await haft(["run", "--session", "nobody"], { cwd, env: model.env });
    await haft(["run", "--session", "mine", "hi"], { cwd, env: model.env });
    const ended = await haft(["run", "--session", "mine"], { cwd, env: model.env });
    const outside = await haft(["run", "--session", "../../outside", "hi"], { cwd, env: model.env });
    for (const { code, stderr } of [unknown, ended, outside]) {
      expect(code).toBe(2);
      expectKind(stderr);
    }
    expect(unknown.stderr).toContain('"nobody"');
    expect(ended.stderr).toContain("has ended");
    expect(model.server.requests).toHaveLength(1);
  });
});

describe.concurrent("no model", () => {
  test("says how to name one", async () => {
    const run = await haft(["run", "hi"], { cwd: await project() });
    expect(run.code).toBe(2);
    expectKind(run.stderr);
    for (const way of ["--model", "HAFT_MODEL", "agent.config.ts"]) expect(run.stderr).toContain(way);
  });

  test("names the keys that are there, and none of their values", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-secret" };
    const run = await haft(["run", "hi"], { cwd: await project(), env });
    expect(run.stderr).toContain("ANTHROPIC_API_KEY is set");
    expect(run.stderr).toContain("anthropic:<model>");
    expect(run.stderr).not.toContain("sk-secret");
  });

  test("offers a local Ollama", async () => {
    await using model = await modelServer(() => ({ text: "Hello" }));
    const run = await haft(["run", "hi"], { cwd: await project(), env: { OLLAMA_HOST: model.server.url } });
    expect(run.code).toBe(2);
    expectKind(run.stderr);
    expect(run.stderr).toContain("--model ollama:test-model");
  });

  test("a missing key is named", async () => {
    const run = await haft(["run", "hi", "--model", "openai:gpt-5"], { cwd: await project() });
    expect(run.code).toBe(1);
    expectKind(run.stderr);
    expect(run.stderr).toContain("OPENAI_API_KEY");
  });

  test("of a fallback chain, one without a key is left out with a note", async () => {
    await using model = await modelServer(() => ({ text: "Hello" }));
    const env = { ...model.env, HAFT_MODEL: "openai:gpt-5, openai-compatible:m" };
    const run = await haft(["run", "hi"], { cwd: await project(), env });
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/Note .*openai:gpt-5/);
  });
});

describe.concurrent("a run that fails ends with 1", () => {
  test("at the iteration limit, and says how to go on", async () => {
    const cwd = await project({ "a.txt": "a" });
    await using model = await modelServer(() => ({ toolCalls: [{ name: "Read", input: { path: "a.txt" } }] }));
    const run = await haft(["run", "read", "--max-iterations", "2"], { cwd, env: model.env });
    expect(run.code).toBe(1);
    expectKind(run.stderr);
    expect(run.stderr).toContain("limit of 2");
    expect(run.stderr).toMatch(/haft run --session session_\w+ --max-iterations 2/);
    expect(run.stdout).toMatch(/^Failed +2 model calls/m);
    expect(model.server.requests).toHaveLength(2);
  });

  test("at an error of the model", async () => {
    await using model = await modelServer(() => ({ fault: { status: 401, message: "this key is not known" } }));
    const run = await haft(["run", "hi"], { cwd: await project(), env: model.env });
    expect(run.code).toBe(1);
    expectKind(run.stderr);
    expect(run.stderr.replace(/\s+/g, " ")).toContain("this key is not known");
    expect(run.stderr).not.toContain("key-of-the-test");
  });

  test("where no server answers", async () => {
    const env = { HAFT_MODEL: "openai-compatible:m", OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:2/v1" };
    const run = await haft(["run", "hi"], { cwd: await project(), env });
    expect(run.code).toBe(1);
    expectKind(run.stderr);
  });
});

describe.concurrent("help", () => {
  test.each([[["--help"]], [["run", "--help"]], [["chat", "--help"]], [["demo", "--help"]]])(
    "haft %j",
    async (args) => {
      const run = await haft(args, { cwd: await project() });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(run.stdout).toContain("Usage: haft");
      for (const line of run.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    },
  );

  test("names all exit codes and all flags of the job", async () => {
    const { stdout } = await haft(["run", "--help"], { cwd: await project() });
    expect(stdout).toContain("0 success, 1 failed, 2 usage, 3 waiting for a decision, 130 Ctrl-C");
    for (const flag of ["model", "tools", "sandbox", "mode", "cwd", "json", "max-iterations", "apply", "no-apply"]) {
      expect(stdout).toContain(`--${flag}`);
    }
  });

  test("--version is that of the package", async () => {
    const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
    expect(await haft(["--version"], { cwd: await project() })).toMatchObject({
      code: 0,
      stdout: `${manifest.version}\n`,
    });
  });
});
