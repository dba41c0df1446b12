import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Fault, type Step, startProviderServer } from "../../helpers/provider-server/index.ts";
import {
  addTool,
  expectNoUnhandledRejections,
  failures,
  ofType,
  playAt,
  providerList,
  shownText,
  ways,
} from "./support.ts";

expectNoUnhandledRejections();

/** Faults that pass: the next attempt is answered. */
const passing: [name: string, fault: Fault, code: string][] = [
  ["408", { status: 408 }, "MODEL_UNAVAILABLE"],
  ["429", { status: 429 }, "MODEL_RATE_LIMITED"],
  ["500", { status: 500 }, "MODEL_UNAVAILABLE"],
  ["529", { status: 529 }, "MODEL_UNAVAILABLE"],
  ["an overloaded event", "overloaded", "MODEL_UNAVAILABLE"],
  ["a malformed event", "malformed", "MODEL_STREAM_BROKEN"],
  ["a cut connection", "cut", "MODEL_STREAM_BROKEN"],
  ["an end without a finish", "truncated", "MODEL_STREAM_BROKEN"],
  ["a web page", "html", "MODEL_UNAVAILABLE"],
];

/** Faults that stay, whatever is done. */
const lasting: [name: string, fault: Fault, code: string][] = [
  ["400", { status: 400, message: "tools.0: no such thing" }, "MODEL_REQUEST_INVALID"],
  ["401", { status: 401, message: "Incorrect API key" }, "MODEL_AUTH"],
  ["403", { status: 403 }, "MODEL_AUTH"],
  ["404", { status: 404 }, "MODEL_REQUEST_INVALID"],
  ["too long", { status: 400, message: "prompt is too long: 21 tokens > 20 maximum" }, "MODEL_CONTEXT_OVERFLOW"],
];

const text: Step = { pieces: ["Half ", "of it"] };
const call: Step = { text: "I add.", toolCalls: [{ name: "add", input: { a: 1, b: 2 } }] };

describe.each(providerList)("%s", (provider) => {
  describe.each(ways)("%s", (way) => {
    test.concurrent.each(passing)("%s: the same model again", async (_, fault, code) => {
      const made: unknown[] = [];
      await using server = await startProviderServer([
        { ...call, fault },
        call,
        { ...text, fault },
        { text: "Three." },
      ]);
      const { result, events, entries } = await playAt(provider, server, { tools: [addTool(made)] }, way);

      expect(result).toMatchObject({ status: "success", output: "Three." });
      expect(made).toEqual([{ a: 1, b: 2 }]);
      expect(failures(entries)).toEqual([`${code} → retry`, `${code} → retry`]);
      expect(ofType(entries, "model-start").map(({ attempt }) => attempt)).toEqual([1, 2, 1, 2]);
      expect(ofType(entries, "model-error").every(({ error }) => error.hint)).toBe(true);
      expect(server.requests).toHaveLength(4);
      if (way === "watched") {
        expect(ofType(events, "retry").map(({ what, attempt }) => `${what} ${attempt}`)).toEqual([
          "model 2",
          "model 2",
        ]);
        expect(shownText(events)).toBe("I add.Three.");
      }
    });

    test.concurrent.each([...passing, ...lasting])("%s, in the end: never half an answer", async (_, fault, code) => {
      const made: unknown[] = [];
      await using server = await startProviderServer(() => ({ ...call, fault }));
      const modelLimits = { attempts: passing.some(([, one]) => one === fault) ? 1 : 3 };
      const options = { tools: [addTool(made)], modelLimits };
      const { result, events, entries } = await playAt(provider, server, options, way);

      expect(result).toMatchObject({ status: "error", stopReason: "model", output: undefined });
      expect(result.isError() && result.error).toMatchObject({ code, hint: expect.stringMatching(/./) });
      expect(made).toEqual([]);
      expect(server.requests).toHaveLength(1);
      expect(failures(entries)).toEqual([`${code} → fail`]);
      expect(ofType(entries, "run-end")[0]).toMatchObject({ status: "error", error: { code } });
      expect(shownText(events)).toBe("");
    });
  });

  test.each(ways)("the prompt and the key are in no error, %s", async (way) => {
    const faults: Fault[] = [{ status: 400 }, { status: 500 }, "malformed", "cut", "truncated", "html", "overloaded"];
    for (const fault of faults) {
      await using server = await startProviderServer(() => ({ ...text, fault }));
      const options = { prompt: "PROMPT-TEXT", instructions: "INSTRUCTIONS-TEXT" };
      const { result, entries } = await playAt(provider, server, options, way);
      if (!result.isError()) throw new Error("it should have failed");
      const told = JSON.stringify([result.error, result.error.message, result.error.cause ?? null]);
      const errors = JSON.stringify(entries.filter(({ type }) => type === "model-error" || type === "run-end"));
      for (const secret of ["PROMPT-TEXT", "INSTRUCTIONS-TEXT", `key-of-${provider}`, "Half of it", "doctype"]) {
        expect(told + errors).not.toContain(secret);
      }
      expect(
        Object.values(result.error).some((value) => typeof value === "object" && "requestBodyValues" in value),
      ).toBe(false);
    }
  });
});

test.each([
  "Incorrect API key provided: sk-proj-abcdefghijklmnop1234. Find yours at the dashboard.",
  "Invalid key key-of-openai",
  "Bad header: Authorization: Bearer abc.def.ghi",
])("a key that the provider repeats is taken out: %s", async (message) => {
  await using server = await startProviderServer([{ fault: { status: 401, message } }]);
  const { result } = await playAt("openai", server);
  expect(result.isError() && result.error.message).toMatch(/answered 401: .*\[key\]/);
  expect(result.isError() && result.error.message).not.toMatch(/abcdefghijklmnop|key-of-openai|abc\.def/);
});

test("a server that is not there", async () => {
  const server = await startProviderServer();
  await server.close();
  const { result, entries } = await playAt("openai", server);
  expect(result.isError() && result.error).toMatchObject({
    code: "MODEL_UNAVAILABLE",
    hint: "Is the server there, and is the base URL right?",
  });
  expect(failures(entries)).toEqual(["MODEL_UNAVAILABLE → retry", "MODEL_UNAVAILABLE → fail"]);
});

test.each(providerList)("%s: an error in the middle of an answer ends its connection", async (provider) => {
  const pieces = Array(1_000).fill("word ");
  await using server = await startProviderServer(
    (_, index) => (index === 0 ? { pieces, fault: "malformed", eventDelayMs: 20 } : { text: "Whole." }),
    { pieceBytes: 0 },
  );
  const { result } = await playAt(provider, server);
  expect(result.output).toBe("Whole.");
  while (!server.requests[0]!.abandoned) await wait(5);
});
