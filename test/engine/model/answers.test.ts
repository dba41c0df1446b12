import { describe, expect, test } from "vitest";
import { call, type SpecStep, specModel, text } from "./spec-model.ts";
import { addTool, failures, ofType, play, ways } from "./support.ts";

/** What the log keeps of an answer that came in these stream parts. */
async function keptOf(parts: any[], provider?: string): Promise<any> {
  const model = specModel("v3", [{ parts }], provider);
  const { entries } = await play({ model, prompt: "go" });
  return ofType(entries, "model-response")[0]?.content;
}

const start = (type: string, id: string, more: object = {}) => ({ type: `${type}-start`, id, ...more });
const delta = (type: string, id: string, text: string, more: object = {}) => ({
  type: `${type}-delta`,
  id,
  delta: text,
  ...more,
});
const end = (type: string, id: string, more: object = {}) => ({ type: `${type}-end`, id, ...more });

describe("blocks of a stream", () => {
  test("interleave, and stand in the order in which they began; ids of texts and of reasoning are apart", async () => {
    const content = await keptOf([
      start("reasoning", "0"),
      start("text", "0"),
      start("text", "1"),
      delta("text", "1", "b"),
      delta("reasoning", "0", "r"),
      delta("text", "0", "a"),
      end("reasoning", "0"),
      delta("text", "1", "B"),
      delta("text", "0", "A"),
      end("text", "0"),
      end("text", "1"),
    ]);
    expect(content).toEqual([
      { type: "reasoning", text: "r" },
      { type: "text", text: "aA" },
      { type: "text", text: "bB" },
    ]);
  });

  test("an id that is used again is another block", async () => {
    const once = (text: string) => [start("text", "0"), delta("text", "0", text), end("text", "0")];
    expect(await keptOf([...once("a"), ...once("b")])).toEqual([text("a"), text("b")]);
  });

  test("a block that was never said to begin", async () => {
    expect(await keptOf([delta("text", "0", "a"), delta("text", "0", "b")])).toEqual([text("ab")]);
  });

  test("metadata is merged from start, deltas and end; the last value wins", async () => {
    const meta = (values: object) => ({ providerMetadata: { spec: values } });
    const content = await keptOf([
      start("reasoning", "0", meta({ itemId: "rs_1", encrypted: null })),
      delta("reasoning", "0", "hm"),
      delta("reasoning", "0", "", meta({ signature: "s" })),
      end("reasoning", "0", meta({ encrypted: "e" })),
      delta("text", "0", "a"),
    ]);
    const providerOptions = { spec: { itemId: "rs_1", encrypted: "e", signature: "s" } };
    expect(content[0]).toEqual({ type: "reasoning", text: "hm", providerOptions });
  });

  test("metadata that a package goes on filling is kept as it is at the end, and not later", async () => {
    const details: any[] = [{ text: "h" }];
    const shared = { providerMetadata: { openrouter: { reasoning_details: details } } };
    const grow = {
      get type() {
        details[0].text += "m";
        return "raw";
      },
    };
    const content = await keptOf([start("reasoning", "0", shared), grow, delta("text", "0", "a")], "openrouter");
    const kept = content[0].providerOptions.openrouter.reasoning_details[0].text;
    expect(kept).toMatch(/^hm+$/);
    details[0].text = "changed";
    expect(content[0].providerOptions.openrouter.reasoning_details[0].text).toBe(kept);
  });

  test("empty blocks are dropped, unless they carry something", async () => {
    const signed = { providerMetadata: { google: { thoughtSignature: "s" } } };
    const content = await keptOf([
      start("reasoning", "0"),
      start("text", "0"),
      delta("text", "0", "a"),
      start("text", "1", signed),
    ]);
    expect(content).toEqual([text("a"), { ...text(""), providerOptions: signed.providerMetadata }]);
  });

  test("an error part is a failure, whatever follows it", async () => {
    const parts = [delta("text", "0", "a"), { type: "error", error: { message: "no" } }, delta("text", "0", "b")];
    const model = specModel("v3", [{ parts }, { content: [text("Whole.")] }]);
    const { result, events } = await play({ model, prompt: "go" });
    expect(result.output).toBe("Whole.");
    expect(events.some((event) => event.type === "text-delta" && event.text === "b")).toBe(false);
  });

  test("a stream that ends without a finish is broken", async () => {
    const model = specModel("v3", [{ content: [text("Half")], finish: "none" }, { content: [text("Whole.")] }]);
    expect((await play({ model, prompt: "go" })).result.output).toBe("Whole.");
  });
});

describe.each(ways)("%s", (way) => {
  test("a finish without the provider's word is broken, where the provider always has one", async () => {
    const half: SpecStep = { content: [call("add", "{}")], finish: "tool-calls" };
    const made: unknown[] = [];
    const model = specModel("v3", [half, { content: [text("Whole.")] }], "openrouter");
    const without = { ...model, doStream: dropRaw(model.doStream), doGenerate: dropRaw(model.doGenerate) };
    const { entries } = await play({ model: without, prompt: "go", tools: [addTool(made)] }, way);
    expect(failures(entries)[0]).toBe("MODEL_STREAM_BROKEN → retry");
    expect(made).toEqual([]);
  });

  test.each(["eos", "end_turn", "stop_sequence"])("a server's own word for a clean end: %s", async (raw) => {
    const model = specModel("v3", [{ content: [text("Whole.")], finish: "other", raw }]);
    expect((await play({ model, prompt: "go" }, way)).result.output).toBe("Whole.");
  });

  test("a provider's word for a bad end is told", async () => {
    const bad = { content: [text("x")], finish: "error", raw: "MALFORMED_FUNCTION_CALL" };
    const { result } = await play({ model: specModel("v3", [bad, bad]), prompt: "go" }, way);
    expect(result.isError() && result.error.message).toBe(
      'spec.chat:m: the answer ended with "MALFORMED_FUNCTION_CALL"',
    );
  });

  test.each<[string, unknown]>([
    ["", {}],
    ['{"a":1,"b":2}', { a: 1, b: 2 }],
    ["[1,2]", { input: [1, 2] }],
    ['"text"', { input: "text" }],
    ['{"a":1,"b"', { invalid_json: '{"a":1,"b"' }],
  ])("the input of a call: %j", async (json, input) => {
    const model = specModel("v3", [{ content: [call("add", json)] }, { content: [text("Ok.")] }]);
    const { result } = await play({ model, prompt: "go", tools: [addTool()] }, way);
    expect(result.output).toBe("Ok.");
    expect(model.calls[1].prompt[1].content[0]).toMatchObject({ type: "tool-call", input });
  });

  test("two calls with one id get two results", async () => {
    const made: unknown[] = [];
    const twice = [call("add", { a: 1, b: 1 }), call("add", { a: 2, b: 2 }), call("add", { a: 3, b: 3 })];
    const model = specModel("v3", [{ content: twice }, { content: [text("Ok.")] }]);
    await play({ model, prompt: "go", tools: [addTool(made)] }, way);
    const results = model.calls[1].prompt.at(-1).content;
    expect(results.map(({ toolCallId, output }: any) => [toolCallId, output.value])).toEqual([
      ["id-add", "2"],
      ["id-add-2", "4"],
      ["id-add-3", "6"],
    ]);
  });

  test("a finish that speaks of calls without any is empty, and so is reasoning alone", async () => {
    const model = specModel("v3", [{ content: [], finish: "tool-calls" }, { content: [reasoning("hm")] }]);
    const { result, entries } = await play({ model, prompt: "go" }, way);
    expect(failures(entries)).toEqual(["MODEL_EMPTY → retry", "MODEL_EMPTY → fail"]);
    expect(result.isError() && result.error.hint).toBeTruthy();
  });
});

function reasoning(text: string): any {
  return { type: "reasoning", text };
}

/** As OpenRouter's package ends a stream that broke off. */
function dropRaw(call: (options: any) => PromiseLike<any>): (options: any) => Promise<any> {
  const dropped = (ending: any) =>
    ending.finishReason ? { ...ending, finishReason: { unified: ending.finishReason.unified } } : ending;
  return async (options) => {
    const answer = await call(options);
    if (!answer.stream) return dropped(answer);
    const transform = new TransformStream({ transform: (part, controller) => controller.enqueue(dropped(part)) });
    return { stream: answer.stream.pipeThrough(transform) };
  };
}

describe("a conversation that goes on", () => {
  test("after an answer that was nothing but thoughts, or nothing: it is not sent", async () => {
    const earlier = [
      { role: "assistant" as const, content: [] },
      { role: "assistant" as const, content: [{ type: "reasoning" as const, text: "hm" }] },
    ];
    const model = specModel("v3", [{ content: [text("Hi.")] }]);
    await play({ model, messages: ["first", ...earlier], prompt: "go" });
    expect(model.calls[0].prompt.map(({ role }: any) => role)).toEqual(["user", "user"]);
  });

  test("from another run, with another provider's thoughts: they are known by their metadata", async () => {
    const providerOptions = { anthropic: { signature: "s" } };
    const message = {
      role: "assistant" as const,
      content: [
        { type: "reasoning" as const, text: "hm", providerOptions },
        { type: "text" as const, text: "" },
        { type: "text" as const, text: "Hello." },
      ],
    };
    const sent = async (provider: string) => {
      const model = specModel("v3", [{ content: [text("Hi.")] }], provider);
      await play({ model, messages: ["first", message], prompt: "go" });
      return model.calls[0].prompt[1].content;
    };
    expect(await sent("google.generative-ai")).toEqual([text("Hello.")]);
    expect(await sent("openai-compatible.chat")).toEqual([text("Hello.")]);
    expect(await sent("anthropic.messages")).toEqual(message.content);
    expect(await sent("vertex.anthropic.messages")).toEqual(message.content);
  });
});

describe("what a model throws", () => {
  async function thrown(error: unknown): Promise<any> {
    const model = specModel("v3", [{ error }, { error }, { error }]);
    const { result, entries } = await play({ model, prompt: "go" }, "awaited");
    if (!result.isError()) throw new Error("it should have failed");
    const attempts = ofType(entries, "model-error").length;
    return { code: result.error.code, message: result.error.message, hint: result.error.hint, attempts };
  }
  const named = (name: string, message: string, more: object = {}) =>
    Object.assign(new Error(message), { name, ...more });

  test("something of its own: a failure at once", async () => {
    expect(await thrown(new Error("cannot do it"))).toMatchObject({
      code: "MODEL_FAILED",
      message: "spec.chat:m: cannot do it",
      attempts: 1,
    });
    expect(await thrown("text")).toMatchObject({ code: "MODEL_FAILED", message: "spec.chat:m: text", attempts: 1 });
    expect(await thrown(new TypeError("x is not a function"))).toMatchObject({ code: "MODEL_FAILED", attempts: 1 });
    expect(await thrown(null)).toMatchObject({ code: "MODEL_FAILED", attempts: 1 });
  });

  test("a failed connection: again", async () => {
    const cause = Object.assign(new Error("x"), { code: "ECONNRESET" });
    expect(await thrown(Object.assign(new TypeError("fetch failed"), { cause }))).toMatchObject({
      code: "MODEL_UNAVAILABLE",
      attempts: 2,
    });
  });

  test.each([{ code: "UND_ERR_HEADERS_TIMEOUT" }, undefined])(
    "the time that a whole answer may take: it is streamed, though nobody watches (%o)",
    async (cause) => {
      const late = cause
        ? Object.assign(new TypeError("fetch failed"), { cause })
        : named("x", "", { statusCode: 524 });
      const model = specModel("v3", [
        { error: late },
        { content: [call("add", { a: 1, b: 1 })] },
        { content: [text("2")] },
      ]);
      const ways: string[] = [];
      const noting = (way: string, call: (options: any) => PromiseLike<any>) => (options: any) => {
        ways.push(way);
        return call(options);
      };
      const watched = {
        ...model,
        doGenerate: noting("whole", model.doGenerate),
        doStream: noting("streamed", model.doStream),
      };
      const { result } = await play({ model: watched, prompt: "go", tools: [addTool()] }, "awaited");
      expect(result.output).toBe("2");
      expect(ways).toEqual(["whole", "streamed", "whole"]);
    },
  );

  test.each([
    [named("AI_LoadAPIKeyError", "The key is missing"), "MODEL_AUTH", 1],
    [named("AI_UnsupportedFunctionalityError", "no audio"), "MODEL_REQUEST_INVALID", 1],
    [named("AI_APICallError", "API key not valid. Please pass a valid API key.", { statusCode: 400 }), "MODEL_AUTH", 1],
    [named("AI_APICallError", "Insufficient credits", { statusCode: 402 }), "MODEL_AUTH", 1],
    [named("AI_APICallError", "conflict", { statusCode: 409 }), "MODEL_UNAVAILABLE", 2],
    [named("AI_APICallError", "too large", { statusCode: 413 }), "MODEL_CONTEXT_OVERFLOW", 1],
    [
      named("AI_APICallError", "?", { statusCode: 429, data: { error: { code: "insufficient_quota" } } }),
      "MODEL_RATE_LIMITED",
      1,
    ],
    [named("AI_APICallError", "", { statusCode: 502 }), "MODEL_UNAVAILABLE", 2],
    [named("AI_APICallError", "context window", { statusCode: 429 }), "MODEL_RATE_LIMITED", 2],
    [{ message: "down", type: "overloaded_error" }, "MODEL_UNAVAILABLE", 2],
    [{ error: { message: "slow down", type: "rate_limit_error" } }, "MODEL_RATE_LIMITED", 2],
    [{ message: "it is too long", code: "context_length_exceeded" }, "MODEL_CONTEXT_OVERFLOW", 1],
  ])("%o", async (error, code, attempts) => {
    expect(await thrown(error)).toMatchObject({ code, attempts, hint: expect.any(String) });
  });

  test("a wait that Google asks for is in the body", async () => {
    const responseBody = JSON.stringify({ error: { details: [{ "@type": "RetryInfo", retryDelay: "30s" }] } });
    const error = named("AI_APICallError", "Quota exceeded", { statusCode: 429, responseBody });
    expect((await thrown(error)).message).toContain("it asks to wait for 30 s");
  });

  test("a wait in milliseconds", async () => {
    const responseHeaders = { "retry-after-ms": "30000", "retry-after": "1" };
    const error = named("AI_APICallError", "slow down", { statusCode: 429, responseHeaders });
    expect((await thrown(error)).message).toContain("it asks to wait for 30 s");
  });

  test("what a package quotes of an answer is not repeated", async () => {
    const quoted = named("AI_JSONParseError", "JSON parsing failed: Text: {SECRET. Error message: no");
    expect((await thrown(quoted)).message).toBe("spec.chat:m: a part of the answer was not JSON");
    const value = { error: { message: "Overloaded", type: "server_error", code: 503 } };
    const typed = named("AI_TypeValidationError", "Type validation failed: Value: {SECRET}", { value });
    expect(await thrown(typed)).toMatchObject({
      code: "MODEL_UNAVAILABLE",
      message: "spec.chat:m answered 503: Overloaded",
    });
  });

  test("a long reason is cut, and only its first line is told", async () => {
    const { message } = await thrown(new Error(`${"long ".repeat(200)}\nat file.ts:1`));
    expect(message.length).toBeLessThan(330);
    expect((await thrown(new Error("first\nsecond"))).message).toBe("spec.chat:m: first");
  });
});
