import { describe, expect, test } from "vitest";
import { haft, project } from "./helpers/haft.ts";
import { modelServer } from "./helpers/model-server.ts";

describe.concurrent("agent.config.ts", () => {
  test("gives instructions, own tools and limits; flags win over it, and it wins over the environment", async () => {
    const cwd = await project({
      "agent.config.ts": `
        import { Tool } from "haft";
        import { Read } from "haft/tools";
        const name: string = "weather";
        export default {
          instructions: "You are the config's agent.",
          model: "openai-compatible:of-the-config",
          sandbox: "local",
          tools: [Read, new Tool({ name, description: "Tells the weather.", handler: () => "sunny" })],
        };`,
    });
    await using model = await modelServer((_request, index) =>
      index === 0 ? { toolCalls: [{ name: "weather", input: {} }] } : { text: "Sunny." },
    );
    const run = await haft(["run", "weather?"], { cwd, env: model.env });
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toContain("local (as agent.config.ts says)");
    const [first, second] = model.server.requests;
    expect(first!.model).toBe("of-the-config");
    expect(first!.system).toContain("You are the config's agent.");
    expect(first!.tools.map(({ name }) => name)).toEqual(["Read", "weather"]);
    expect(second!.toolResults[0]!.text).toBe("sunny");

    const flags = ["--model", "openai-compatible:of-the-flag", "--tools", "none", "--sandbox", "virtual"];
    const other = await haft(["run", "weather?", ...flags], { cwd, env: model.env });
    expect(other.stdout).toContain("virtual (as --sandbox says)");
    expect(model.server.requests[2]).toMatchObject({ model: "of-the-flag", tools: [] });

    await haft(["run", "weather?", "--no-config"], { cwd, env: model.env });
    expect(model.server.requests[3]!.model).toBe("test-model");
    expect(model.server.requests[3]!.system).not.toContain("config's agent");
  });

  test("with a mistake: says which setting, and what is allowed", async () => {
    const cwd = await project({ "agent.config.mjs": "export default { sandbux: 'local' }" });
    const run = await haft(["run", "hi"], { cwd });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    for (const word of ["agent.config.mjs", '"sandbux"', '"sandbox"']) expect(run.stderr).toContain(word);
  });

  test("a mistake in its code is a sentence that names the file", async () => {
    const run = await haft(["run", "hi"], { cwd: await project({ "agent.config.ts": "throw new Error('no luck');" }) });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("agent.config.ts cannot be loaded: no luck");
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });
});

describe.concurrent("context files", () => {
  const files = {
    "AGENTS.md": "Use tabs.\r\n",
    "CLAUDE.md": "Use tabs.\n",
    ".agents/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: >\n  Ships it\n  to production.\n---\nBody.\n",
  };

  test("are in the system text, once each", async () => {
    const cwd = await project(files);
    await using model = await modelServer(() => ({ text: "Hello" }));
    const run = await haft(["run", "hi"], { cwd, env: model.env });
    const { system } = model.server.requests[0]!;
    expect(system.match(/Use tabs\./g)).toHaveLength(1);
    expect(system).toContain(
      "- `deploy` (read `.agents/skills/deploy/SKILL.md` before using it) - Ships it to production.",
    );
    expect(system).not.toContain("Body.");
    expect(run.stdout).toContain("AGENTS.md · 1 skill");
  });

  test("are left out with --no-context-files, and with contextFiles: false", async () => {
    await using model = await modelServer(() => ({ text: "Hello" }));
    await haft(["run", "hi", "--no-context-files"], { cwd: await project(files), env: model.env });
    const cwd = await project({ ...files, "agent.config.mjs": "export default { contextFiles: false }" });
    await haft(["run", "hi"], { cwd, env: model.env });
    expect(model.server.requests).toHaveLength(2);
    for (const { system } of model.server.requests) expect(system).not.toMatch(/Use tabs|deploy/);
  });
});
