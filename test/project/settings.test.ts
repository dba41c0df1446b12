import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Tool } from "../../src/core/tool.ts";
import { checkConfig } from "../../src/project/check-config.ts";
import { modelMissing } from "../../src/project/choose-model.ts";
import { chooseTools } from "../../src/project/choose-tools.ts";
import { defineConfig } from "../../src/project/config.ts";
import { loadConfig } from "../../src/project/load-config.ts";
import { readSettings } from "../../src/project/settings.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function folderWith(name?: string, text = ""): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "haft-settings-"));
  folders.push(folder);
  if (name) await writeFile(join(folder, name), text);
  return folder;
}

const mine = new Tool({ name: "mine", handler: () => 1 });
const names = (tools: readonly unknown[]) => tools.map((entry) => (Array.isArray(entry) ? entry[0] : entry).name);

describe("the settings file", () => {
  test.each([
    ["agent.config.ts", 'const name: string = "a"; export default { name };'],
    ["agent.config.mts", 'export default { name: "a" as const };'],
    ["agent.config.mjs", 'export default { name: "a" };'],
    ["agent.config.js", 'module.exports = { name: "a" };'],
  ])("may be %s", async (name, text) => {
    const cwd = await folderWith(name, text);
    expect(await loadConfig(cwd)).toEqual({ config: { name: "a" }, path: join(cwd, name) });
  });

  test("finds every entry point of the package, also where none is installed", async () => {
    const { exports } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    const entries = Object.keys(exports).filter((entry) => entry !== "./package.json");
    const imports = entries.map((entry, index) => `import * as e${index} from "${entry.replace(".", "haft")}";`);
    const all = entries.map((_, index) => `e${index}`).join(", ");
    const text = `${imports.join("\n")}\nif ([${all}].some((one) => Object.keys(one).length === 0)) throw new Error("empty");
      export default { name: "${entries.length}" };`;
    const { config } = await loadConfig(await folderWith("agent.config.ts", text));
    expect(config.name).toBe(String(entries.length));
    expect(entries.length).toBeGreaterThan(5);
  });

  test("may be absent, unless it was named", async () => {
    const cwd = await folderWith();
    expect(await loadConfig(cwd)).toEqual({ config: {} });
    await expect(loadConfig(cwd, "mine.ts")).rejects.toMatchObject({ code: "CONFIG_MISSING" });
  });

  test("is run by this very copy of Haft: its tools are ours, and defineConfig is there for the types", async () => {
    const text = `import { Tool } from "haft"; import { defineConfig } from "haft/project"; import { Read } from "haft/tools";
      export default defineConfig({ tools: ["grep", Read, [new Tool({ name: "own", handler: () => 1 }), {}]] });`;
    const { config } = await loadConfig(await folderWith("agent.config.ts", text));
    expect(names(await chooseTools(config.tools))).toEqual(["Grep", "Read", "own"]);
    expect((config.tools as unknown[])[1]).toBeInstanceOf(Tool);
    expect(defineConfig(config)).toBe(config);
  });

  test("that cannot be run says why, in one line", async () => {
    const cwd = await folderWith("agent.config.ts", "export default {{{");
    const error: any = await loadConfig(cwd).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "CONFIG_FAILED" });
    expect(error.message).toMatch(/^agent\.config\.ts cannot be loaded: .+$/);
  });

  test("takes every setting that it knows", () => {
    const config = {
      name: "a",
      instructions: () => "text",
      model: ["openai:a", "anthropic:b"],
      defaultModels: { autonomous: "openai:a" },
      tools: ["coding", mine, [mine, {}]],
      exits: [],
      hooks: {},
      sandbox: "local",
      mode: "tools",
      iterations: 3,
      approvals: "ask",
      secrets: { A: { env: "A" } },
      temperature: 0,
      reasoningEffort: "low",
      maxOutputTokens: 100,
      providerOptions: {},
      modelLimits: {},
      assigns: {},
      contextFiles: false,
    };
    expect(checkConfig(config, "file")).toBe(config);
  });

  test.each([
    [undefined, "default export is missing"],
    [[], "default export is an empty list"],
    [{ model: "" }, '"model" must be'],
    [{ model: [] }, "not an empty list"],
    [{ tools: [3] }, '"tools" must be'],
    [{ iterations: 0 }, "whole number from 1, not 0"],
    [{ approvals: "never" }, '"ask", "interrupt", "deny", not "never"'],
    [{ hooks: () => {} }, '"hooks" must be an object of hooks, not a function'],
    [{ defaultModels: { autonomous: 3 } }, '"defaultModels.autonomous" must be'],
    [{ secrets: null }, "not null"],
  ])("%j is refused", (config, words) => {
    expect(() => checkConfig(config, "file")).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
    expect(() => checkConfig(config, "file")).toThrow(words);
  });
});

describe("settings", () => {
  test("of a model: the flag, then the file, then the environment", async () => {
    const env = { HAFT_MODEL: "openai:e" };
    const plain = await folderWith();
    const model = 'export default { model: "openai:c", defaultModels: { autonomous: "openai:d" } }';
    const autonomous = 'export default { defaultModels: { autonomous: ["openai:d"] } }';
    const of = async (cwd: string, flag?: string) => (await readSettings({ cwd, model: flag }, env)).model;
    expect(await of(plain, "openai:f, groq:g")).toEqual(["openai:f", "groq:g"]);
    expect(await of(await folderWith("agent.config.mjs", model))).toBe("openai:c");
    expect(await of(await folderWith("agent.config.mjs", autonomous))).toEqual(["openai:d"]);
    expect(await of(plain)).toEqual(["openai:e"]);
    expect((await readSettings({ cwd: plain }, {})).model).toBeUndefined();
  });

  test("have defaults, and a file's contextFiles: false is kept", async () => {
    expect(await readSettings({ cwd: await folderWith() }, {})).toMatchObject({
      sandbox: "auto",
      sandboxReason: "the default",
      iterations: 50,
      contextFiles: true,
    });
    const cwd = await folderWith("agent.config.mjs", "export default { contextFiles: false, iterations: 7 }");
    expect(await readSettings({ cwd, contextFiles: true }, {})).toMatchObject({ contextFiles: false, iterations: 7 });
    expect(await readSettings({ cwd, config: false }, {})).toMatchObject({ contextFiles: true, iterations: 50 });
  });
});

describe("tools by name", () => {
  test.each([
    [undefined, ["Read", "Bash", "Edit", "Write", "Glob", "Grep"]],
    ["coding", ["Read", "Bash", "Edit", "Write", "Glob", "Grep"]],
    ["READ, grep,read", ["Read", "Grep"]],
    ["read-only", ["Read", "Glob", "Grep"]],
    ["none", []],
    [
      ["read-only", mine, "bash"],
      ["Read", "Glob", "Grep", "mine", "Bash"],
    ],
  ])("%j", async (chosen, expected) => {
    expect(names(await chooseTools(chosen as any))).toEqual(expected);
  });

  test("unknown ones are refused with what there is", async () => {
    await expect(chooseTools("read,wirte")).rejects.toMatchObject({
      code: "TOOLS_UNKNOWN",
      message: expect.stringContaining('"wirte"'),
      hint: expect.stringContaining('Did you mean "write"?'),
    });
  });
});

test("who cannot be asked is told what was found", () => {
  const servers = [{ name: "ollama", baseURL: "", models: ["a", "b", "c", "d"], id: "ollama:a" }];
  const error = modelMissing({ keys: [{ provider: "groq", variable: "GROQ_API_KEY" }], servers });
  expect(error.message).toContain("GROQ_API_KEY is set (groq:<model>)");
  expect(error.message).toContain("Ollama runs here with a, b, c and 1 more (ollama:a)");
  expect(error.hint).toContain("--model ollama:a");
});
