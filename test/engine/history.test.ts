import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ok, ThinkSignal } from "../../src/index.ts";
import { fileStore, memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, gate, hangs, results, scriptedModel, tool } from "./support.ts";

const nothing = tool("nothing", () => "nothing");

describe("a second run in the same session", () => {
  test("has the conversation of the first before its prompt", async () => {
    const store = memoryStore();
    const model = scriptedModel([asks("nothing"), "one", "two"]);
    const options = { model, tools: [nothing], store, session: "s" };
    const first = await execute({ ...options, prompt: "first" });
    const second = await execute({ ...options, prompt: "second" });
    expect(second.run).not.toBe(first.run);
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
    expect(second.iterations).toHaveLength(1);
    expect(model.requests[2]!.prompt.map(({ role }: any) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    const kept = await store.read("s");
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index));
  });

  test.each([
    ["a failed call", [asks("fails"), "one"]],
    ["an unknown tool", [asks("who"), "one"]],
    ["no JSON", [asks(["nothing", "{"]), "one"]],
    ["a think", [asks("thinks", "nothing"), "one"]],
    ["the limit of iterations", [asks("nothing"), asks("nothing")]],
    ["an answer that was cut", [{ ...asks("nothing"), finishReason: "length" as const }]],
    ["an answer that was filtered", [{ ...asks("nothing"), finishReason: "content-filter" as const }]],
    ["a model that failed", [asks("nothing"), { error: Object.assign(new Error("no"), { statusCode: 400 }) }]],
    ["content beside text", [asks("picture"), "one"]],
    ["an alias", [asks("nix"), "one"]],
  ])("is valid, and reads as it was lived, after %s", async (_, script: any) => {
    const tools = [
      tool("nothing", () => "nothing", { aliases: ["nix"] }),
      tool("fails", () => {
        throw new Error("no");
      }),
      tool("thinks", () => {
        throw new ThinkSignal("think", "look");
      }),
      tool("picture", () => ok(1, { content: [{ type: "image", data: "AAAA", mediaType: "image/png" }] })),
    ];
    const store = memoryStore();
    const options = { tools, store, session: "s", iterations: 2 };
    const first = await execute({ ...options, model: scriptedModel(script), prompt: "first" });
    const model = scriptedModel(["two"]);
    const second = await execute({ ...options, model, prompt: "second" });
    expect(second.output).toBe("two");
    expect(faults(model.requests[0]!.prompt)).toEqual([]);
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
  });

  test("has a result for every call of a run that was aborted, and says what is not known", async () => {
    const store = memoryStore();
    const reached = gate();
    const tools = [nothing, tool("hangs", hangs(reached))];
    const run = execute({
      model: scriptedModel([asks("nothing", "hangs", ...Array(8).fill("hangs"))]),
      tools,
      store,
      session: "s",
      prompt: "first",
    });
    run.then(() => {});
    await reached.passed;
    run.abort("enough");
    const first = await run;
    const model = scriptedModel(["two"]);
    const second = await execute({ model, tools, store, session: "s", prompt: "second" });
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages);
    expect(faults(model.requests[0]!.prompt)).toEqual([]);
    expect(Object.values(results(model.requests[0]!.prompt))[0]).toBe("nothing");
  });
});

describe("messages", () => {
  test("are the conversation before the prompt, in every short form", async () => {
    const model = scriptedModel(["ok"]);
    await execute({
      model,
      messages: [
        "Hi",
        { role: "assistant", content: "Hello." },
        { role: "user", content: [{ type: "text", text: "What is this?" }] },
        { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "nothing", input: {} }] },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: "c", toolName: "nothing", output: { type: "text", value: "x" } },
          ],
        },
      ],
      prompt: "go",
    });
    expect(model.requests[0]!.prompt).toMatchObject([
      { role: "user", content: [{ text: "Hi" }] },
      { role: "assistant", content: [{ text: "Hello." }] },
      { role: "user", content: [{ text: "What is this?" }] },
      { role: "assistant" },
      { role: "tool" },
      { role: "user", content: [{ text: "go" }] },
    ]);
  });

  test("belong to the caller: changing them later changes nothing", async () => {
    const message = { role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] };
    const model = scriptedModel([asks("nothing"), "ok"]);
    const messages = [message];
    const run = execute({ model, messages, tools: [nothing], hooks: { onIterationStart: () => void change() } });
    const change = () => {
      message.content[0]!.text = "changed";
      messages.push({ role: "user", content: [{ type: "text", text: "more" }] });
    };
    const result = await run;
    expect(result.messages[0]).toEqual({ role: "user", content: [{ type: "text", text: "Hi" }] });
    expect(result.messages.filter(({ role }) => role === "user")).toHaveLength(1);
  });

  test("files are kept: bytes and URLs come back in the next process", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-history-"));
    try {
      const prompt = [
        { type: "text" as const, text: "What is on these?" },
        { type: "file" as const, mediaType: "image/png", data: new Uint8Array([1, 2, 250]) },
        { type: "file" as const, mediaType: "image/png", data: new URL("https://example.com/a.png") },
        { type: "file" as const, mediaType: "image/png", data: "AAAA" },
      ];
      const first = scriptedModel(["cats"]);
      await execute({ model: first, store: fileStore(folder), session: "s", prompt });
      expect(first.requests[0]!.prompt[0].content).toEqual(prompt);
      const second = scriptedModel(["dogs"]);
      await execute({ model: second, store: fileStore(folder), session: "s", prompt: "And now?" });
      expect(second.requests[0]!.prompt[0].content).toEqual(prompt);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("isolated: 100 runs at once, each with its own conversation", async () => {
    const runs = Array.from({ length: 100 }, (_, index) => {
      const model = scriptedModel([asks(["echo", { index }]), ({ prompt }) => prompt.at(-1).content[0].output.value]);
      const echo = tool("echo", async ({ index }) => `echo ${index}`);
      return execute({ model, tools: [echo], prompt: `${index}` });
    });
    const outputs = await Promise.all(runs);
    expect(outputs.map(({ output }) => output)).toEqual(runs.map((_, index) => `echo ${index}`));
  });
});

test("a log that has ended, and a prompt: a second run after it, without any store", async () => {
  const model = scriptedModel(["one", "two"]);
  const store = memoryStore();
  const first = await execute({ model, prompt: "first", store, session: "s" });
  const second = await execute({ model, prompt: "second", log: await store.read("s") });
  expect(second.run).not.toBe(first.run);
  expect(second.output).toBe("two");
  expect(second.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});
