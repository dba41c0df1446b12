import { describe, expect, test } from "vitest";
import { HaftError } from "../../src/base/errors.ts";
import { providerNames, resolveModel } from "../../src/models/index.ts";
import { startProviderServer } from "../helpers/provider-server/index.ts";
import { call, hello, modelNames, providerList } from "./call.ts";

async function errorOf(id: any, options = {}): Promise<HaftError> {
  try {
    await resolveModel(id, { env: {}, ...options });
  } catch (error) {
    if (HaftError.is(error)) return error;
    throw error;
  }
  throw new Error(`${id} was resolved`);
}

describe("an id that names nothing", () => {
  test.each([
    ["gpt-5", "openai:gpt-5"],
    ["o4-mini", "openai:o4-mini"],
    ["claude-sonnet-4-6", "anthropic:claude-sonnet-4-6"],
    ["gemini-3-pro-preview", "google:gemini-3-pro-preview"],
    ["qwen3:4b", "ollama:qwen3:4b"],
    ["openai/gpt-5", "openai:gpt-5"],
    ["meta-llama/llama-4-scout", "openrouter:meta-llama/llama-4-scout"],
    ["OpenAI:gpt-5", "openai:gpt-5"],
  ])("%s: did you mean %s?", async (id, suggestion) => {
    const error = await errorOf(id);
    expect(error.code).toBe("MODEL_ID_INVALID");
    expect(error.hint).toBe(`Did you mean "${suggestion}"?`);
    expect(error.message).toContain("known are openai, anthropic, google, ");
  });

  test.each([["nobody:knows-it"], ["zzz"], [":gpt-5"]])("%s: no guess", async (id) => {
    const error = await errorOf(id);
    expect(error.code).toBe("MODEL_ID_INVALID");
    for (const name of providerNames()) expect(error.message).toContain(name);
    expect(error.hint).toContain("provider:model-name");
  });

  test.each([[""], [undefined], [7], [{}], ["openai:"]])("%s", async (id) => {
    expect((await errorOf(id)).code).toBe("MODEL_ID_INVALID");
  });
});

describe("keys", () => {
  test.each(["openai", "anthropic", "google", "cerebras", "groq", "openrouter"])("%s wants one", async (provider) => {
    const error = await errorOf(`${provider}:some-model`);
    expect(error.code).toBe("MODEL_KEY_MISSING");
    const variable = `${provider.toUpperCase()}_API_KEY`;
    expect(error.message).toContain(variable);
    expect(error.hint).toContain(variable);
    expect(error.data?.variables).toContain(variable);
  });

  test("an empty variable is no key", async () => {
    expect((await errorOf("openai:gpt-5", { env: { OPENAI_API_KEY: " " } })).code).toBe("MODEL_KEY_MISSING");
  });

  test.each(["GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"])(
    "Google's may be in %s",
    async (name) => {
      await using server = await startProviderServer();
      const model = await resolveModel("google:gemini-3-pro-preview", {
        env: { [name]: "the-key", GOOGLE_BASE_URL: server.urls.google },
      });
      await call(model, { prompt: hello }, "generate");
      expect(server.requests[0]!.headers["x-goog-api-key"]).toBe("the-key");
    },
  );

  test("none is in an error", async () => {
    const secret = "sk-very-secret";
    const errors = [
      await errorOf("openai:", { apiKey: secret }),
      await errorOf("openai:gpt-5", { apiKey: secret, baseURL: `ftp://user:${secret}@host/` }),
      await errorOf("openai-compatible:x", { env: { OPENAI_COMPATIBLE_API_KEY: secret } }),
    ];
    expect(errors.map((error) => error.code)).toEqual([
      "MODEL_ID_INVALID",
      "MODEL_BASE_URL_INVALID",
      "MODEL_BASE_URL_INVALID",
    ]);
    for (const error of errors) expect(`${error.message}${JSON.stringify(error)}`).not.toContain(secret);
  });
});

describe("addresses", () => {
  test("options win over the environment", async () => {
    await using server = await startProviderServer();
    const model = await resolveModel("openai:gpt-5", {
      apiKey: "from-options",
      baseURL: `${server.urls.openai}/`,
      headers: { "x-team": "blue" },
      env: { OPENAI_API_KEY: "from-env", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" },
    });
    await call(model, { prompt: hello }, "stream");
    const { headers, path } = server.requests[0]!;
    expect(headers).toMatchObject({ authorization: "Bearer from-options", "x-team": "blue" });
    expect(path).toBe("/openai/v1/responses");
  });

  test("an environment that is given is all the environment there is", async () => {
    await using server = await startProviderServer();
    process.env.OPENAI_BASE_URL = server.urls.openai;
    try {
      const model = await resolveModel("openai:gpt-5", { env: { OPENAI_API_KEY: "k" } });
      // Aborted before it can leave: only the address that was meant counts.
      const abortSignal = AbortSignal.abort();
      await expect(call(model, { prompt: hello, abortSignal }, "generate")).rejects.toThrow();
      expect((model as any).config.url({ path: "/responses" })).toBe("https://api.openai.com/v1/responses");
    } finally {
      delete process.env.OPENAI_BASE_URL;
    }
    expect(server.requests).toHaveLength(0);
  });

  test("Anthropic's may lack a version, as its own clients want it", async () => {
    await using server = await startProviderServer();
    const model = await resolveModel("anthropic:claude-sonnet-4-6", { apiKey: "k", baseURL: server.url, env: {} });
    await call(model, { prompt: hello }, "generate");
    expect(server.requests[0]!.path).toBe("/v1/messages");
  });

  test.each([["/"], [""], ["/v1"]])("Ollama's may end with %s", async (end) => {
    await using server = await startProviderServer();
    const model = await resolveModel("ollama:qwen3:4b", { env: { OLLAMA_BASE_URL: server.url + end } });
    await call(model, { prompt: hello }, "generate");
    expect(server.requests[0]).toMatchObject({ path: "/v1/chat/completions", model: "qwen3:4b" });
  });

  test.each([["not a url"], ["ftp://127.0.0.1/"]])("%s is refused", async (baseURL) => {
    for (const provider of ["openai-compatible", "ollama", "anthropic"]) {
      const error = await errorOf(`${provider}:m`, { baseURL, apiKey: "k" });
      expect(error.code).toBe("MODEL_BASE_URL_INVALID");
    }
  });

  test("an OpenAI-compatible server has no address of its own", async () => {
    const error = await errorOf("openai-compatible:m");
    expect(error.code).toBe("MODEL_BASE_URL_INVALID");
    expect(error.hint).toContain("OPENAI_COMPATIBLE_BASE_URL");
  });
});

test("every provider resolves from the environment alone", async () => {
  await using server = await startProviderServer();
  for (const provider of providerList) {
    const model = await resolveModel(`${provider}:${modelNames[provider]}`, { env: server.env });
    expect(model.modelId).toBe(modelNames[provider]);
    expect(["v2", "v3", "v4"]).toContain(model.specificationVersion);
  }
  expect([...providerList].sort()).toEqual(providerNames().sort());
});

test("own providers come first, and are known in errors", async () => {
  const mine = { specificationVersion: "v3", provider: "mine", modelId: "m" } as any;
  const providers = { mine: () => mine, openai: async (name: string) => ({ ...mine, modelId: name }) };
  expect(await resolveModel("mine:anything", { providers })).toBe(mine);
  expect(await resolveModel("openai:gpt-5", { providers })).toMatchObject({ provider: "mine", modelId: "gpt-5" });
  expect((await errorOf("toString:x", { providers })).message).toContain("mine");
});
