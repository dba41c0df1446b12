/** Who uses secrets in a run, what the log has of it, and what is taken out beside them. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Exit, type RunEvent, ThinkSignal, Tool } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, ofType, requestText, results, scriptedModel, tool, waiting, watched } from "./support.ts";

const VALUE = "tK9xQ2mZ7pL4vB8nR5wY";
const OTHER = "other-value-3f8a91";
const secrets = { TOKEN: { static: VALUE }, OTHER: { static: OTHER, tools: ["post"] } };

const textOf = (events: readonly RunEvent[], type: string) =>
  events.flatMap((event) => (event.type === type && "text" in event ? [event.text] : []));

describe("live text", () => {
  test("a value that is split over two deltas, or over many, is never shown", async () => {
    for (const pieces of [["say tK9xQ2m", "Z7pL4vB8nR5wY now"], [...`say ${VALUE} now`]]) {
      const { events } = await watched(execute({ model: scriptedModel([{ pieces }]), prompt: "go", secrets }));
      expect(textOf(events, "text-delta").join("")).toBe("say [REDACTED:TOKEN] now");
    }
  });

  test("what waited is shown before the entry that ends it", async () => {
    const { events } = await watched(
      execute({ model: scriptedModel([{ pieces: ["ends in tK9xQ"] }]), prompt: "go", secrets }),
    );
    const types = events.map(({ type }) => type);
    expect(textOf(events, "text-delta")).toEqual(["ends in ", "tK9xQ"]);
    expect(types.lastIndexOf("text-delta")).toBeLessThan(types.indexOf("model-response"));
  });

  test("a character of two halves that comes in two pieces", async () => {
    const { events } = await watched(
      execute({ model: scriptedModel([{ pieces: ["a😀".slice(0, 2), "a😀".slice(2)] }]), prompt: "go", secrets }),
    );
    expect(textOf(events, "text-delta").join("")).toBe("a😀");
  });

  test("each call has its own", async () => {
    const speak = tool("speak", async ({ last }, { progress }) => {
      for (const part of ["tK9xQ2m", last ? "!" : "Z7pL4vB8nR5wY"]) {
        progress(part);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    const model = scriptedModel([asks(["speak", { last: false }], ["speak", { last: true }]), "ok"]);
    const { events } = await watched(execute({ model, tools: [speak], prompt: "go", secrets }));
    const outputs = events.flatMap((event) => (event.type === "tool-output" ? [[event.key.at(-1), event.text]] : []));
    expect(outputs).toEqual(
      expect.arrayContaining([
        ["1", "[REDACTED:TOKEN]"],
        ["2", "tK9xQ2m!"],
      ]),
    );
  });
});

describe("what the log has of it", () => {
  const use = tool("use", (_, ctx) => [ctx.secrets.get("TOKEN"), ctx.secrets.env(), ctx.secrets.get("TOKEN")].length);

  test("names and sources: once when they are resolved, once for each call that is given some", async () => {
    const store = memoryStore();
    const model = scriptedModel([asks("use", "idle"), "ok"]);
    await execute({ model, tools: [use, tool("idle", () => 1)], prompt: "go", secrets, store, session: "s" });
    const entries = await store.read("s");
    expect(ofType(entries, "secret").map(({ v, seq, at, ...entry }) => entry)).toEqual([
      {
        type: "secret",
        key: entries[0]!.key,
        action: "resolve",
        secrets: [
          { name: "TOKEN", source: "static" },
          { name: "OTHER", source: "static" },
        ],
      },
      {
        type: "secret",
        key: `${entries[0]!.key}/1/1`,
        action: "access",
        secrets: [{ name: "TOKEN", source: "static" }],
        tool: "use",
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(VALUE);
  });

  test("nothing, where there are none", async () => {
    const { events } = await watched(execute({ model: scriptedModel(["ok"]), prompt: "go" }));
    expect(ofType(events as any, "secret")).toEqual([]);
  });

  test("a log with such entries goes on, and one without them too; a replay adds none", async () => {
    const approved = use.with({ approval: true });
    const options = { tools: [approved], secrets, prompt: "go" };
    const first = waiting(await execute({ ...options, model: scriptedModel([asks("use")]) }));
    const decided = first.snapshot.decide(first.pending[0]!.callId, { approve: true });
    const { prompt: _, ...rest } = options;
    for (const keep of [true, false]) {
      const log = JSON.parse(JSON.stringify(decided));
      if (!keep) log.entries = log.entries.filter((entry: any) => entry.type !== "secret");
      const store = memoryStore();
      const result = await execute({ ...rest, log, model: scriptedModel(["ok"]), store, session: "s" });
      expect(result.status).toBe("success");
      const entries = await store.read("s");
      const again = await watched(execute({ ...rest, log: entries, model: scriptedModel([]) }));
      expect(again.result.status).toBe("success");
      expect(ofType(again.events as any, "secret")).toEqual([]);
    }
  });
});

describe("which secrets a tool may use", () => {
  const look = (name: string, more = {}) => tool(name, (_, ctx) => Object.keys(ctx.secrets.env()).join(), more);

  test("by the secret's own list, and by the tool's", async () => {
    const tools = [look("post"), look("read"), look("narrow", { secrets: ["OTHER"] }), look("none", { secrets: [] })];
    const model = scriptedModel([asks("post", "read", "narrow", "none"), "ok"]);
    await execute({ model, tools, prompt: "go", secrets });
    expect(Object.values(results(model.requests[1]!.prompt))).toEqual(["TOKEN,OTHER", "TOKEN", "", ""]);
  });

  test("what a tool may not use is taken out of what it says all the same", async () => {
    const model = scriptedModel([asks("read"), "ok"]);
    await execute({ model, tools: [tool("read", () => OTHER)], prompt: "go", secrets });
    expect(results(model.requests[1]!.prompt).call_1_1).toBe("[REDACTED:OTHER]");
  });

  test("a list that is none is refused with the tool", () => {
    expect(() => tool("x", () => 1, { secrets: "TOKEN" as any })).toThrow("secrets must be a list of names");
  });
});

describe("a parameter that is a secret", () => {
  const seen: unknown[] = [];
  const post = new Tool({
    name: "post",
    input: z.object({
      url: z.string(),
      token: z.string().min(15).describe("How to sign in."),
      other: z.string().optional(),
    }),
    secretInput: ["token", "other"],
    handler: (input) => {
      seen.push(input);
      return "posted";
    },
  });

  test("the model is shown names, the handler gets the value, and the log keeps the name", async () => {
    seen.length = 0;
    const store = memoryStore();
    const model = scriptedModel([asks(["post", { url: "/x", token: "TOKEN" }]), "ok"]);
    await execute({ model, tools: [post], prompt: "go", secrets, store, session: "s" });
    expect(model.requests[0]!.tools![0]!.inputSchema.properties.token).toEqual({
      type: "string",
      description: "How to sign in. The name of a secret, which is replaced by its value.",
      enum: ["TOKEN", "OTHER"],
    });
    expect(seen).toEqual([{ url: "/x", token: VALUE }]);
    const entries = await store.read("s");
    expect(ofType(entries, "tool-call")[0]!.input).toEqual({ url: "/x", token: "TOKEN" });
    expect(ofType(entries, "secret").at(-1)).toMatchObject({
      action: "access",
      secrets: [{ name: "TOKEN" }],
      tool: "post",
    });
    expect(JSON.stringify(entries)).not.toContain(VALUE);
  });

  test.each<[unknown]>([["NOPE"], [VALUE], [5], [null]])(
    "%j is no name, and the handler is not called",
    async (token) => {
      seen.length = 0;
      const model = scriptedModel([asks(["post", { url: "/x", token }]), "ok"]);
      await execute({ model, tools: [post], prompt: "go", secrets });
      expect(results(model.requests[1]!.prompt).call_1_1).toBe(
        '! Tool "post" received invalid input: token: is not the name of a secret\nThe secrets of this tool are: TOKEN, OTHER.',
      );
      expect(seen).toEqual([]);
    },
  );

  test("names of secrets that the tool may not use are not shown, and not taken", async () => {
    const model = scriptedModel([asks(["send", { url: "/x", token: "OTHER" }]), "ok"]);
    await execute({ model, tools: [post.rename("send")], prompt: "go", secrets });
    expect(model.requests[0]!.tools![0]!.inputSchema.properties.token.enum).toEqual(["TOKEN"]);
    expect(results(model.requests[1]!.prompt).call_1_1).toContain("The secrets of this tool are: TOKEN.");
  });

  test("goes through an approval by its name, also when the value has changed since", async () => {
    seen.length = 0;
    const approved = post.with({ approval: true });
    const options = { model: scriptedModel([asks(["post", { url: "/x", token: "TOKEN" }]), "ok"]), tools: [approved] };
    const { pending, snapshot } = waiting(await execute({ ...options, secrets, prompt: "go" }));
    expect(pending[0]!.input).toEqual({ url: "/x", token: "TOKEN" });
    const log = JSON.parse(JSON.stringify(snapshot.decide(pending[0]!.callId, { approve: true })));
    const rotated = { ...secrets, TOKEN: { static: "another-value-of-the-token" } };
    expect((await execute({ ...options, secrets: rotated, log })).status).toBe("success");
    expect(seen).toEqual([{ url: "/x", token: "another-value-of-the-token" }]);
  });

  test("alone, with a context that has secrets", async () => {
    seen.length = 0;
    const given = { names: ["TOKEN"], env: () => ({ TOKEN: VALUE }), get: () => VALUE };
    await post.execute({ url: "/x", token: "TOKEN" }, { secrets: given });
    expect(seen).toEqual([{ url: "/x", token: VALUE }]);
    await expect(post.execute({ url: "/x", token: "TOKEN" })).rejects.toMatchObject({ code: "TOOL_INPUT_INVALID" });
  });

  test("is checked with the tool", () => {
    expect(() => post.with({ secretInput: ["nope"] })).toThrow('secretInput has "nope", which its input does not have');
    expect(() => tool("x", () => 1, { input: z.string(), secretInput: ["a"] })).toThrow(
      "needs an input that is an object",
    );
    expect(() => tool("x", () => 1, { secretInput: "a" as any })).toThrow("must be a list");
    expect(tool("x", () => 1, { secretInput: ["a"] }).inputSchema.properties).toEqual({
      a: { type: "string", description: "The name of a secret, which is replaced by its value." },
    });
  });
});

describe("the model never reads one", () => {
  test("in descriptions and schemas of tools and exits", async () => {
    const exit = new Exit({
      name: "done",
      description: `with ${VALUE}`,
      schema: z.object({ a: z.string().describe(VALUE) }),
    });
    const model = scriptedModel([asks(["done", { a: "b" }])]);
    const tools = [tool("x", () => 1, { description: `uses ${VALUE}`, input: z.object({ b: z.enum([VALUE, "c"]) }) })];
    await execute({ model, tools, exits: [exit], prompt: "go", secrets });
    expect(JSON.stringify(model.requests[0])).not.toContain(VALUE);
    expect(JSON.stringify(model.requests[0])).toContain("uses [REDACTED:TOKEN]");
  });

  test("in what a hook says of an iteration or a batch", async () => {
    const odd = () => tool("odd", () => 1);
    let refused = false;
    const hooks = {
      onBeforeExecution: () => {
        if (refused) return;
        refused = true;
        throw new Error(`refused: ${VALUE}`);
      },
      onIterationStart: ({ index }: { index: number }) => {
        if (index === 2) throw new ThinkSignal("think", { token: VALUE });
      },
    };
    const model = scriptedModel([asks("odd"), asks("odd"), "ok"]);
    const result = await execute({ model, tools: [odd()], prompt: "go", secrets, hooks });
    for (const index of [0, 1, 2]) expect(requestText(model, index)).not.toContain(VALUE);
    expect(requestText(model, 1)).toContain("[REDACTED:TOKEN]");
    expect(JSON.stringify([result.messages, result.iterations])).not.toContain(VALUE);
  });

  test("from a log that is older than the secrets", async () => {
    const store = memoryStore();
    const talk = (prompt: string, more = {}) => {
      const model = scriptedModel([asks(["odd", { text: VALUE }]), `I say ${VALUE}`]);
      return {
        model,
        run: execute({ model, tools: [tool("odd", () => VALUE)], prompt, store, session: "s", ...more }),
      };
    };
    await talk(`it is ${VALUE}`).run;
    const { model, run } = talk("and now?", { secrets });
    const { events, result } = await watched(run);
    expect(JSON.stringify([model.requests.map(({ prompt }) => prompt), events, result.messages])).not.toContain(VALUE);
  });
});

describe("redact", () => {
  const said = "mail me@example.com, ghp_R4nd0mT0kenWithManyLettersAnd1234567, E-123456";
  const run = async (options: object, pieces = [...said]) => {
    const { events, result } = await watched(execute({ model: scriptedModel([{ pieces }]), prompt: said, ...options }));
    expect(textOf(events, "text-delta").join("")).toBe(result.output);
    return result.output;
  };

  test("known shapes, own patterns and functions, in their order, after secrets", async () => {
    expect(await run({})).toBe(said);
    expect(await run({ redact: ["email"] })).toBe(
      "mail [REDACTED:email], ghp_R4nd0mT0kenWithManyLettersAnd1234567, E-123456",
    );
    expect(await run({ redact: ["email", "token", { name: "employee", pattern: /E-\d+/ }] })).toBe(
      "mail [REDACTED:email], [REDACTED:token], [REDACTED:employee]",
    );
    const hide = (text: string) => text.replaceAll("mail", "x");
    expect(await run({ redact: [hide, { name: "x", pattern: /mail|x \w+/g }] })).toMatch(/^\[REDACTED:x\]@example/);
    const given = { secrets: { WHO: { static: "me@example.com" } }, redact: ["email"] };
    expect(await run(given)).toContain("[REDACTED:WHO]");
  });

  test("a function that fails takes out all of the text", async () => {
    const fails = () => {
      throw new Error("no");
    };
    expect(await run({ redact: [fails] })).toBe("[REDACTED]");
    expect(await run({ redact: [() => undefined as any] })).toBe("[REDACTED]");
  });

  test.each([[["nope"]], [[{ name: "a b", pattern: /x/ }]], [[{ name: "a" }]], [[null]], ["email"]])(
    "%j is no rule",
    async (redact) => {
      await expect(execute({ model: scriptedModel([]), prompt: "x", redact: redact as any })).rejects.toMatchObject({
        code: "OPTIONS_INVALID",
      });
    },
  );

  test("a result takes out of other texts what its run took out", async () => {
    const result = await execute({ model: scriptedModel(["ok"]), prompt: "go", secrets, redact: ["email"] });
    expect(result.redact({ a: [VALUE, "me@example.com"] })).toEqual({ a: ["[REDACTED:TOKEN]", "[REDACTED:email]"] });
    const open = await execute({ model: scriptedModel(["ok"]), prompt: "go" });
    expect(open.redact(VALUE)).toBe(VALUE);
  });
});
