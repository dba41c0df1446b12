/** Seed 002, fences 4 to 6, "Advanced Tool Properties": aliases, static input values and retry. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import searchDocumentation from "./fixtures/002/04.ts";
import { baseSearchTool, productSearchTool } from "./fixtures/002/05.ts";
import externalAPI from "./fixtures/002/06.ts";
import { call, play, shownSchema, toldResults } from "./play.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("fence 4: aliases", () => {
  const names = ["searchDocumentation", "search_docs", "findDocs", "lookupDocs"];

  test.each(names)("the model may call it %s", async (name) => {
    const { events, model, result } = await play({ tools: [searchDocumentation] }, call(name, { input: "x" }), "Done.");
    expect(events.flatMap((event) => (event.type === "tool-start" ? [event.name] : []))).toEqual([names[0]]);
    expect(events.some((event) => event.type === "tool-end" && event.error)).toBe(false);
    expect(result.status).toBe("success");
    expect(model.requests[0]!.tools!.map((tool) => tool.name)).toEqual([names[0]]);
  });

  test("a name that is no alias is refused", async () => {
    const { events } = await play({ tools: [searchDocumentation] }, call("docs", { input: "x" }), "Done.");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-end", error: expect.objectContaining({ code: "TOOL_UNKNOWN" }) }),
    );
  });
});

describe("fence 5: static input values", () => {
  test("the value is hidden from the model, and wins over what it sends", async () => {
    const seen: unknown[] = [];
    const tool = productSearchTool.with({ handler: async (input) => void seen.push(input) });
    const sent = call("search", { query: "hammer", category: "people" });
    const { model } = await play({ tools: [tool] }, sent, call("search", { query: "saw" }), "Done.");

    const schema = shownSchema(model.requests[0], "search");
    expect(Object.keys(schema.properties)).toEqual(["query"]);
    expect(schema.required).toEqual(["query"]);
    expect(JSON.stringify(model.requests[0])).not.toContain("category");
    expect(seen).toEqual([
      { query: "hammer", category: "products" },
      { query: "saw", category: "products" },
    ]);
  });

  test("the tools as they are written: the log has the effective input", async () => {
    const { events } = await play({ tools: [productSearchTool] }, call("search", { query: "saw" }), "Done.");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-call", input: { query: "saw", category: "products" } }),
    );
  });

  test("the tool that it was made of asks for both", () => {
    expect(Object.keys(baseSearchTool.inputSchema.properties)).toEqual(["query", "category"]);
  });
});

describe("fence 6: custom retry", () => {
  test("three attempts, a second and two seconds apart, and not a fourth one", async () => {
    throwWhenRefused("RATE_LIMIT");
    const [recovering, limited] = await Promise.all([refusingAPI(2), refusingAPI(Number.POSITIVE_INFINITY)]);
    const runs = [recovering, limited].map(({ url }) =>
      play({ tools: [externalAPI] }, call("externalAPI", { endpoint: url }), "Done."),
    );
    const told = (await Promise.all(runs)).map(({ model }) => toldResults(model.requests[1]));

    expect(told).toEqual([['{"answer":42}'], [expect.stringContaining("Too many requests")]]);
    for (const { times } of [recovering, limited]) {
      expect(times).toHaveLength(3);
      expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
      expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(1_990);
    }
  });

  test("another error is not tried again", async () => {
    throwWhenRefused("NOT_FOUND");
    const { url, times } = await refusingAPI(1);
    await expect(externalAPI.execute({ endpoint: url })).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(times).toHaveLength(1);
  });

  /** A server that refuses the first requests. */
  async function refusingAPI(refusals: number): Promise<{ url: string; times: number[] }> {
    const times: number[] = [];
    const server = createServer((_, response) => {
      times.push(performance.now());
      response.statusCode = times.length <= refusals ? 429 : 200;
      response.end(JSON.stringify({ answer: 42 }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    server.unref();
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, times };
  }

  /** Plain fetch does not throw for a status; the clients of APIs do, with a code. */
  function throwWhenRefused(code: string): void {
    const plainFetch = globalThis.fetch;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (...request) => {
      const response = await plainFetch(...request);
      if (!response.ok) throw Object.assign(new Error("Too many requests"), { code });
      return response;
    });
  }
});
