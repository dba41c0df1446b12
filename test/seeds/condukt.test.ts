/** Seeds 000 and 001: custom tools, tools with options, the built-in sets and what `call/2` is given and gives. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { executeTool, fail, Tool, toolName, toolSpec } from "../../src/index.ts";
import { local } from "../../src/sandbox/index.ts";
import { codingTools, readOnlyTools } from "../../src/tools/index.ts";
import { Database, databases, OpenDatabase, readOnlyWithWeather, Weather } from "./condukt.ts";
import { call, play, shownSchema, toldResults } from "./play.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-condukt-"));
  await writeFile(join(folder, "notes.txt"), "Bring an umbrella.\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("built-in tool sets", () => {
  test("coding tools are Read, Bash, Edit and Write; read-only tools are Read and Bash", () => {
    expect(codingTools().map(toolName)).toEqual(["Read", "Bash", "Edit", "Write"]);
    expect(readOnlyTools().map(toolName)).toEqual(["Read", "Bash"]);
  });

  test("a set and an extra: the model is shown all of them, and they work side by side", async () => {
    await using sandbox = disposable(await local({ cwd: folder }));
    const { model } = await play(
      { tools: readOnlyWithWeather(), sandbox: sandbox.value },
      {
        toolCalls: [
          { name: "Read", input: { path: "notes.txt" } },
          { name: "Bash", input: { command: "echo $((20 + 3))" } },
          { name: "get_weather", input: { location: "Utrecht" } },
        ],
      },
      "Rain.",
    );
    expect(model.requests[0]!.tools!.map((tool) => tool.name)).toEqual(["Read", "Bash", "get_weather"]);
    const [read, bash, weather] = toldResults(model.requests[1]);
    expect(read).toContain("Bring an umbrella.");
    expect(bash).toContain("23");
    expect(weather).toBe("Temperature: 61F");
  });
});

describe("Weather, a custom tool", () => {
  test("its JSON Schema is what the model is shown", () => {
    expect(toolSpec(Weather)).toEqual({
      name: "get_weather",
      description: "Gets the current weather for a location",
      parameters: {
        type: "object",
        properties: { location: { type: "string", description: "City name" } },
        required: ["location"],
      },
    });
  });

  test("an error is told to the model, which can recover", async () => {
    const script = [
      call("get_weather", { location: "Atlantis" }),
      call("get_weather", { location: "Utrecht" }),
      "61F.",
    ];
    const { model, result } = await play({ tools: [Weather] }, ...script);
    expect(toldResults(model.requests[2])).toEqual(["There is no station in Atlantis", "Temperature: 61F"]);
    expect(model.requests[2]!.prompt.at(-3).content[0].output.type).toBe("error-text");
    expect(result.output).toBe("61F.");
  });

  test("what its schema does not allow does not reach it", async () => {
    const outcome = await executeTool(Weather, { location: 7 });
    expect(outcome).toMatchObject({ ok: false, error: { code: "TOOL_INPUT_INVALID" } });
  });
});

describe("Database, a tool that is added twice", () => {
  test("each has a name, a description and options of its own", async () => {
    const queries = [
      { name: "query_users", input: { q: "a" } },
      { name: "query_orders", input: { q: "1" } },
    ];
    const { model } = await play({ tools: databases() }, { toolCalls: queries }, "Done.");

    expect(model.requests[0]!.tools!.map(({ name, description }) => [name, description])).toEqual([
      ["query_users", "Query the users table"],
      ["query_orders", "Query the orders table"],
    ]);
    expect(shownSchema(model.requests[0], "query_users")).toEqual(shownSchema(model.requests[0], "query_orders"));
    expect(toldResults(model.requests[1])).toEqual([
      '{"table":"users","rows":["Ada","Grace"]}',
      '{"table":"orders","rows":["#1"]}',
    ]);
  });

  test("withOptions says the same as a pair", async () => {
    expect(await Database.withOptions({ table: "orders" }).execute({ q: "#" })).toEqual({
      table: "orders",
      rows: ["#1"],
    });
  });

  test("without options it is refused", async () => {
    expect(await executeTool(Database, { q: "a" })).toMatchObject({
      ok: false,
      error: { code: "TOOL_OPTIONS_INVALID" },
    });
  });

  test("without parameters it takes anything", async () => {
    const tools = [OpenDatabase.withOptions({ table: "users" })];
    const { model } = await play({ tools }, call("query_users", { name: "Grace" }), "Done.");
    expect(shownSchema(model.requests[0], "query_users")).toMatchObject({ type: "object" });
    expect(toldResults(model.requests[1])).toEqual(['{"table":"users","rows":["Grace"]}']);
  });
});

describe("Condukt.Tool's own functions", () => {
  test("name, to_spec and execute read every form of an entry", async () => {
    const entry = databases()[0]!;
    expect(toolName(entry)).toBe("query_users");
    expect(toolSpec(entry)).toMatchObject({ name: "query_users", parameters: { required: ["q"] } });
    expect(await executeTool(entry, { q: "Ada" })).toEqual({ ok: true, output: { table: "users", rows: ["Ada"] } });
    expect(await executeTool(Weather, { location: "Atlantis" })).toMatchObject({
      ok: false,
      error: { message: "There is no station in Atlantis" },
    });
  });
});

test("the context: agent, session, sandbox, cwd, secrets and options", async () => {
  await using sandbox = disposable(await local({ cwd: folder }));
  const agent = { name: "forecaster" };
  const Look = new Tool({
    name: "look",
    async handler(_, ctx) {
      return {
        agent: ctx.agent === agent,
        session: ctx.session,
        notes: Buffer.from(await ctx.sandbox.readFile("notes.txt")).toString(),
        cwd: ctx.cwd,
        secrets: Object.keys(ctx.secrets.env()),
        options: ctx.options,
      };
    },
  });
  const { events } = await play(
    {
      tools: [[Look, { depth: 2 }]],
      agent,
      session: "morning",
      sandbox: sandbox.value,
      cwd: folder,
      secrets: { API_KEY: { static: "not-for-the-model" } },
    },
    call("look"),
    "Done.",
  );
  expect(events).toContainEqual(
    expect.objectContaining({
      type: "tool-end",
      output: {
        agent: true,
        session: "morning",
        notes: "Bring an umbrella.\n",
        cwd: folder,
        secrets: ["API_KEY"],
        options: { depth: 2 },
      },
    }),
  );
});

describe("returning results", () => {
  test.each<[string, unknown, string]>([
    ["text, as it is", 'say "hi"', 'say "hi"'],
    ["a map, as JSON", { temp: 61 }, '{"temp":61}'],
    ["a list, as JSON", [1, "two"], '[1,"two"]'],
  ])("%s", async (_, value, told) => {
    const Give = new Tool({ name: "give", handler: () => value });
    const { model } = await play({ tools: [Give] }, call("give"), "Done.");
    expect(toldResults(model.requests[1])).toEqual([told]);
  });

  test("fail(reason) and a thrown error are both told, and neither ends the run", async () => {
    const Refuse = new Tool({ name: "refuse", handler: () => fail("Not today") });
    const Break = new Tool({
      name: "break_down",
      handler: () => {
        throw new Error("Out of steam");
      },
    });
    const toolCalls = [{ name: "refuse" }, { name: "break_down" }];
    const { model, result } = await play({ tools: [Refuse, Break] }, { toolCalls }, "Sorry.");
    expect(toldResults(model.requests[1])).toEqual(["Not today", "Out of steam"]);
    expect(result.status).toBe("success");
  });
});

function disposable<T extends { dispose(): Promise<void> }>(value: T) {
  return { value, [Symbol.asyncDispose]: () => value.dispose() };
}
