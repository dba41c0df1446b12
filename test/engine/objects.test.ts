import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  Autonomous,
  type DynamicContext,
  type Entry,
  Exit,
  type Hooks,
  ObjectInstance,
  type PropertyDefinition,
  Tool,
} from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { plainSchema } from "../core/standard-schemas.ts";
import { asks, execute, gate, noting, ofType, results, scriptedModel, tool, waiting, watched } from "./support.ts";

const status = z.enum(["open", "cancelled", "paid"]);

const orders = (...tools: Tool[]) =>
  new Autonomous.Object({
    name: "Orders",
    description: "Those of one customer.",
    properties: [
      { name: "status", type: status, value: "open", writable: true, description: "How the last one stands" },
      { name: "note", value: undefined, writable: true },
      { name: "customer", value: { name: "Ada" } },
    ],
    tools,
  });

const set = (value: unknown, property = "status"): [string, unknown] => [`Orders_set_${property}`, { value }];
const get = "Orders_get";

/** What the model read of its calls, one list an answer. */
async function readings(steps: Parameters<typeof asks>[], options: Partial<Parameters<typeof execute>[0]> = {}) {
  const model = scriptedModel([...steps.map((calls) => asks(...calls)), "ok"]);
  const { events, result } = await watched(execute({ model, objects: [orders()], prompt: "go", ...options }));
  const read = results(result.messages);
  const lists = steps.map((calls, step) => calls.map((_, call) => read[`call_${step + 1}_${call + 1}`]));
  return { lists, model, result, states: ofType(events, "state") };
}

describe("what a model is shown", () => {
  test("the object's tools, one that reads its properties, and one for each that it may set", async () => {
    const cancel = tool("cancel", () => 1, { description: "Cancels one", input: z.object({ id: z.string() }) });
    const { model } = await readings([], { objects: [orders(cancel)], tools: [tool("look", () => 1)] });
    expect(model.requests[0]!.tools).toMatchObject([
      { name: "look" },
      { name: "Orders_cancel", description: "Cancels one", inputSchema: cancel.inputSchema },
      {
        name: "Orders_get",
        description: "Gives the properties of Orders. Those of one customer.\n- status: How the last one stands",
        inputSchema: { type: "object", properties: {}, additionalProperties: false },
      },
      {
        name: "Orders_set_status",
        description: "Sets Orders.status. How the last one stands",
        inputSchema: {
          type: "object",
          properties: { value: { type: "string", enum: status.options } },
          required: ["value"],
          additionalProperties: false,
        },
      },
      { name: "Orders_set_note", description: "Sets Orders.note.", inputSchema: { properties: { value: {} } } },
    ]);
  });

  test("nothing for properties that are not there, or cannot be set", async () => {
    const names = async (definition: { properties?: PropertyDefinition[]; tools?: Tool[] }) => {
      const { model } = await readings([], { objects: [new ObjectInstance({ name: "A", ...definition })] });
      return (model.requests[0]!.tools ?? []).map(({ name }) => name);
    };
    expect(await names({})).toEqual([]);
    expect(await names({ tools: [tool("b", () => 1)] })).toEqual(["A_b"]);
    expect(await names({ properties: [{ name: "c" }] })).toEqual(["A_get"]);
  });

  test("a schema of an object stays under the value, with its references", async () => {
    const type = { $ref: "#/$defs/home", $defs: { home: { type: "object", properties: { zip: { type: "string" } } } } };
    const properties = [{ name: "home", type, value: {}, writable: true }];
    const { model } = await readings([], { objects: [new ObjectInstance({ name: "A", properties })] });
    expect(model.requests[0]!.tools![1]!.inputSchema).toMatchObject({
      properties: { value: { $ref: "#/$defs/home" } },
      $defs: { home: { type: "object" } },
    });
  });
});

describe("properties", () => {
  test("are read, set and read again; what changed is an entry of the log, under the call's number", async () => {
    const { lists, states, result } = await readings([[get], [set("cancelled"), set("late", "note")], [get]]);
    expect(lists).toEqual([
      ['{"status":"open","customer":{"name":"Ada"}}'],
      ["cancelled", "late"],
      ['{"status":"cancelled","note":"late","customer":{"name":"Ada"}}'],
    ]);
    expect(states.map(({ key, path, before, after }) => ({ key, path, before, after }))).toEqual([
      { key: `${result.run}/2/w1`, path: "Orders.status", before: "open", after: "cancelled" },
      { key: `${result.run}/2/w2`, path: "Orders.note", before: undefined, after: "late" },
    ]);
    expect("before" in states[1]!).toBe(false);
  });

  test("set to what they are give no entry", async () => {
    const { lists, states } = await readings([
      [set("open")],
      [set({ a: 1, b: [2] }, "note")],
      [set({ b: [2], a: 1 }, "note")],
    ]);
    expect(lists[0]).toEqual(["open"]);
    expect(states).toHaveLength(1);
  });

  test.each([
    ["an unfit value", set("lost"), /^! The value does not fit Orders\.status: .*"open"\|"cancelled"\|"paid"/],
    ["no value", ["Orders_set_status", {}], /^! The value does not fit Orders\.status: /],
    [
      "one that is not there",
      set(1, "total"),
      /^! There is no tool "Orders_set_total". The tools are: .*Orders_set_note/,
    ],
    ["a read-only one", set(1, "customer"), /^! There is no tool "Orders_set_customer"/],
  ])("%s is refused, and what can be done is said", async (_, call, message) => {
    const { lists, states } = await readings([[call as [string, unknown]]]);
    expect(lists[0]![0]).toMatch(message);
    expect(states).toEqual([]);
  });

  test("are what their type makes of the value", async () => {
    const properties = [
      { name: "tags", type: z.array(z.string().trim()).max(2), value: [], writable: true },
      { name: "limit", type: z.number().default(5), writable: true },
    ];
    const { lists, states } = await readings(
      [
        [
          ["A_set_tags", { value: [" a "] }],
          ["A_set_limit", { value: 7 }],
        ],
        [["A_set_limit", {}]],
        [["A_set_tags", { value: ["a", "b", "c"] }], "A_get"],
      ],
      { objects: [new ObjectInstance({ name: "A", properties })] },
    );
    expect(lists.slice(0, 2)).toEqual([['["a"]', "7"], ["5"]]);
    expect(lists[2]![0]).toMatch(/^! The value does not fit A\.tags: /);
    expect(lists[2]![1]).toBe('{"tags":["a"],"limit":5}');
    expect(states.map(({ after }) => after)).toEqual([["a"], 7, 5]);
  });

  test("whose type validates asynchronously too; its initial value is looked at before the run begins", async () => {
    const known = async (value: unknown) =>
      ["ada", "bob"].includes(value as string) ? { value: `@${value}` } : { issues: [{ message: "is not known" }] };
    const type = { schema: plainSchema("own", known), jsonSchema: { type: "string" } };
    const people = (value: string) =>
      new ObjectInstance({ name: "People", properties: [{ name: "boss", type, value, writable: true }] });
    const { lists } = await readings(
      [
        ["People_get"],
        [["People_set_boss", { value: "bob" }]],
        [["People_set_boss", { value: "eve" }]],
        ["People_get"],
      ],
      { objects: [people("ada")] },
    );
    expect(lists).toEqual([
      ['{"boss":"@ada"}'],
      ["@bob"],
      ["! The value does not fit People.boss: is not known"],
      ['{"boss":"@bob"}'],
    ]);
    const wrong = { code: "OBJECT_VALUE_INVALID", message: "The value does not fit People.boss: is not known" };
    const model = scriptedModel(["ok"]);
    await expect(execute({ model, objects: [people("eve")], prompt: "go" })).rejects.toMatchObject(wrong);
    const later = await execute({ model, objects: async () => [people("eve")], prompt: "go" });
    expect(later).toMatchObject({ status: "error", error: wrong });
    expect(model.played).toBe(0);
  });

  test("are without the run's secrets, in the log and for the model", async () => {
    const properties = [{ name: "url", value: "https://x/?key=s3cr3t-value", writable: true }];
    const { lists, states } = await readings([["A_get"], [["A_set_url", { value: "key: s3cr3t-value" }]], ["A_get"]], {
      objects: [new ObjectInstance({ name: "A", properties })],
      secrets: { KEY: { static: "s3cr3t-value" } },
    });
    expect(JSON.stringify([lists, states])).not.toContain("s3cr3t");
    expect(lists[2]).toEqual(['{"url":"key: [REDACTED:KEY]"}']);
    expect(states).toMatchObject([{ before: "https://x/?key=[REDACTED:KEY]", after: "key: [REDACTED:KEY]" }]);
  });
});

describe("tools of an object", () => {
  test("are called by name and by alias, with their own context and results", async () => {
    const seen: unknown[] = [];
    const cancel = tool(
      "cancel",
      noting(seen, ({ id }: any) => `cancelled ${id}`),
      { aliases: ["abort"], input: z.object({ id: z.string() }) },
    );
    const { lists } = await readings(
      [[["Orders_cancel", { id: "1" }]], [["Orders_abort", { id: "2" }]], [["Orders_cancel", {}]], ["cancel"]],
      { objects: [orders(cancel)] },
    );
    expect(lists.slice(0, 2)).toEqual([["cancelled 1"], ["cancelled 2"]]);
    expect(lists[2]![0]).toMatch(/^! Tool "Orders_cancel" received invalid input: id: /);
    expect(lists[3]![0]).toMatch(/^! There is no tool "cancel"/);
    expect(seen).toEqual([{ id: "1" }, { id: "2" }]);
  });

  test("of a subclass run as its own execute says", async () => {
    class Loud extends Tool {
      override async execute(input?: any, ctx?: any) {
        return `loud ${await super.execute(input, ctx)}`;
      }
    }
    const { lists } = await readings([["Orders_say"]], {
      objects: [orders(new Loud({ name: "say", handler: () => "hello" }))],
    });
    expect(lists).toEqual([["loud hello"]]);
  });

  test("are tried as often as they say, in every iteration", async () => {
    let calls = 0;
    const fails = tool(
      "fails",
      () => {
        calls++;
        throw new Error("no");
      },
      { retry: ({ attempt }) => attempt < 3 },
    );
    await readings([["Orders_fails"], ["Orders_fails"], ["Orders_fails"]], { objects: [orders(fails)] });
    expect(calls).toBe(9);
  });

  test("wait for approval, and go on with it", async () => {
    const seen: unknown[] = [];
    const pay = tool(
      "pay",
      noting(seen, () => "paid"),
      { approval: true },
    );
    const model = scriptedModel([asks("Orders_pay", set("paid")), asks(get), "ok"]);
    const options = { model, objects: [orders(pay)] };
    const { pending, snapshot } = waiting(await execute({ ...options, prompt: "go" }));
    expect(pending).toMatchObject([{ name: "Orders_pay", message: '"Orders_pay" needs approval' }]);
    expect(seen).toEqual([]);
    const end = await execute({ ...options, log: snapshot.decide(pending[0]!.callId, { approve: true }) });
    expect(results(end.messages)).toMatchObject({ call_1_1: "paid", call_1_2: "paid" });
    expect(results(end.messages).call_2_1).toContain('"status":"paid"');
    expect(seen).toHaveLength(1);
  });

  test("and properties are under the policy, by name", async () => {
    const { lists, states } = await readings([["Orders_pay", set("paid"), set("x", "note")]], {
      objects: [orders(tool("pay", () => "paid"))],
      policy: [
        { tool: "Orders_pay", then: "deny", reason: "no money" },
        { tool: "orders_set_s*", then: "deny", reason: "settled" },
      ],
    });
    expect(lists[0]![0]).toContain("no money");
    expect(lists[0]![1]).toContain("settled");
    expect(lists[0]![2]).toBe("x");
    expect(states).toHaveLength(1);
  });
});

describe("names", () => {
  const Orders = orders(tool("cancel", () => 1, { aliases: ["abort"] }));
  test.each([
    [{ objects: [Orders, orders()] }, "DUPLICATE_OBJECT", 'Two objects of this run are called "Orders"'],
    [
      { tools: [tool("Orders", () => 1)] },
      "DUPLICATE_OBJECT",
      'An object and a tool of this run are both called "Orders"',
    ],
    [
      { exits: [new Exit({ name: "ORDERS" })] },
      "DUPLICATE_OBJECT",
      'An object and an exit of this run are both called "ORDERS"',
    ],
    [
      { tools: [tool("x", () => 1, { aliases: ["Orders_abort"] })] },
      "DUPLICATE_TOOL",
      '"cancel" of the object "Orders" is called "Orders_abort", and so is another tool of this run',
    ],
    [{ tools: [tool("Orders_get", () => 1)] }, "DUPLICATE_TOOL", 'Two tools of this run are called "Orders_get"'],
    [
      { objects: [Orders, new ObjectInstance({ name: "Orders_set", tools: [tool("note", () => 1)] })] },
      "DUPLICATE_TOOL",
      'Two tools of this run are called "Orders_set_note"',
    ],
    [
      { exits: [new Exit({ name: "orders_cancel" })] },
      "DUPLICATE_TOOL",
      'A tool and an exit of this run are both called "orders_cancel"',
    ],
    [{ objects: ["Orders"] }, "OPTIONS_INVALID", "objects[0] is a string, not an object of ours"],
    [{ objects: Orders }, "OPTIONS_INVALID", /^objects must be a list of objects, or a function/],
  ])("are there once, and objects are objects: %#", async (options, code, message) => {
    const run = execute({ model: scriptedModel(["ok"]), objects: [Orders], prompt: "go", ...(options as any) });
    await expect(run).rejects.toMatchObject({
      code,
      message: message instanceof RegExp ? expect.stringMatching(message) : message,
      ...(!(message instanceof RegExp) && { hint: expect.any(String) }),
    });
  });

  test("are looked at when a function gives the objects, too", async () => {
    const objects = () => [Orders, Orders];
    const result = await execute({ model: scriptedModel(["ok"]), objects, prompt: "go" });
    expect(result).toMatchObject({ status: "error", error: { code: "DUPLICATE_OBJECT" } });
    const nonsense = await execute({ model: scriptedModel(["ok"]), objects: () => 5 as any, prompt: "go" });
    expect(nonsense).toMatchObject({ status: "error", error: { code: "OPTIONS_INVALID" } });
  });
});

describe("values last", () => {
  test("where the objects are made anew in each iteration", async () => {
    const given: number[] = [];
    const objects = async ({ iteration }: DynamicContext) => {
      given.push(iteration);
      const properties = [
        { name: "a", value: `given ${iteration}`, writable: true },
        { name: "b", value: `given ${iteration}` },
      ];
      return iteration === 3 ? [] : [new ObjectInstance({ name: "A", properties })];
    };
    const { lists } = await readings([["A_get", ["A_set_a", { value: "set" }]], ["A_get"], ["A_get"], ["A_get"]], {
      objects,
    });
    expect(given).toEqual([1, 2, 3, 4, 5]);
    expect(lists.map(([first]) => first)).toEqual([
      '{"a":"given 1","b":"given 1"}',
      '{"a":"set","b":"given 2"}',
      expect.stringContaining('There is no tool "A_get"'),
      '{"a":"set","b":"given 4"}',
    ]);
  });

  test("for one session: the next run begins with them; what cannot be set is as it is given", async () => {
    const store = memoryStore();
    const properties = (customer: string) => [
      { name: "status", value: "open", writable: customer !== "Zoe" },
      { name: "customer", value: customer },
    ];
    const run = async (customer: string, session: string) => {
      const model = scriptedModel([asks("A_get"), asks(["A_set_status", { value: `seen by ${customer}` }]), "ok"]);
      const objects = [new ObjectInstance({ name: "A", properties: properties(customer) })];
      const result = await execute({ model, objects, store, session, prompt: "go" });
      return results(result.messages.slice(-6)).call_1_1;
    };
    expect(await run("Ada", "s")).toBe('{"status":"open","customer":"Ada"}');
    expect(await run("Bob", "s")).toBe('{"status":"seen by Ada","customer":"Bob"}');
    expect(await run("Eve", "s")).toBe('{"status":"seen by Bob","customer":"Eve"}');
    expect(await run("Zoe", "s")).toBe('{"status":"open","customer":"Zoe"}');
    expect(await run("Eve", "other")).toBe('{"status":"open","customer":"Eve"}');
  });

  test("beyond the process, wherever the run was stopped; no write is made twice", async () => {
    const steps = [
      called(set("cancelled"), set("first", "note")),
      called(set("paid")),
      called(set("paid")),
      called([get, {}]),
      called(set(undefined, "note")),
    ];
    const { whole, states, goOn } = await stoppedAnywhere(steps);
    expect(states.map(({ after }) => after)).toEqual(["cancelled", "first", "paid", undefined]);
    for (let length = 3; length < whole.length; length++) {
      const { result, all } = await goOn(whole.slice(0, length));
      expect(result.output, `cut at ${length}`).toBe("ok");
      const byKey = (list: { key: string }[]) => list.sort((a, b) => a.key.localeCompare(b.key));
      expect(byKey(changes(all))).toEqual(byKey(states)); // calls beside each other have no order
      expect(results(result.messages)).toMatchObject({
        'Orders_set_status "cancelled"': "cancelled",
        'Orders_set_status "paid"': "paid",
        "Orders_get undefined": '{"status":"paid","note":"first","customer":{"name":"Ada"}}',
      });
    }
  });

  test("also where a call that is made again was overtaken by a later one", async () => {
    const both = gate();
    const onAfterTool = ({ output }: { output: unknown }) => (output === "cancelled" ? both.passed : both.open());
    const { whole, goOn } = await stoppedAnywhere([called(set("cancelled"), set("paid")), called([get, {}])], {
      onAfterTool,
    });
    const end = whole.findIndex((entry) => entry.type === "tool-end" && entry.output === "cancelled");
    const { result, all } = await goOn(whole.slice(0, end));
    expect(changes(all).map(({ after }) => after)).toEqual(["cancelled", "paid"]);
    expect(results(result.messages)["Orders_get undefined"]).toContain('"status":"paid"');
  });
});

/** Calls that are told by what they ask for, in whichever process. */
function called(...calls: [name: string, input: any][]): ScriptedStep {
  return { toolCalls: calls.map(([name, input]) => ({ id: `${name} ${JSON.stringify(input.value)}`, name, input })) };
}

const changes = (entries: readonly { type: string }[]) =>
  ofType(entries, "state").map(({ key, path, after }) => ({ key, path, after }));

/** A whole run, and how another process goes on with a part of its log. */
async function stoppedAnywhere(steps: ScriptedStep[], hooks: Hooks = {}) {
  const store = memoryStore();
  const byPlace = ({ prompt }: any) => steps[prompt.filter(({ role }: any) => role === "assistant").length] ?? "ok";
  const options = () => ({ model: scriptedModel(Array(9).fill(byPlace)), objects: [orders()] });
  await execute({ ...options(), hooks, store, session: "s", prompt: "go" });
  const whole = await store.read("s");
  const goOn = async (log: Entry[]) => {
    const { events, result } = await watched(execute({ ...options(), log }));
    return { result, all: [...log, ...events.filter((event) => "seq" in event)] };
  };
  return { whole, states: changes(whole), goOn };
}

test("a run without objects knows nothing of them", async () => {
  const model = scriptedModel(["ok"]);
  const result = await execute({ model, objects: undefined, prompt: "go" });
  expect(result.output).toBe("ok");
  expect((await execute({ model: scriptedModel(["ok"]), objects: () => undefined as any, prompt: "go" })).output).toBe(
    "ok",
  );
});
