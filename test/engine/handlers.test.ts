import { describe, expect, test } from "vitest";
import { z } from "zod";
import { HaftError, ok, type ToolContext } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, never, ofType, results, scriptedModel, tool, watched } from "./support.ts";

const throwing = (value: unknown) => () => {
  throw value;
};

/** Fails at whatever is asked of it. */
const hostile: any = new Proxy(() => {}, {
  get: throwing(new Error("get")),
  has: throwing(new Error("has")),
  ownKeys: throwing(new Error("ownKeys")),
  getPrototypeOf: throwing(new Error("getPrototypeOf")),
  getOwnPropertyDescriptor: throwing(new Error("getOwnPropertyDescriptor")),
  apply: throwing(new Error("apply")),
});

const withGetters = Object.defineProperties(new Error("hidden"), {
  message: { get: throwing(new Error("message")) },
  code: { get: throwing(new Error("code")) },
  name: { get: throwing(new Error("name")) },
});

const circular: any = {};
circular.self = circular;

/** Runs one call of this handler; gives what the model read of it. */
async function read(handler: (input: any, ctx: ToolContext) => any, more = {}): Promise<string | undefined> {
  const model = scriptedModel([asks("odd"), "ok"]);
  const store = memoryStore();
  const options = { model, tools: [tool("odd", handler, more)], prompt: "go", store, session: "s" };
  const { events, result } = await watched(execute(options));
  expect(result).toMatchObject({ status: "success", output: "ok" });
  expect(ofType(events, "tool-end")).toHaveLength(1);
  expect(faults(result.messages)).toEqual([]);
  JSON.stringify(await store.read("s"));
  return results(model.requests[1]!.prompt).call_1_1;
}

describe("whatever a handler throws is a failure that the model reads", () => {
  test.each<[string, unknown, RegExp]>([
    ["undefined", undefined, /^! /],
    ["null", null, /^! /],
    ["zero", 0, /^! 0$/],
    ["a text", "no", /^! no$/],
    ["an empty text", "", /^! /],
    ["true", true, /^! true$/],
    ["a big integer", 5n, /^! /],
    ["a symbol", Symbol("s"), /^! /],
    ["a function", () => 1, /^! /],
    ["an object", { reason: "no" }, /^! \{"reason":"no"\}$/],
    ["a list", ["a", "b"], /^! /],
    ["an object with a null prototype", Object.create(null), /^! /],
    ["a circular object", circular, /^! /],
    ["a frozen error", Object.freeze(new Error("frozen")), /^! frozen$/],
    ["an error without a message", new Error(), /^! Error$/],
    ["an error with getters that throw", withGetters, /^! /],
    ["a proxy that fails at everything", hostile, /^! /],
    ["a promise", Promise.resolve(1), /^! /],
    ["an error with a code", Object.assign(new Error("busy"), { code: "EBUSY" }), /^! busy$/],
    ["an error whose code is no text", Object.assign(new Error("busy"), { code: {} }), /^! busy$/],
    ["a HaftError whose data cannot be written", new HaftError("X", "data", { data: { f: () => 1 } }), /^! data$/],
    ["a HaftError with a hint", new HaftError("X", "what", { hint: "Do this." }), /^! what\nDo this\.$/],
    ["the store's own code", new HaftError("STORE_FAILED", "not this store"), /^! not this store$/],
    ["an error of an abort", new DOMException("aborted", "AbortError"), /^! aborted$/],
  ])("%s", async (_, thrown, says) => {
    expect(await read(throwing(thrown))).toMatch(says);
    expect(await read(async () => throwing(thrown)())).toMatch(says);
  });

  test("no stack and no path of this machine reach the model", async () => {
    const text = await read(() => (undefined as any).property);
    expect(text).toMatch(/^! Cannot read properties of undefined/);
    expect(text).not.toMatch(/\n\s+at |\.ts:/);
  });

  test("and may be retried, whatever it is", async () => {
    for (const thrown of [undefined, null, hostile, withGetters]) {
      let calls = 0;
      await read(
        () => {
          calls++;
          throw thrown;
        },
        { retry: ({ attempt }: any) => attempt < 2 },
      );
      expect(calls).toBe(2);
    }
  });
});

describe("whatever a handler gives is a result, or a failure that says what cannot be one", () => {
  test.each<[string, () => unknown, RegExp]>([
    ["a function", () => () => 1, /^! output is a function/],
    ["a symbol", () => Symbol("s"), /^! output is a symbol/],
    ["a circular object", () => circular, /^\{"self":"\[circular: value\]"\}$/],
    [
      "a promise inside",
      () => ({ later: Promise.resolve(1) }),
      /^! output\.later is a promise \(was an await forgotten\?\)/,
    ],
    [
      "an object with getters that throw",
      () => ({
        get x() {
          throw new Error("x");
        },
      }),
      /^! /,
    ],
    ["a proxy that fails at everything", () => hostile, /^! /],
    ["a response", () => new Response("x"), /^! output is an object of the class Response/],
    [
      "nesting without end",
      () => {
        let deep: any = {};
        for (let n = 0; n < 5000; n++) deep = { deep };
        return deep;
      },
      /^! .*nested deeper/,
    ],
    ["a big integer", () => 5n, /^5$|^"5"$/],
    ["not a number", () => Number.NaN, /^"?NaN"?$/],
    ["an error", () => new Error("returned"), /returned/],
    ["bytes", () => new Uint8Array([1, 2, 3]), /^"?AQID"?$/],
    ["a map", () => new Map([["a", 1]]), /^\{"a":1\}$/],
    ["ok of ok", () => ok(ok(1) as any), /./],
    ["a thenable", () => ({ then: (resolve: any) => resolve("thenable") }), /^thenable$/],
    ["a thenable that throws", () => ({ then: throwing(new Error("no then")) }), /^! no then$/],
    [
      "an object whose then throws",
      () => ({
        get then() {
          throw new Error("no then");
        },
      }),
      /^! no then$/,
    ],
  ])("%s", async (_, handler, says) => {
    expect(await read(handler)).toMatch(says);
  });

  test("what knows itself comes back as such, in the log, in assigns and in a hook", async () => {
    const { self } = circular;
    const seen: any[] = [];
    const onAfterTool = ({ output }: { output: unknown }) => void seen.push(output);
    const model = scriptedModel([asks("first"), asks("second"), "ok"]);
    const first = tool("first", () => ok(self, { assigns: { self } }));
    const second = tool("second", (_, { assigns }) => void seen.push(assigns.self));
    const store = memoryStore();
    const options = { model, tools: [first, second], hooks: { onAfterTool }, prompt: "go", store, session: "s" };
    const { events, result } = await watched(execute(options));
    expect(result.status).toBe("success");
    const [output] = ofType(JSON.parse(JSON.stringify(await store.read("s"))), "tool-end");
    expect(output).toMatchObject({ output: { $haft: "graph", nodes: [{ self: { $haft: "ref", node: 0 } }] } });
    expect(seen.filter(Boolean).map((value) => value.self === value)).toEqual([true, true]);
    expect(ofType(events, "tool-end")).toHaveLength(2);
  });

  test("assigns that hold one object in more places than there is time are copied", async () => {
    let many: unknown[] = [];
    for (let level = 0; level < 40; level++) many = [many, many];
    const knot: Record<string, unknown> = { when: new Date(0), many };
    knot.self = knot;
    const seen: any[] = [];
    const model = scriptedModel([asks("first"), asks("second"), "ok"]);
    const first = tool("first", () => ok(1, { assigns: { knot } }));
    const second = tool("second", (_, { assigns }) => void seen.push(assigns.knot));
    const store = memoryStore();
    const tools = [first, second];
    expect((await execute({ model, tools, prompt: "go", store, session: "s" })).status).toBe("success");
    await execute({ model: scriptedModel(["ok"]), tools, prompt: "more", store, session: "s" });
    expect([seen[0].self === seen[0], seen[0].when]).toEqual([true, new Date(0)]);
  });

  test("200,000 characters are whole", async () => {
    expect(await read(() => "x".repeat(200_000), { resultLimit: false })).toHaveLength(200_000);
  });
});

describe("a handler that never comes back", () => {
  test.each<[string, () => unknown]>([
    ["a promise", () => never],
    ["a thenable", () => ({ then() {} })],
    [
      "a proxy of a promise",
      () => new Proxy(never, { get: (target, name) => (name === "then" ? () => {} : (target as any)[name]) }),
    ],
  ])("%s: its time limit ends the call", async (_, handler) => {
    expect(await read(handler, { timeoutMs: 30 })).toMatch(/^! Tool "odd" did not finish within 30 ms/);
  });

  test("a validation that never comes back ends with an abort", async () => {
    const slow = z.object({}).refine(() => never as Promise<boolean>);
    const model = scriptedModel([asks("odd")]);
    const run = execute({ model, tools: [tool("odd", () => 1, { input: slow })], prompt: "go" });
    setTimeout(() => run.abort(), 30);
    const result = await run;
    expect(result.stopReason).toBe("aborted");
    expect(results(result.messages).call_1_1).toMatch(/^! Not done/);
  });
});

describe("input that a model may send", () => {
  test.each<[string, string]>([
    ["a text", '"text"'],
    ["a number", "5"],
    ["null", "null"],
    ["a list", "[1,2]"],
    ["nothing", ""],
    ["a prototype", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
    ["a tag of the codec", '{"$haft":"date","value":"1970-01-01T00:00:00.000Z"}'],
    ["an unknown tag", '{"$haft":"evil"}'],
    ["a thenable", '{"then":1}'],
    ["a key named toJSON", '{"toJSON":1}'],
    ["nesting", `${"[".repeat(500)}${"]".repeat(500)}`],
  ])("%s", async (_, text) => {
    const seen: unknown[] = [];
    const model = scriptedModel([asks(["odd", text]), "ok"]);
    const odd = tool("odd", (input) => void seen.push(input));
    const store = memoryStore();
    const result = await execute({ model, tools: [odd], prompt: "go", store, session: "s" });
    expect(result.status).toBe("success");
    expect(seen).toHaveLength(1);
    expect(({} as any).polluted).toBeUndefined();
    const replayed = await execute({ model: scriptedModel([]), tools: [odd], store, session: "s" });
    expect(replayed.messages).toEqual(result.messages);
  });

  test("an unknown tool with a name that is no name", async () => {
    for (const name of ["__proto__", "constructor", "toString", "a b", "", "x".repeat(10_000)]) {
      const model = scriptedModel([asks(name), "ok"]);
      const result = await execute({ model, tools: [tool("odd", () => 1)], prompt: "go" });
      expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! There is no tool/);
      expect(result.status).toBe("success");
    }
  });
});
