/** The same at the command line: nothing of a secret is printed, sent to the provider or kept on disk. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { haft, project } from "../../cli/helpers/haft.ts";
import { modelServer } from "../../cli/helpers/model-server.ts";
import { findings, formsFor, samples } from "../../core/redact/samples.ts";
import { hostileProgram } from "./hostile.ts";

const names = Object.keys(samples);
const allForms = Object.values(samples).flatMap((value) => Object.values(formsFor(value)));

/** Secrets come from the environment that `haft` is started in. */
const env = Object.fromEntries(Object.entries(samples).map(([name, value]) => [`GIVEN_${name}`, value]));
const config = (more: string) => `
  import { Tool } from "haft";
  export default {
    secrets: { ${names.map((name) => `${name}: { env: "GIVEN_${name}" }`).join(", ")} },
    redact: ["email"],
    ${more}
  };`;

async function kept(folder: string): Promise<string> {
  const all = await readdir(join(folder, ".haft"), { recursive: true, withFileTypes: true });
  const files = all.filter((entry) => entry.isFile());
  return (await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")))).join("\n");
}

const say = `tools: ["coding", new Tool({
  name: "say",
  description: "Knows ${samples.GITHUB}",
  handler: (_input, { secrets, progress, logger }) => {
    const all = Object.values(secrets.env()).join(" ");
    progress(all.slice(0, 30));
    progress(all.slice(30));
    logger.warn("using " + all);
    throw new Error("cannot use " + all + " of me@example.com");
  },
})],`;

describe.concurrent("haft run", () => {
  test.each([["--json"], ["plain"], ["--quiet"]])("%s, with real commands", { timeout: 60_000 }, async (how) => {
    const cwd = await project({ "agent.config.ts": config(`sandbox: "local", ${say}`), "leak.mjs": hostileProgram });
    await using model = await modelServer([
      {
        pieces: allForms.flatMap((text) => [text.slice(0, 5), text.slice(5), "\n"]),
        toolCalls: [
          { name: "Bash", input: { command: "node leak.mjs; env; exit 1" } },
          { name: "say", input: {} },
          { name: "Write", input: { path: "a.txt", content: allForms.join("\n") } },
          { name: `say_${samples.HEXISH}`, input: {} },
        ],
      },
      { text: `${allForms.join("\n")}\nme@example.com` },
    ]);
    const args = how === "plain" ? [] : [how];
    const run = await haft(["run", `use ${samples.GITHUB}`, ...args], { cwd, env: { ...model.env, ...env } });
    expect(run.code).toBe(0);
    expect(findings(run.stdout)).toEqual([]);
    expect(findings(run.stderr)).toEqual([]);
    expect(findings(JSON.stringify(model.server.requests.map(({ body }) => body)))).toEqual([]);
    expect(findings(await kept(cwd))).toEqual([]);
    const everything = run.stdout + run.stderr + (await kept(cwd));
    for (const name of names) expect(everything).toContain(`[REDACTED:${name}]`);
    expect(everything).not.toContain("me@example.com");
    expect(everything).toContain("[REDACTED:email]");
  });

  test("changes that are held back are shown and kept without them", { timeout: 60_000 }, async () => {
    const cwd = await project({ "agent.config.ts": config("") });
    const command =
      'for x in GITHUB KEY DATABASE; do printenv $x >> leak.txt; printenv $x | base64 -w 0 >> leak.txt; done; echo x > "$HEXISH"';
    await using model = await modelServer([{ toolCalls: [{ name: "Bash", input: { command } }] }, { text: "done" }]);
    for (const args of [[], ["--json"]]) {
      const run = await haft(["run", "go", "--sandbox", "virtual", ...args], { cwd, env: { ...model.env, ...env } });
      expect(run.stdout).toContain("leak.txt");
      expect(run.stdout).toContain("[REDACTED:GITHUB]");
      expect(findings(run.stdout + run.stderr)).toEqual([]);
      expect(findings(await kept(cwd))).toEqual([]);
      model.server.push({ toolCalls: [{ name: "Bash", input: { command } }] }, { text: "done" });
    }
  });

  test("applied changes are what was written", { timeout: 60_000 }, async () => {
    const cwd = await project({ "agent.config.ts": config("") });
    await using model = await modelServer([
      { toolCalls: [{ name: "Bash", input: { command: "printenv GITHUB > token.txt" } }] },
      { text: "done" },
    ]);
    const run = await haft(["run", "go", "--sandbox", "virtual", "--apply"], { cwd, env: { ...model.env, ...env } });
    expect(run.code).toBe(0);
    expect(findings(run.stdout)).toEqual([]);
    expect(await readFile(join(cwd, "token.txt"), "utf8")).toBe(`${samples.GITHUB}\n`);
  });

  test("a secret that cannot be resolved ends it with its name", async () => {
    const cwd = await project({ "agent.config.ts": config("") });
    await using model = await modelServer([]);
    const { GIVEN_KEY: _, ...rest } = env;
    const run = await haft(["run", "go"], { cwd, env: { ...model.env, ...rest } });
    expect(run.code).not.toBe(0);
    expect(run.stderr).toContain('Secret "KEY" is to come from the variable GIVEN_KEY');
    expect(findings(run.stdout + run.stderr)).toEqual([]);
    expect(model.server.requests).toEqual([]);
  });
});
