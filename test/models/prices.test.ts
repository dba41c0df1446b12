import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { expect, test } from "vitest";
import { modelName } from "../../src/core/model.ts";
import { resolveModel } from "../../src/models/index.ts";
import { genaiPrices } from "../../src/models/prices.ts";

const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** As the log names a model of this id. */
async function logged(id: string): Promise<string> {
  return modelName(await resolveModel(id, { apiKey: "key", baseURL: "http://127.0.0.1:1/v1", env: {} }));
}

test.each([
  ["openai:gpt-5"],
  ["anthropic:claude-sonnet-4-5"],
  ["google:gemini-2.5-pro"],
  ["cerebras:gpt-oss-120b"],
  ["groq:llama-3.3-70b-versatile"],
  ["openrouter:anthropic/claude-sonnet-4.5"],
])("%s has a price, as the log names it", async (id) => {
  const price = (await genaiPrices())(await logged(id), usage);
  expect(price).toBeGreaterThan(0);
  expect(price).toBeLessThan(0.1);
});

test.each([["ollama:qwen3:4b"], ["ollama:gpt-oss"], ["openai-compatible:gpt-5"]])(
  "%s has none: it is somebody's own server",
  async (id) => {
    expect((await genaiPrices())(await logged(id), usage)).toBeUndefined();
  },
);

test.each([["scripted:script"], ["gpt-5"], [""]])("%j has none: nobody knows it", async (model) => {
  expect((await genaiPrices())(model, usage)).toBeUndefined();
});

test("what was read from a cache costs less", async () => {
  const prices = await genaiPrices();
  const model = "anthropic.messages:claude-sonnet-4-5";
  expect(prices(model, { ...usage, cacheReadTokens: 900 })).toBeLessThan(prices(model, usage)!);
});

test("a usage that cannot be has no price", async () => {
  const prices = await genaiPrices();
  expect(prices("openai.chat:gpt-5", { ...usage, cacheReadTokens: 2000 })).toBeUndefined();
});

test("without the package: PRICES_MISSING, which says how to install it", async () => {
  const bare = await mkdtemp(join(tmpdir(), "haft-prices-"));
  try {
    await writeFile(join(bare, "package.json"), JSON.stringify({ type: "module" }));
    for (const source of ["base/errors.ts", "models/prices.ts"]) {
      const text = await readFile(new URL(`../../src/${source}`, import.meta.url), "utf8");
      const { outputText } = ts.transpileModule(text, {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2022,
          rewriteRelativeImportExtensions: true,
          verbatimModuleSyntax: true,
        },
      });
      const target = join(bare, source.replace(/\.ts$/, ".js"));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, outputText);
    }
    const script = `import { genaiPrices } from "./models/prices.js";
      await genaiPrices().catch((error) => console.log(JSON.stringify(error)));`;
    await writeFile(join(bare, "try.js"), script);
    const { stdout } = await promisify(execFile)(process.execPath, [join(bare, "try.js")], { cwd: bare });
    expect(JSON.parse(stdout)).toMatchObject({
      code: "PRICES_MISSING",
      hint: expect.stringContaining("npm install @pydantic/genai-prices"),
    });
  } finally {
    await rm(bare, { recursive: true, force: true });
  }
});
