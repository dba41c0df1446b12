import { describe, expect, test } from "vitest";
import { fail, ok, Tool } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { codeMode } from "../../src/vm/index.ts";
import { asks, execute, ofType, results, scriptedModel, tool } from "./support.ts";

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}: ${"x".repeat(20)}`).join("\n");
const long = lines(5_000);
const dump = tool("dump", () => long);

const toolNames = (request: any) => (request.tools ?? []).map(({ name }: any) => name);

/** Asks for the call that a preview or a placeholder names. */
function reading(more: object) {
  return (request: any) => {
    const [, call] = /read_result\(\{ "call": "([^"]+)"/.exec(Object.values(results(request.prompt)).join("\n"))!;
    return asks(["read_result", { call, ...more }]);
  };
}

function last(model: { requests: readonly any[] }): string {
  return Object.values(results(model.requests.at(-1)!.prompt)).at(-1)!;
}

const partsOf = (message: any) => message.content[0].output.value;

describe("a result that is too long", () => {
  test("is whole in the log; the model reads its beginning and its end, and how to read on", async () => {
    const model = scriptedModel([asks("dump"), "done"]);
    const store = memoryStore();
    const result = await execute({ model, tools: [dump], store, session: "s", prompt: "go" });
    const read = last(model);
    expect(long.length).toBeGreaterThan(100_000);
    expect(read.length).toBeLessThan(11_000);
    expect(read.startsWith("line 0: xxx")).toBe(true);
    expect(read.endsWith(`line 4999: ${"x".repeat(20)}`)).toBe(true);
    const [, from, to] = /Characters (\d+) to (\d+) of (\d+) are left out here/.exec(read)!;
    expect(read.slice(0, Number(from))).toBe(long.slice(0, Number(from)));
    expect(read.endsWith(long.slice(Number(to)))).toBe(true);
    const key = `${result.run}/1/1`;
    expect(read).toContain(`read_result({ "call": "${key}", "offset": ${from} }) reads on`);
    const [end] = ofType(await store.read("s"), "tool-end");
    expect(end).toMatchObject({ key, output: long });
    expect(end).not.toHaveProperty("limit"); // where it is what it always is
  });

  test("read_result is there from the next request on, and not before", async () => {
    const model = scriptedModel([asks("dump"), reading({ offset: 7_000 }), "done"]);
    await execute({ model, tools: [dump], prompt: "go" });
    expect(model.requests.map(toolNames)).toEqual([["dump"], ["dump", "read_result"], ["dump", "read_result"]]);
    expect(last(model)).toMatch(/^\[Characters 7000 to \d+ of \d+; go on with offset \d+\]\n/);
  });

  test("can be read to its end, piece by piece, without a character twice or never", async () => {
    let read = "";
    const next = (request: any) => {
      const shown = Object.values(results(request.prompt)).at(-1)!;
      const [header, text] = [shown.slice(0, shown.indexOf("\n")), shown.slice(shown.indexOf("\n") + 1)];
      if (header.startsWith("[Characters")) read += text;
      const offset = /go on with offset (\d+)/.exec(header)?.[1];
      return header.includes("the end") ? "done" : reading({ offset: Number(offset ?? 0) })(request);
    };
    const model = scriptedModel(
      Array(20)
        .fill(0)
        .map((_, n) => (n === 0 ? asks("dump") : next)),
    );
    await execute({ model, tools: [dump], prompt: "go", iterations: 20 });
    expect(read).toBe(long);
  });

  test("grep gives the lines that have a text, each with its place", async () => {
    const model = scriptedModel([asks("dump"), reading({ grep: "LINE 4321" }), "done"]);
    await execute({ model, tools: [dump], prompt: "go" });
    const place = long.indexOf("line 4321");
    expect(last(model)).toBe(
      `[Lines with "LINE 4321", each after the place of the text in it; these are all]\n${place}: line 4321: ${"x".repeat(20)}`,
    );
  });

  test("grep is bounded, and says where to go on; what has no such line says so", async () => {
    const model = scriptedModel([asks("dump"), reading({ grep: "line" }), reading({ grep: "nothing" }), "done"]);
    await execute({ model, tools: [dump], prompt: "go" });
    const all = Object.values(results(model.requests.at(-1)!.prompt));
    expect(all[1]!.split("\n")).toHaveLength(101);
    const [, offset] = /go on with offset (\d+)\]/.exec(all[1]!)!;
    expect(long.slice(Number(offset)).startsWith("line 100:")).toBe(true);
    expect(all[2]).toBe('[No line from character 0 on has "nothing"]');
  });

  test.each([
    [{ call: "run_x/1/1" }, 'There is no result of a call "run_x/9/9"'],
    [{ offset: 9_999_999 }, "there is nothing at 9999999"],
    [{ offset: -1 }, "offset"],
  ])("%j is an error that the model reads", async (more, message) => {
    const wanted = "call" in more ? asks(["read_result", { call: "run_x/9/9" }]) : reading(more);
    const model = scriptedModel([asks("dump"), wanted, "done"]);
    const result = await execute({ model, tools: [dump], prompt: "go" });
    expect(result.output).toBe("done");
    expect(last(model)).toMatch(/^! /);
    expect(last(model)).toContain(message);
  });

  test("a run that goes on, and the next one of the session, read the same bytes and have the tool", async () => {
    const store = memoryStore();
    const first = scriptedModel([asks("dump"), "done"]);
    const whole = await execute({ model: first, tools: [dump], store, session: "s", prompt: "go" });
    const kept = await store.read("s");
    const again = scriptedModel(["done"]);
    const log = kept.slice(0, kept.findIndex(({ type }) => type === "iteration-end") + 1);
    await execute({ model: again, tools: [dump], log });
    expect(again.requests[0]!.prompt).toEqual(first.requests[1]!.prompt);
    expect(toolNames(again.requests[0])).toEqual(["dump", "read_result"]);
    const next = scriptedModel([reading({ grep: "line 4999" }), "found"]);
    const result = await execute({ model: next, tools: [dump], store, session: "s", prompt: "And the last line?" });
    expect(result.messages.slice(0, whole.messages.length)).toEqual(whole.messages);
    expect(last(next)).toContain("line 4999");
  });

  test("an error that is too long is cut the same way", async () => {
    const model = scriptedModel([asks("fails"), reading({ offset: 0, limit: 30 }), "done"]);
    await execute({ model, tools: [tool("fails", () => fail(long))], prompt: "go" });
    const read = Object.values(results(model.requests[1]!.prompt))[0]!;
    expect(read).toMatch(/^! line 0/);
    expect(read.length).toBeLessThan(11_000);
    expect(last(model)).toContain("line 0: xxx");
  });

  test("images are never cut; the text beside them is", async () => {
    const data = "A".repeat(200_000);
    const image = { type: "image" as const, data, mediaType: "image/png" };
    const look = tool("look", () => ok({}, { content: [image, { type: "text", text: long }] }));
    const model = scriptedModel([asks("look"), reading({}), "done"]);
    const { messages } = await execute({ model, tools: [look], prompt: "go" });
    const [text, picture] = partsOf(messages[2]);
    expect(text.text).toContain("are left out here");
    expect(picture).toMatchObject({ type: "image-data", data });
    expect(partsOf(messages[4]).map(({ type }: any) => type)).toEqual(["text", "image-data"]);
  });

  test("no character is cut in two", async () => {
    const smileys = tool("smileys", () => `a${"😀".repeat(40_000)}`);
    const model = scriptedModel([asks("smileys"), reading({ offset: 101, limit: 333 }), "done"]);
    await execute({ model, tools: [smileys], prompt: "go" });
    for (const text of Object.values(results(model.requests.at(-1)!.prompt)))
      expect(Buffer.from(text).toString()).toBe(text);
  });

  test("secrets are out of the preview and of what is read on", async () => {
    const leaks = tool("leaks", () => `${"x".repeat(7_490)}hunter2-hunter2-hunter2${"y".repeat(60_000)}`);
    const secrets = { PASSWORD: { static: "hunter2-hunter2-hunter2" } };
    const model = scriptedModel([asks("leaks"), reading({ offset: 7_400, limit: 300 }), "done"]);
    await execute({ model, tools: [leaks], secrets, prompt: "go" });
    const said = JSON.stringify(model.requests);
    expect(said).not.toContain("hunter2");
    expect(last(model)).toContain("[REDACTED:PASSWORD]");
  });
});

describe("the limit", () => {
  const middle = tool("middle", () => lines(100));
  const readBy = async (options: object, tools = [middle]) => {
    const model = scriptedModel([asks("middle"), "done"]);
    const store = memoryStore();
    await execute({ model, tools, store, session: "s", prompt: "go", ...options });
    const next = scriptedModel(["done"]);
    await execute({ model: next, tools, store, session: "s", prompt: "go on" });
    expect(next.requests[0]!.prompt.slice(0, 3)).toEqual(model.requests[1]!.prompt); // whatever the limit is by then
    return last(model);
  };

  test("is the run's, and a tool's own where it has one", async () => {
    expect(await readBy({})).toBe(lines(100));
    expect(await readBy({ resultLimit: 1_000 })).toContain("are left out here");
    expect(await readBy({ resultLimit: 1_000 }, [middle.with({ resultLimit: 10_000 })])).toBe(lines(100));
    expect(await readBy({}, [middle.with({ resultLimit: 1_000 })])).toContain("are left out here");
    expect(await readBy({ resultLimit: 1_000 }, [middle.with({ resultLimit: false })])).toBe(lines(100));
  });

  test("false: everything is read", async () => {
    const model = scriptedModel([asks("dump"), "done"]);
    await execute({ model, tools: [dump], prompt: "go", resultLimit: false });
    expect(last(model)).toBe(long);
    expect(toolNames(model.requests[1])).toEqual(["dump"]);
  });

  test("what read_result gives fits into it", async () => {
    const model = scriptedModel([asks("dump"), reading({}), "done"]);
    await execute({ model, tools: [dump], prompt: "go", resultLimit: 500 });
    expect(last(model).length).toBeLessThan(500);
  });

  test("that does not fit is refused", async () => {
    await expect(execute({ model: scriptedModel([]), prompt: "go", resultLimit: 10 })).rejects.toMatchObject({
      code: "OPTIONS_INVALID",
    });
    expect(() => new Tool({ name: "t", handler: () => 1, resultLimit: 1.5 })).toThrow("resultLimit must be an integer");
  });
});

test("a tool of that name that the run has is the one that counts", async () => {
  const own = tool("read_result", () => "mine");
  const model = scriptedModel([asks("dump"), reading({}), "done"]);
  await execute({ model, tools: [dump, own], prompt: "go" });
  expect(toolNames(model.requests[1])).toEqual(["dump", "read_result"]);
  expect(last(model)).toBe("mine");
});

test("with dynamic tools it is there as well", async () => {
  const model = scriptedModel([asks("dump"), reading({ limit: 9 }), "done"]);
  await execute({ model, tools: () => [dump], prompt: "go" });
  expect(last(model)).toContain("line 0: x");
});

test("a program has the whole value, and no such tool", async () => {
  const model = scriptedModel([
    (request: any) => ({
      toolCalls: [{ name: request.tools[0].name, input: { code: "const text = await dump({}); return text.length;" } }],
    }),
    "done",
  ]);
  const result = await execute({ model, mode: codeMode({ typecheck: false }), tools: [dump], prompt: "go" });
  expect(result.output).toBe("done");
  expect(last(model)).toContain(String(long.length));
  expect(toolNames(model.requests[1])).toEqual(toolNames(model.requests[0]));
});
