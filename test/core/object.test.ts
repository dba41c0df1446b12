/** Objects as they are defined. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Autonomous, ObjectInstance, Tool } from "../../src/index.ts";
import { describedSchema, plainSchema } from "./standard-schemas.ts";

const cancel = new Tool({
  name: "cancel",
  aliases: ["abort"],
  input: z.object({ id: z.string() }),
  handler: () => "ok",
});

const define = (definition: unknown) => () => new ObjectInstance(definition as any);
const of = (...properties: unknown[]) => define({ name: "Orders", properties });

const error = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

test("is what was defined, and the seeds' name for it is the same class", () => {
  const Orders = new Autonomous.Object({
    name: "Orders",
    description: "Of this customer",
    properties: [
      {
        name: "status",
        type: z.enum(["open", "cancelled"]),
        value: "open",
        writable: true,
        description: "How it stands",
      },
      { name: "id", value: 7 },
    ],
    tools: [cancel],
    metadata: { team: "shop" },
  });
  expect(Autonomous.Object).toBe(ObjectInstance);
  expect(Orders).toMatchObject({ name: "Orders", description: "Of this customer", metadata: { team: "shop" } });
  expect(Orders.properties).toMatchObject([
    { name: "status", description: "How it stands", writable: true, inputSchema: { enum: ["open", "cancelled"] } },
    { name: "id", description: "", writable: false, inputSchema: undefined },
  ]);
  expect(Orders.values).toEqual({ status: "open", id: 7 });
  expect(Orders.ready).toBeUndefined();
});

test("is known again, also when another copy of the package made it", () => {
  const Orders = new ObjectInstance({ name: "Orders" });
  expect(
    [Orders, { [Symbol.for("haft.object")]: true }, { name: "Orders" }, null, Tool].map(ObjectInstance.is),
  ).toEqual([true, true, false, false, false]);
});

test("its tools are called by both names, and so are their aliases; the tools themselves stay as they are", () => {
  class Approved extends Tool {}
  const own = new Approved({ name: "pay", options: z.object({ limit: z.number() }), handler: () => 1 });
  const { tools, calls } = new ObjectInstance({ name: "Orders", tools: [cancel, [own, { limit: 5 }]] });
  expect(tools.map(({ name, aliases }) => [name, aliases])).toEqual([
    ["cancel", ["abort"]],
    ["pay", []],
  ]);
  expect(calls.map(({ name, aliases }) => [name, aliases])).toEqual([
    ["Orders_cancel", ["Orders_abort"]],
    ["Orders_pay", []],
  ]);
  expect(calls[1]).toBeInstanceOf(Approved);
  expect(calls[1]!.optionValues).toEqual({ limit: 5 });
  expect([cancel.name, own.name]).toEqual(["cancel", "pay"]);
});

describe("initial values", () => {
  test("are what the type makes of them", () => {
    const { values } = new ObjectInstance({
      name: "Orders",
      properties: [
        { name: "count", type: z.number().default(3) },
        { name: "length", type: z.string().transform((text) => text.length), value: "four" },
        { name: "since", value: new Date(0) },
        { name: "tags", value: new Map([["a", 1n]]) },
        { name: "raw", type: { type: "string" }, value: "text" },
        { name: "nothing" },
      ],
    });
    expect(values).toEqual({
      count: 3,
      length: 4,
      since: new Date(0),
      tags: new Map([["a", 1n]]),
      raw: "text",
      nothing: undefined,
    });
  });

  test("belong to the object alone", () => {
    const list = [1];
    const Orders = new ObjectInstance({ name: "Orders", properties: [{ name: "list", value: list }] });
    list.push(2);
    (Orders.values.list as number[]).push(3);
    expect(Orders.values).toEqual({ list: [1] });
    expect(() => (Orders.properties as unknown[]).push({})).toThrow(TypeError);
  });

  test.each([
    [{ name: "status", type: z.enum(["open"]), value: "closed" }, /^The value does not fit Orders\.status: .*"open"/],
    [{ name: "status", type: { enum: ["open"] }, value: "closed" }, /Orders\.status: expected one of "open"/],
    [{ name: "status", type: z.string() }, /Orders\.status: .*expected string, received undefined/],
    [{ name: "home", type: z.object({ zip: z.string() }), value: { zip: 1 } }, /Orders\.home: zip: .*expected string/],
    [{ name: "handler", value: () => 1 }, /^Orders\.handler is .*cannot be written as JSON/],
    [
      {
        name: "broken",
        type: plainSchema("own", () => {
          throw new Error("out of order");
        }),
      },
      /Orders\.broken: it could not be checked: out of order/,
    ],
  ])("that do not fit are refused, by name: %j", (property, message) => {
    expect(of(property)).toThrow(error("OBJECT_VALUE_INVALID", message));
  });

  test("of a type that validates asynchronously are there when the object is ready", async () => {
    const even = (value: unknown) =>
      Promise.resolve(
        Number(value) % 2 === 0 ? { value: Number(value) + 100 } : { issues: [{ message: "must be even" }] },
      );
    const type = plainSchema("own", even);
    const good = new ObjectInstance({ name: "Orders", properties: [{ name: "n", type, value: 2 }] });
    await good.ready;
    expect(good.values).toEqual({ n: 102 });
    const bad = new ObjectInstance({ name: "Orders", properties: [{ name: "n", type, value: 1 }] });
    await expect(bad.ready).rejects.toEqual(error("OBJECT_VALUE_INVALID", /Orders\.n: must be even/));
  });
});

describe("types", () => {
  test("that are none are refused where they are given", () => {
    expect(of({ name: "n", type: "number" })).toThrow(error("SCHEMA_INVALID", /^Orders\.n: type is a string/));
    expect(of({ name: "n", type: { type: "numbr" } })).toThrow(error("SCHEMA_INVALID", /Orders\.n: type/));
  });

  test("of what a model may set must be able to describe themselves", () => {
    const type = plainSchema("own", (value) => ({ value }));
    expect(of({ name: "n", type })).not.toThrow();
    expect(of({ name: "n", type, writable: true })).toThrow(error("SCHEMA_UNSUPPORTED", /Orders\.n: type is an? own/));
    const described = describedSchema("own", { type: "number" }, (value) => ({ value }));
    expect(of({ name: "n", type: described, writable: true })).not.toThrow();
    expect(of({ name: "n", type: { schema: type, jsonSchema: { type: "number" } }, writable: true })).not.toThrow();
  });
});

describe("names", () => {
  test.each([["_x"], ["1x"], ["a-b"], [""], [undefined], [5], ["x".repeat(51)], ["class"], ["Object"]])(
    "of an object may not be %j",
    (name) => {
      expect(define({ name })).toThrow(error("OBJECT_INVALID", /^An object has the/));
    },
  );

  test.each([["_x"], ["a.b"], [undefined], ["delete"], ["then"], ["constructor"], ["toJSON"]])(
    "of a property may not be %j",
    (name) => {
      expect(of({ name })).toThrow(error("OBJECT_INVALID", /^Object "Orders": a property has the/));
    },
  );

  test("of a property may be a word of the loop: it stands behind a dot", () => {
    expect(of({ name: "number" }, { name: "code" }, { name: "action" })).not.toThrow();
  });

  test.each([
    [{ properties: [{ name: "a" }, { name: "a" }] }, "a"],
    [{ properties: [{ name: "cancel" }], tools: [cancel] }, "cancel"],
    [{ properties: [{ name: "abort" }], tools: [cancel] }, "abort"],
    [{ tools: [cancel, cancel] }, "cancel"],
    [{ tools: [cancel, new Tool({ name: "abort", handler: () => 1 })] }, "abort"],
  ])("are there once: %j", (definition, name) => {
    expect(define({ name: "Orders", ...definition })).toThrow(
      error("OBJECT_INVALID", new RegExp(`^Object "Orders" has two members called "${name}"$`)),
    );
  });

  test("of calls are each there once, and not too long", () => {
    const tool = (name: string) => new Tool({ name, handler: () => 1 });
    const properties = [{ name: "status", writable: true }];
    const withTool = (name: string) => define({ name: "Orders", properties, tools: [tool(name)] });
    expect(withTool("get")).toThrow(error("OBJECT_INVALID", /called "Orders_get"/));
    expect(withTool("set_status")).toThrow(error("OBJECT_INVALID", /called "Orders_set_status"/));
    expect(define({ name: "Orders", tools: [tool("get")] })).not.toThrow();
    const long = "x".repeat(30);
    expect(define({ name: long, tools: [tool(long)] })).toThrow(error("OBJECT_INVALID", /longer than 50/));
    expect(define({ name: long, properties: [{ name: long, writable: true }] })).toThrow(
      error("OBJECT_INVALID", /longer than 50/),
    );
    expect(define({ name: long, properties: [{ name: long }] })).not.toThrow();
  });
});

test("a hundred properties are the most", () => {
  const properties = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `p${index}` }));
  expect(of(...properties(100))).not.toThrow();
  expect(of(...properties(101))).toThrow(
    error("OBJECT_INVALID", /^Object "Orders" has 101 properties, and may have 100/),
  );
});

test.each([
  [undefined, /takes an object .*not undefined/],
  ["Orders", /takes an object .*not a string/],
  [{ name: "Orders", description: 5 }, /description must be text/],
  [{ name: "Orders", metadata: [] }, /metadata must be an object/],
  [{ name: "Orders", properties: { status: "open" } }, /properties must be a list/],
  [{ name: "Orders", properties: ["status"] }, /properties\[0\] is a string, not a property/],
  [{ name: "Orders", properties: [{ name: "a", writable: "yes" }] }, /Orders\.a: writable must be true or false/],
  [{ name: "Orders", properties: [{ name: "a", description: 5 }] }, /Orders\.a: description must be text/],
  [{ name: "Orders", tools: cancel }, /tools must be a list of tools/],
])("a definition that is none is refused: %j", (definition, message) => {
  expect(define(definition)).toThrow(error("OBJECT_INVALID", message));
});

test("what is no tool is refused as anywhere", () => {
  expect(define({ name: "Orders", tools: [{ name: "x" }] })).toThrow(error("TOOL_INVALID", /tools\[0\]/));
});
