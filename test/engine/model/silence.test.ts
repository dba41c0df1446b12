import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { execute } from "../../../src/index.ts";
import { type ProviderName, type ProviderServer, startProviderServer } from "../../helpers/provider-server/index.ts";
import {
  addTool,
  expectNoUnhandledRejections,
  failures,
  modelOf,
  playAt,
  providerList,
  type Way,
  ways,
} from "./support.ts";

expectNoUnhandledRejections();

const all = providerList.flatMap((provider) => ways.map((way): [ProviderName, Way] => [provider, way]));

/** The limit is ten times this before the first word. */
const modelLimits = { attempts: 2, backoffMs: 2, idleMs: 120 };

/** Loading a provider's package takes longer than a model may be silent here. */
beforeAll(async () => {
  await using server = await startProviderServer(() => ({ text: "Hello." }));
  for (const provider of providerList) for (const way of ways) await playAt(provider, server, {}, way);
});

async function hungUp(server: ProviderServer): Promise<void> {
  while (!server.requests[0]?.abandoned) await wait(5);
}

describe.concurrent("a model that says nothing", () => {
  test.each(all)("%s, %s: is asked again, and its connection is closed", async (provider, way) => {
    await using server = await startProviderServer([{ text: "Hel", fault: "silence" }, { text: "Hello." }]);
    const { result, entries } = await playAt(provider, server, { modelLimits }, way);
    expect(result).toMatchObject({ status: "success", output: "Hello." });
    expect(failures(entries)).toEqual(["MODEL_SILENT → retry"]);
    await hungUp(server);
  });

  test("always: a failure that says what can be done", async () => {
    await using server = await startProviderServer(() => ({ text: "Hel", fault: "silence" }));
    const { result } = await playAt("anthropic", server, { modelLimits });
    expect(result).toMatchObject({ status: "error", stopReason: "model" });
    const message = "anthropic.messages:claude-sonnet-4-6: nothing came for 1200 ms";
    expect(result.isError() && result.error).toMatchObject({ code: "MODEL_SILENT", message });
    expect(result.isError() && result.error.hint).toContain("idleMs");
  });

  test("may think ten times as long before its first word as between two", async () => {
    const delayMs = 400; // more than idleMs, less than ten times as much
    await using server = await startProviderServer([{ text: "Hello.", delayMs }]);
    const { result, entries } = await playAt("openai", server, { modelLimits });
    expect(result.output).toBe("Hello.");
    expect(failures(entries)).toEqual([]);
  });

  test("in the middle of its words: no more than idleMs", async () => {
    const long = 60_000;
    await using server = await startProviderServer(
      (_, index) => (index === 0 ? { pieces: ["Hel", "lo", "?"], eventDelayMs: long } : { text: "Hello." }),
      { pieceBytes: 0 },
    );
    const model = await modelOf("google", server); // its first event has a word already
    const run = execute({ model, prompt: "go", modelLimits: { ...modelLimits, idleMs: 200 } });
    const seen: string[] = [];
    for await (const event of run) {
      if (event.type === "model-error") expect(event.error.message).toContain("nothing came for 200 ms");
      if (event.type === "text-delta" || event.type === "text-reset" || event.type === "retry") seen.push(event.type);
    }
    expect(seen).toEqual(["text-delta", "text-reset", "retry", "text-delta"]);
    expect((await run).output).toBe("Hello.");
  });
});

describe("an abort while a model is silent", () => {
  test.each(all)("%s, %s: ends the run at once, and closes the connection", async (provider, way) => {
    await using server = await startProviderServer([{ text: "Hel", fault: "silence" }]);
    const run = execute({ model: await modelOf(provider, server), prompt: "go", tools: [addTool()] });
    const watching = (async () => {
      if (way === "watched") for await (const _ of run);
    })();
    while (server.requests.length === 0) await wait(5);
    await wait(10);
    const began = performance.now();
    run.abort(new Error("enough"));
    const result = await run;
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(result.isError() && result.error.code).toBe("ABORTED");
    expect(result.isError() && result.error.message).toContain("enough");
    await watching;
    await hungUp(server);
  });
});

describe("an abort while a model speaks", () => {
  test.each(providerList)("%s", async (provider) => {
    await using server = await startProviderServer([{ pieces: Array(200).fill("word "), eventDelayMs: 5 }]);
    const run = execute({ model: await modelOf(provider, server), prompt: "go" });
    let after = 0;
    let isAborted = false;
    for await (const event of run) {
      if (event.type !== "text-delta") continue;
      if (isAborted) after++;
      isAborted = true;
      run.abort();
    }
    expect((await run).stopReason).toBe("aborted");
    expect(after).toBeLessThan(2);
    await hungUp(server);
  });
});

test("an abort while the next attempt is waited for", async () => {
  await using server = await startProviderServer(() => ({ fault: { status: 429, retryAfter: 30 } }));
  const run = execute({ model: await modelOf("openai", server), prompt: "go" });
  for await (const event of run) if (event.type === "retry") run.abort();
  expect((await run).stopReason).toBe("aborted");
  expect(server.requests).toHaveLength(1);
});

test("a model that ignores its signal does not hold the run", async () => {
  const never = () => new Promise((_, reject) => setTimeout(() => reject(new Error("much later")), 60));
  const model = { specificationVersion: "v3", provider: "deaf", modelId: "m", doGenerate: never, doStream: never };
  const run = execute({ model, prompt: "go" });
  setTimeout(() => run.abort(), 20);
  expect((await run).stopReason).toBe("aborted");
});
