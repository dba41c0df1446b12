/** Seed 002, fences 8 and 10 to 12: models by name, hooks and exits, as the document runs them. */
import { beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest";
import { type Autonomous, execute } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { startProviderServer } from "../helpers/provider-server/index.ts";
import fallbackChain from "./fixtures/002/08-fallback-chain.ts";
import oneModel from "./fixtures/002/08-one-model.ts";
import { call, toldResults } from "./play.ts";
import { asked, clearStage, stage } from "./stage.ts";

beforeEach(clearStage);

/** Runs a fence that calls `execute` when it is imported; each `name` is a run of its own. */
async function runFence(file: string, name: string, ...script: Parameters<typeof scriptedModel>[0]) {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    const model = scriptedModel(script);
    stage.model = model;
    const path = `./fixtures/002/${file}?${name}`;
    const exported = await import(/* @vite-ignore */ path);
    return { exported, model, result: await stage.run!, printed: log.mock.calls };
  } finally {
    log.mockRestore();
  }
}

describe("fence 8: models are named provider:model-name", () => {
  test("one model is asked by that name", async () => {
    await using server = await startProviderServer([{ text: "Hello from the model." }]);
    const result = await withEnv(server.env, () =>
      execute({ model: oneModel.defaultModels!.autonomous, prompt: "Hi" }),
    );

    expect(result.output).toBe("Hello from the model.");
    expect(server.requests.map(({ protocol, model }) => [protocol, model])).toEqual([["openai-responses", "gpt-4o"]]);
    expect(oneModel).toMatchObject({ name: "my-agent", defaultModels: { zai: "openai:gpt-4o-mini" } });
  });

  test("a chain goes on with the next one when the first one's provider fails", async () => {
    await using server = await startProviderServer([{ fault: { status: 503 } }, { text: "Hello from the second." }]);
    const model = fallbackChain.defaultModels!.autonomous;
    const result = await withEnv(server.env, () => execute({ model, prompt: "Hi", modelLimits: { attempts: 1 } }));

    expect(result.output).toBe("Hello from the second.");
    expect(server.requests.map((request) => request.model)).toEqual(["gpt-4o", "claude-3-5-sonnet"]);
  });

  async function withEnv<T>(env: Readonly<Record<string, string>>, run: () => PromiseLike<T>): Promise<T> {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    try {
      return await run();
    } finally {
      vi.unstubAllEnvs();
    }
  }
});

test("fence 10: hooks see each call and what it gave", async () => {
  const { printed, result, model } = await runFence(
    "10.ts",
    "log",
    { toolCalls: [{ name: "search", input: { query: "haft" } }] },
    { toolCalls: [{ name: "createTicket", input: { title: "Broken" } }] },
    "Done.",
  );
  expect(printed).toEqual([
    ["Calling tool: search", { query: "haft" }],
    ["Tool search returned:", "results for haft"],
    ["Calling tool: createTicket", { title: "Broken" }],
    ["Tool createTicket returned:", { ticketId: "T-2" }],
  ]);
  expect(toldResults(model.requests[2])).toEqual(["results for haft", '{"ticketId":"T-2"}']);
  expect(result.output).toBe("Done.");
  expect(JSON.stringify(model.requests[0]!.prompt)).toContain("Help the user");
});

test("fence 11: onBeforeTool rewrites the query before the handler gets it", async () => {
  const { model } = await runFence("11.ts", "rewrite", call("search", { query: "haft" }), "Done.");
  expect(asked("searchTool")).toEqual([["haft site:docs.example.com"]]);
  expect(toldResults(model.requests[1])).toEqual(["results for haft site:docs.example.com"]);
});

describe("fence 12: exits", () => {
  const found = { results: ["a", "b"], count: 2 };

  test("the model is shown both, and the first one's value is typed and checked", async () => {
    const wrong = call("search_complete", { results: ["a", "b"], count: "two" });
    const { model, printed, result, exported } = await runFence(
      "12.ts",
      "found",
      wrong,
      call("search_complete", found),
    );

    expect(model.requests[0]!.tools!.map(({ name, description }) => [name, description])).toEqual([
      ["search_complete", expect.stringMatching(/^Search completed successfully/)],
      ["no_results", expect.stringMatching(/^No results found for the query/)],
    ]);
    expect(JSON.stringify(model.requests[1]!.prompt)).toContain("count");
    expect(printed).toEqual([["Found 2 results"]]);
    expect(result.output).toEqual(found);
    expect([result.is(exported.SearchExit), result.is(exported.NoResultsExit)]).toEqual([true, false]);
  });

  test("the other one", async () => {
    const { printed, result, exported } = await runFence("12.ts", "none", call("no_results"));
    expect(printed).toEqual([["No results found"]]);
    expect([result.is(exported.SearchExit), result.is(exported.NoResultsExit)]).toEqual([false, true]);
  });

  test("a run that failed is neither", async () => {
    const { printed, result, exported } = await runFence("12.ts", "failed", "Some text.", "Text again.");
    expect(result.status).toBe("error");
    expect(printed).toEqual([]);
    expect([result.is(exported.SearchExit), result.is(exported.NoResultsExit)]).toEqual([false, false]);
  });

  test("result.is narrows the output", () => {
    type Fence = typeof import("./fixtures/002/12.ts");
    type Found = Autonomous.ExecuteResult<Fence["SearchExit"]> & { status: "success" };
    expectTypeOf<Found["output"]>().toEqualTypeOf<{ results: string[]; count: number }>();
    const narrowed = (result: Fence["result"], exit: Fence["SearchExit"]) =>
      result.is(exit) ? result.output : undefined;
    expectTypeOf<ReturnType<typeof narrowed>>().toEqualTypeOf<{ results: string[]; count: number } | undefined>();
  });
});
