import { describe, expect, test } from "vitest";
import type { Entry } from "../../../src/core/log.ts";
import { execute, Tool } from "../../../src/index.ts";
import { memoryStore } from "../../../src/stores/index.ts";
import { type ProviderName, type RecordedRequest, startProviderServer } from "../../helpers/provider-server/index.ts";
import { environment, nameOf, ofType } from "./support.ts";

const fetchPage = new Tool({
  name: "fetch_page",
  input: { type: "object", properties: { page: { type: "integer" } } },
  handler: ({ page }: any) => `page ${page}: ${"lorem ipsum ".repeat(900)}`,
});

/** What each protocol says when a request is too long, at a limit of so many bytes. */
const MOST = 30_000;
const words: Partial<Record<ProviderName, string>> = {
  anthropic: "prompt is too long: 213462 tokens > 200000 maximum",
  "openai-compatible":
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
};

describe.each(Object.entries(words) as [ProviderName, string][])("%s", (provider, message) => {
  test("refuses what is too long, and answers when the conversation was made shorter", async () => {
    let page = 0;
    const sizes: number[] = [];
    const answer = (request: RecordedRequest) => {
      const size = JSON.stringify(request.body).length;
      sizes.push(size);
      if (JSON.stringify(request.body).includes("You keep the notes")) return { text: "Notes: pages were read." };
      if (size > MOST) return { fault: { status: 400, message } };
      return ++page <= 6
        ? { text: "More.", toolCalls: [{ name: "fetch_page", input: { page } }] }
        : { text: "All read." };
    };
    await using server = await startProviderServer(answer);
    using _env = environment(server);
    const store = memoryStore();
    const result = await execute({
      ...{ model: nameOf(provider), tools: [fetchPage], prompt: "Read six pages.", iterations: 20 },
      ...{ store, session: "s", modelLimits: { attempts: 1 } },
    });
    expect(result).toMatchObject({ status: "success", output: "All read." });
    const entries: Entry[] = await store.read("s");
    const made = ofType(entries, "compaction");
    expect(made.length).toBeGreaterThan(0);
    expect(made.every(({ reason, before, after }) => reason === "overflow" && after < before)).toBe(true);
    expect(ofType(entries, "model-error").map(({ error, then }) => [error.code, then])).toEqual(
      made.map(() => ["MODEL_CONTEXT_OVERFLOW", "compact"]),
    );
    expect(sizes.some((size) => size > MOST)).toBe(true);
    expect(page).toBe(7);
  });
});
