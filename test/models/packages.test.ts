import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The room alone, as JavaScript, in a folder without any package: what a user has who installed no provider. */
let bare: string;

const sources = ["base/errors.ts", "models/resolve.ts", "models/model-id.ts", "models/providers.ts"];

beforeAll(async () => {
  bare = await mkdtemp(join(tmpdir(), "haft-models-"));
  await writeFile(join(bare, "package.json"), JSON.stringify({ type: "module" }));
  for (const source of sources) {
    const text = await readFile(new URL(`../../src/${source}`, import.meta.url), "utf8");
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        rewriteRelativeImportExtensions: true,
        verbatimModuleSyntax: true,
      },
    });
    const target = join(bare, "haft", source.replace(/\.ts$/, ".js"));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, outputText);
  }
});

afterAll(() => rm(bare, { recursive: true, force: true }));

const script = `
  import { resolveModel } from ${"$"}MODULE;
  try {
    const model = await resolveModel(process.argv[2], { apiKey: "sk-very-secret", env: {} });
    console.log(JSON.stringify({ provider: model.provider, modelId: model.modelId }));
  } catch (error) {
    console.log(JSON.stringify({ ...error.toJSON(), cause: String(error.cause) }));
  }`;

async function resolveIn(folder: string, id: string): Promise<any> {
  const file = join(bare, "try.js");
  await writeFile(file, script.replace("$MODULE", JSON.stringify("./haft/models/resolve.js")));
  const { stdout } = await promisify(execFile)(process.execPath, [file, id], { cwd: folder });
  expect(stdout).not.toContain("sk-very-secret");
  return JSON.parse(stdout);
}

test.each([
  ["openai", "@ai-sdk/openai"],
  ["openrouter", "@openrouter/ai-sdk-provider"],
  ["ollama", "@ai-sdk/openai-compatible"],
])("%s without %s says what to install", async (provider, packageName) => {
  const error = await resolveIn(bare, `${provider}:some-model`);
  expect(error).toMatchObject({
    code: "MODEL_PACKAGE_MISSING",
    hint: `npm install ${packageName}`,
    data: { provider, package: packageName },
  });
  expect(error.message).toContain(`${packageName}, which is not installed`);
});

test("a package of the project that it runs in is found", async () => {
  const project = join(bare, "project");
  await mkdir(join(project, "node_modules"), { recursive: true });
  const installed = new URL("../../node_modules/@ai-sdk", import.meta.url).pathname;
  await symlink(installed, join(project, "node_modules/@ai-sdk"));
  expect(await resolveIn(project, "openai:gpt-5")).toEqual({ provider: "openai.responses", modelId: "gpt-5" });
});

test("a package that is there and broken is not called missing", async () => {
  const folder = join(bare, "node_modules/@ai-sdk/groq");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  await writeFile(join(folder, "index.js"), `import "something-that-it-needs";`);
  const error = await resolveIn(bare, "groq:some-model");
  expect(error.code).toBe("MODEL_PACKAGE_MISSING");
  expect(error.message).toContain("cannot be loaded");
  expect(error.cause).toContain("something-that-it-needs");
});
