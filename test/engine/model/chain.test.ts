import { describe, expect, test } from "vitest";
import type { LanguageModel } from "../../../src/index.ts";
import { type ProviderName, type Script, startProviderServer } from "../../helpers/provider-server/index.ts";
import {
  addTool,
  environment,
  failures,
  lookTool,
  modelOf,
  nameOf,
  ofType,
  play,
  png,
  providerList,
  shownText,
  ways,
} from "./support.ts";

/** Two models, each at a server of its own. */
async function pair(first: ProviderName, second: ProviderName, scripts: [Script, Script]) {
  const servers = [await startProviderServer(scripts[0]), await startProviderServer(scripts[1])] as const;
  const model = [await modelOf(first, servers[0]), await modelOf(second, servers[1])] as LanguageModel[];
  return {
    servers,
    model,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

const down = { fault: { status: 503 } };
const thinking = {
  reasoning: "a private thought",
  signature: "signed-by-the-first",
  text: "I look.",
  toolCalls: [{ name: "look", input: {} }],
};

describe("the next model", () => {
  test.each(ways)("is asked when the first one is down, %s; its answer is the run's", async (way) => {
    await using both = await pair("openai", "anthropic", [() => down, [{ text: "Here." }]]);
    const { result, entries, events } = await play({ model: both.model, prompt: "go" }, way);
    expect(result).toMatchObject({ status: "success", output: "Here." });
    expect(failures(entries)).toEqual(["MODEL_UNAVAILABLE → retry", "MODEL_UNAVAILABLE → next-model"]);
    expect(ofType(entries, "model-start").map(({ model, attempt }) => [model.split(".")[0], attempt])).toEqual([
      ["openai", 1],
      ["openai", 2],
      ["anthropic", 1],
    ]);
    if (way === "watched") expect(ofType(events, "retry")).toHaveLength(1);
  });

  const pairs = providerList.map((first, index): [ProviderName, ProviderName] => [
    first,
    providerList[(index + 1) % providerList.length]!,
  ]);
  test.each(pairs)("%s → %s: calls and images go over, what was thought does not", async (first, second) => {
    await using both = await pair(first, second, [
      (_, index) => (index === 0 ? thinking : down),
      [{ toolCalls: [{ name: "look", input: {} }] }, { text: "A cat." }],
    ]);
    const { result } = await play({ model: both.model, prompt: "go", tools: [lookTool("a picture")] });
    expect(result.output).toBe("A cat.");
    const [asked, answered] = both.servers[1].requests;
    for (const [request, count] of [
      [asked!, 1],
      [answered!, 2],
    ] as const) {
      const images = request.messages.flatMap((one) => [...one.images, ...one.toolResults.flatMap((r) => r.images)]);
      expect(images).toEqual(Array.from({ length: count }, () => ({ mediaType: "image/png", data: png })));
      expect(JSON.stringify(request.body)).not.toMatch(/a private thought|signed-by-the-first/);
      expect(request.toolResults).toHaveLength(count);
      expect(request.messages[1]).toMatchObject({ role: "assistant", text: "I look." });
      expect(request.messages[1]!.toolCalls).toMatchObject([{ name: "look" }]);
    }
  });

  test("goes on with the run: one that was given up is left alone for a while", async () => {
    const call = { toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] };
    await using both = await pair("openai", "google", [() => down, [call, call, { text: "3" }]]);
    const { result } = await play({ model: both.model, prompt: "go", tools: [addTool()] });
    expect(result.output).toBe("3");
    expect(both.servers[0].requests).toHaveLength(2);
    expect(both.servers[1].requests).toHaveLength(3);
  });

  test("one that rests is still better than none", async () => {
    const call = { toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] };
    await using both = await pair("openai", "google", [
      (_, index) => (index < 2 ? down : { text: "I am back." }),
      (_, index) => (index === 0 ? call : down),
    ]);
    const { result } = await play({ model: both.model, prompt: "go", tools: [addTool()] });
    expect(result.output).toBe("I am back.");
  });

  test("is asked again when the rest that the first one asked for is over", async () => {
    const call = { toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] };
    const slow = { ...call, delayMs: 120 };
    await using both = await pair("openai", "google", [
      (_, index) => (index === 0 ? { fault: { status: 429, retryAfter: 0.1 } } : { text: "Back." }),
      [slow],
    ]);
    const modelLimits = { attempts: 1 };
    const { result } = await play({ model: both.model, prompt: "go", tools: [addTool()], modelLimits });
    expect(result.output).toBe("Back.");
  });

  test.each([
    ["This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."],
    ["prompt is too long: 210000 tokens > 200000 maximum"],
    ["input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
    ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."],
    ["Please reduce the length of the messages or completion."],
    ["the request exceeds the available context size. try increasing the context size"],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    ["Your input exceeds the context window of this model. Please adjust your input and try again."],
    ["Input is too long for requested model."],
    ["Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
  ])("is asked when the conversation is too long for the first: %s", async (message) => {
    await using both = await pair("openai-compatible", "google", [
      () => ({ fault: { status: 400, message } }),
      [{ toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] }, { text: "3" }],
    ]);
    const { result, entries } = await play({ model: both.model, prompt: "go", tools: [addTool()] });
    expect(result.output).toBe("3");
    expect(failures(entries)).toEqual(["MODEL_CONTEXT_OVERFLOW → next-model"]); // once: it only gets longer
  });

  test.each([
    ["401", { status: 401 }, "MODEL_AUTH"],
    ["400", { status: 400, message: "tools.0.name: too long" }, "MODEL_REQUEST_INVALID"],
  ])("is not asked for a failure that is ours: %s", async (_, fault, code) => {
    await using both = await pair("openai", "google", [[{ fault }], [{ text: "Here." }]]);
    const { result } = await play({ model: both.model, prompt: "go" });
    expect(result.isError() && result.error.code).toBe(code);
    expect(both.servers[1].requests).toHaveLength(0);
  });

  test.each(["cut", "truncated", "overloaded"] as const)("is not asked after text was shown (%s)", async (fault) => {
    const half = { text: "Half of ", toolCalls: [{ name: "add", input: {} }], fault };
    await using both = await pair("anthropic", "openai", [() => half, [{ text: "Here." }]]);
    const { result, events, entries } = await play({ model: both.model, prompt: "go" });
    expect(result).toMatchObject({ status: "error", stopReason: "model" });
    expect(failures(entries).map((one) => one.split(" ").at(-1))).toEqual(["retry", "fail"]);
    expect(ofType(events, "text-reset")).toHaveLength(2);
    expect(shownText(events)).toBe("");
    expect(both.servers[1].requests).toHaveLength(0);
  });

  test("is asked when only thoughts were shown, and they are taken back", async () => {
    const thought = { reasoning: "hm", toolCalls: [{ name: "add", input: { a: 1, b: 1 } }], fault: "cut" as const };
    await using both = await pair("anthropic", "openai", [() => thought, [{ text: "Here." }]]);
    const { result, events } = await play({ model: both.model, prompt: "go", tools: [addTool()] });
    expect(result.output).toBe("Here.");
    expect(ofType(events, "text-reset")).toHaveLength(2);
  });

  test("is asked after half an answer that nobody saw", async () => {
    await using both = await pair("anthropic", "openai", [() => ({ text: "Half", fault: "cut" }), [{ text: "Here." }]]);
    expect((await play({ model: both.model, prompt: "go" }, "awaited")).result.output).toBe("Here.");
  });
});

describe("Retry-After", () => {
  test.each<[string, string | number, number, number]>([
    ["seconds", 0.2, 200, 200],
    ["a date", new Date(Date.now() + 3_000).toUTCString(), 1, 3_000],
    ["nothing that can be read", "soon", 1, 3],
  ])("is waited for: %s", async (_, retryAfter, least, most) => {
    await using server = await startProviderServer([{ fault: { status: 429, retryAfter } }, { text: "Hello." }]);
    const modelLimits = { backoffMs: 2, maxWaitMs: 5_000 };
    const run = play({ model: await modelOf("groq", server), prompt: "go", modelLimits });
    const { events, result } = await run;
    expect(result.output).toBe("Hello.");
    const { waitMs } = ofType(events, "retry")[0]!;
    expect(waitMs).toBeGreaterThanOrEqual(least);
    expect(waitMs).toBeLessThanOrEqual(most);
    const [, again] = ofType(events, "model-start");
    expect(again!.at - ofType(events, "model-error")[0]!.at).toBeGreaterThanOrEqual(waitMs - 5);
  });

  const later = { fault: { status: 429, retryAfter: 100 } };

  test("that is too long: the next model, at once", async () => {
    await using both = await pair("openai", "anthropic", [() => later, [{ text: "Here." }]]);
    const { result, entries } = await play({ model: both.model, prompt: "go" });
    expect(result.output).toBe("Here.");
    expect(failures(entries)).toEqual(["MODEL_RATE_LIMITED → next-model"]);
  });

  test("that is too long, without another model: a failure that says so", async () => {
    await using server = await startProviderServer(() => later);
    const { result } = await play({ model: await modelOf("openai", server), prompt: "go" });
    expect(server.requests).toHaveLength(1);
    expect(result.isError() && result.error.toJSON()).toEqual({
      code: "MODEL_RATE_LIMITED",
      message: "openai.responses:gpt-5.1 answered 429: scripted 429 (it asks to wait for 100 s)",
      hint: "modelLimits.maxWaitMs allows 1000 ms: raise it, wait, or name a second model as a fallback.",
      data: { model: "openai.responses:gpt-5.1", status: 429, retryAfterMs: 100_000 },
    });
  });

  test("a backoff is never longer than maxWaitMs, and no reason to give up", async () => {
    await using server = await startProviderServer((_, index) => (index < 4 ? down : { text: "At last." }));
    const modelLimits = { attempts: 5, backoffMs: 20, maxWaitMs: 40 };
    const { result, events } = await play({ model: await modelOf("openai", server), prompt: "go", modelLimits });
    expect(result.output).toBe("At last.");
    const waits = ofType(events, "retry").map(({ waitMs }) => waitMs);
    expect(waits).toHaveLength(4);
    expect(Math.max(...waits)).toBeLessThanOrEqual(50);
    expect(waits[1]!).toBeGreaterThanOrEqual(30);
  });
});

describe("models by name", () => {
  test("a key that is missing is a result, and says what to set", async () => {
    const before = process.env.OPENAI_API_KEY;
    delete process.env.OPENAI_API_KEY;
    const { result } = await play({ model: "openai:gpt-5", prompt: "go" });
    if (before !== undefined) process.env.OPENAI_API_KEY = before;
    expect(result).toMatchObject({ status: "error", stopReason: "model" });
    expect(result.isError() && result.error.toJSON()).toMatchObject({
      code: "MODEL_KEY_MISSING",
      message: "There is no API key for openai: OPENAI_API_KEY not set.",
      hint: "Set OPENAI_API_KEY in the environment, or give `apiKey`.",
    });
  });

  test.each(["gpt-5", "nobody:gpt-5", "openai:", ""])("a name that is none is a result: %j", async (model) => {
    const { result } = await play({ model, prompt: "go" });
    expect(result).toMatchObject({ status: "error", stopReason: "model" });
    expect(result.isError() && result.error.code).toBe("MODEL_ID_INVALID");
  });

  test("no model at all is a result", async () => {
    const before = process.env.HAFT_MODEL;
    delete process.env.HAFT_MODEL;
    const { result } = await play({ prompt: "go" });
    if (before !== undefined) process.env.HAFT_MODEL = before;
    expect(result).toMatchObject({ status: "error", stopReason: "model" });
    expect(result.isError() && result.error.code).toBe("MODEL_MISSING");
  });

  test("a chain of names, opened when they are needed", async () => {
    await using server = await startProviderServer([down, down, { text: "Here." }]);
    using _env = environment(server);
    const { result } = await play({ model: [nameOf("groq"), nameOf("ollama"), "nobody:never"], prompt: "go" });
    expect(result.output).toBe("Here.");
    expect(server.requests.map(({ path }) => path.split("/")[1])).toEqual(["groq", "groq", "v1"]);
  });
});
