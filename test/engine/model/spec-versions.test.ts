import { describe, expect, test } from "vitest";
import { call, specModel, text, type Version, versions } from "./spec-model.ts";
import { addTool, failures, lookTool, play, png, ways } from "./support.ts";

/** Providers whose models take images in the results of tools, and one whose models do not. */
const takesImages = "anthropic.messages";
const takesNone = "groq.chat";

const imageIn: Record<Version, unknown> = {
  v2: { type: "media", data: png, mediaType: "image/png" },
  v3: { type: "image-data", data: png, mediaType: "image/png" },
  v4: { type: "file", data: { type: "data", data: png }, mediaType: "image/png" },
};

describe.each(versions)("%s", (version) => {
  describe.each(ways)("%s", (way) => {
    test("an image in a tool's result, where the model takes one", async () => {
      const model = specModel(version, [{ content: [call("look")] }, { content: [text("A cat.")] }], takesImages);
      const { result } = await play({ model, prompt: "go", tools: [lookTool("a picture")] }, way);
      expect(result.output).toBe("A cat.");
      const [part] = model.calls[1].prompt.at(-1).content;
      expect(part).toMatchObject({
        type: "tool-result",
        toolCallId: "id-look",
        toolName: "look",
        output: { type: "content", value: [text("a picture"), imageIn[version]] },
      });
    });

    test("an image in a tool's result, where the model takes none", async () => {
      const model = specModel(version, [{ content: [call("look")] }, { content: [text("A cat.")] }], takesNone);
      await play({ model, prompt: "go", tools: [lookTool()] }, way);
      const [results, user] = model.calls[1].prompt.slice(-2);
      expect(results.content[0].output).toEqual({ type: "text", value: "(The image follows in the next message.)" });
      const data = version === "v4" ? { type: "data", data: png } : png;
      expect(user).toEqual({
        role: "user",
        content: [text("From the result of look above:"), { type: "file", mediaType: "image/png", data }],
      });
    });

    test("files that the user gives: base64, bytes and URLs", async () => {
      const model = specModel(version, [{ content: [text("Seen.")] }]);
      const url = new URL("https://example.com/cat.png");
      const bytes = new Uint8Array([1, 2, 3]);
      const given = [png, bytes, url, String(url)];
      const prompt = given.map((data) => ({ type: "file" as const, mediaType: "image/png", data }));
      await play({ model, prompt }, way);
      const sent = model.calls[0].prompt[0].content.map(({ data }: any) => data);
      const whole = [png, bytes, url, url];
      const tagged = whole.map((data) => (data instanceof URL ? { type: "url", url: data } : { type: "data", data }));
      expect(sent).toEqual(version === "v4" ? tagged : whole);
    });

    test("usage and finish", async () => {
      const model = specModel(version, [{ content: [text("Hi.")] }]);
      const { result, entries } = await play({ model, prompt: "go" }, way);
      expect(result.usage).toEqual({
        inputTokens: 10,
        outputTokens: 5,
        cacheReadTokens: 4,
        cacheWriteTokens: version === "v2" ? 0 : 1,
        reasoningTokens: 2,
      });
      expect(entries.find(({ type }) => type === "model-response")).toMatchObject({ finishReason: "stop" });
    });

    test.each(["other", "error", version === "v2" ? "unknown" : "interrupted"])(
      "a finish that is %s is a broken answer",
      async (finish) => {
        const broken = { content: [text("Half of")], finish };
        const model = specModel(version, [broken, broken]);
        const { result, entries } = await play({ model, prompt: "go" }, way);
        expect(result.isError() && result.error.code).toBe("MODEL_STREAM_BROKEN");
        expect(failures(entries)).toEqual(["MODEL_STREAM_BROKEN → retry", "MODEL_STREAM_BROKEN → fail"]);
      },
    );

    test("a file that the model makes is kept as text, and goes back", async () => {
      const data = new Uint8Array([137, 80, 78, 71]);
      const made = {
        type: "file",
        mediaType: "image/png",
        data: version === "v4" ? { type: "data", data } : data,
        providerMetadata: { spec: { id: "f1" } },
      };
      const model = specModel(version, [{ content: [made, call("add", { a: 1, b: 2 })] }, { content: [text("Ok.")] }]);
      const { entries } = await play({ model, prompt: "go", tools: [addTool()] }, way);
      const kept = { type: "file", mediaType: "image/png", data: "iVBORw==", providerOptions: { spec: { id: "f1" } } };
      expect(entries.find(({ type }) => type === "model-response")).toMatchObject({ content: [kept, {}] });
      const back = version === "v4" ? { type: "data", data: "iVBORw==" } : "iVBORw==";
      expect(model.calls[1].prompt[1].content[0]).toEqual({ ...kept, data: back });
    });

    test("a call that the provider makes itself is not ours to make", async () => {
      const made: unknown[] = [];
      const search = call("add", { a: 1, b: 1 }, { providerExecuted: true });
      const found = { type: "tool-result", toolCallId: "id-add", toolName: "add", result: {} };
      const parts = [
        { type: "tool-input-start", id: "id-add", toolName: "add", providerExecuted: true },
        search,
        found,
      ];
      const content = [search, found, text("Found.")];
      const model = specModel(version, [
        { content, parts: [...parts, { type: "text-delta", id: "t", delta: "Found." }], finish: "stop" },
      ]);
      const { result, events } = await play({ model, prompt: "go", tools: [addTool(made)] }, way);
      expect(result.output).toBe("Found.");
      expect(made).toEqual([]);
      expect(events.some(({ type }) => type === "tool-input-delta")).toBe(false);
    });
  });
});

test("V4 takes the effort of reasoning as it is, and the others in their own words", async () => {
  const options = { prompt: "go", reasoningEffort: "low" as const };
  const v4 = specModel("v4", [{ content: [text("Hi.")] }], "openai.responses");
  await play({ model: v4, ...options });
  expect(v4.calls[0]).toMatchObject({ reasoning: "low", providerOptions: { openai: { store: false } } });
  const v3 = { ...specModel("v3", [{ content: [text("Hi.")] }], "openai.responses"), modelId: "gpt-5" };
  await play({ model: v3, ...options, providerOptions: { openai: { user: "u" } } });
  expect(v3.calls[0].reasoning).toBeUndefined();
  expect(v3.calls[0].providerOptions).toEqual({ openai: { store: false, reasoningEffort: "low", user: "u" } });
});

test("the options of a call are those of the run, asked once for all its attempts", async () => {
  let asked = 0;
  const broken = { content: [text("Half")], finish: "other" };
  const model = specModel("v3", [broken, { content: [call("add", { a: 1, b: 2 })] }, { content: [text("3")] }]);
  const temperature = () => ++asked / 10;
  await play({ model, prompt: "go", tools: [addTool()], temperature, maxOutputTokens: 99 }, "awaited");
  expect(model.calls.map((one) => one.temperature)).toEqual([0.1, 0.1, 0.2]);
  expect(model.calls[0]).toMatchObject({ maxOutputTokens: 99, toolChoice: { type: "auto" } });
  expect(model.calls[0].tools).toMatchObject([{ type: "function", name: "add" }]);
});

test("a prompt that a model keeps does not change later", async () => {
  const model = specModel("v3", [{ content: [call("add", { a: 1, b: 2 })] }, { content: [text("3")] }]);
  await play({ model, prompt: "go", instructions: "Add.", tools: [addTool()] });
  expect(model.calls.map(({ prompt }) => prompt.map(({ role }: any) => role))).toEqual([
    ["system", "user"],
    ["system", "user", "assistant", "tool"],
  ]);
  expect(model.calls[1].prompt[1]).toBe(model.calls[0].prompt[1]); // the same object: it is turned once
});
