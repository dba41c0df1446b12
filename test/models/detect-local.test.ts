import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { detectLocal, resolveModel } from "../../src/models/index.ts";
import { startProviderServer } from "../helpers/provider-server/index.ts";
import { call, hello } from "./call.ts";

/** Nothing listens there: a port that was free a moment ago. */
async function closedURL(): Promise<string> {
  const server = await startProviderServer();
  await server.close();
  return server.url;
}

test("finds an Ollama through OLLAMA_HOST, and the id it gives works", async () => {
  await using server = await startProviderServer(undefined, { models: ["qwen3:4b", "gpt-oss:20b"] });
  const found = await detectLocal({ env: { OLLAMA_HOST: server.url }, timeoutMs: 3000 });
  const ollama = found.find((one) => one.name === "ollama")!;
  expect(ollama).toEqual({
    name: "ollama",
    baseURL: server.url,
    models: ["qwen3:4b", "gpt-oss:20b"],
    id: "ollama:qwen3:4b",
  });

  const model = await resolveModel(ollama.id!, { baseURL: ollama.baseURL, env: {} });
  expect((await call(model, { prompt: hello }, "stream")).content).toMatchObject([{ text: "Hello" }]);
  expect(server.requests[0]!.headers.authorization).toBeUndefined();
});

test("a host without scheme, as Ollama itself takes it", async () => {
  await using server = await startProviderServer();
  const found = await detectLocal({ env: { OLLAMA_HOST: server.url.replace("http://", "") }, timeoutMs: 3000 });
  expect(found[0]).toMatchObject({ name: "ollama", baseURL: server.url });
});

test("finds an OpenAI-compatible server, and the id it gives works", async () => {
  await using server = await startProviderServer(undefined, { models: ["local/model"] });
  const baseURL = server.urls["openai-compatible"];
  const [found] = await detectLocal({
    probes: [{ name: "vllm", provider: "openai-compatible", baseURL }],
    timeoutMs: 3000,
  });
  expect(found).toEqual({ name: "vllm", baseURL, models: ["local/model"], id: "openai-compatible:local/model" });
  const model = await resolveModel(found!.id!, { baseURL, env: {} });
  expect((await call(model, { prompt: hello }, "generate")).content).toMatchObject([{ text: "Hello" }]);
});

test("a server that is silent, one that is gone and one that is something else are not found, in bounded time", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  const other = createServer((_, response) => response.end("<html>hi</html>")).listen(0, "127.0.0.1");
  const urlOf = (server: typeof silent) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await Promise.all(
    [silent, other].map((server) => server.listening || new Promise((go) => server.once("listening", go))),
  );
  await using good = await startProviderServer();

  const probe = (name: string, baseURL: string) => ({ name, provider: "ollama" as const, baseURL });
  const began = performance.now();
  const found = await detectLocal({
    timeoutMs: 1000,
    probes: [
      probe("silent", urlOf(silent)),
      probe("gone", await closedURL()),
      probe("other", urlOf(other)),
      probe("good", good.url),
    ],
  });
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(found.map((one) => one.name)).toEqual(["good"]);
  for (const server of [silent, other]) {
    server.closeAllConnections();
    server.close();
  }
});

test("only loopback is asked", async () => {
  const probes = [{ name: "far", provider: "ollama" as const, baseURL: "http://192.0.2.1:11434" }];
  const began = performance.now();
  expect(await detectLocal({ probes, timeoutMs: 20_000 })).toEqual([]);
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("a server without models has no id", async () => {
  await using server = await startProviderServer(undefined, { models: [] });
  const [found] = await detectLocal({
    probes: [{ name: "ollama", provider: "ollama", baseURL: server.url }],
    timeoutMs: 3000,
  });
  expect(found).toMatchObject({ models: [], id: undefined });
});

test("an abort ends it", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((go) => silent.once("listening", go));
  const baseURL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const found = await detectLocal({
    probes: [{ name: "silent", provider: "ollama", baseURL }],
    timeoutMs: 20_000,
    abortSignal: AbortSignal.timeout(50),
  });
  expect(found).toEqual([]);
  silent.closeAllConnections();
  silent.close();
});
