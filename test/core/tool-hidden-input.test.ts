/** What a model sees of an input of which a part is set statically. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { echo, sent } from "./example-tools.ts";

const address = z.object({
  street: z.string(),
  city: z.string().default("Bern"),
  geo: z.object({ lat: z.number(), lon: z.number() }),
});

describe("what the model sees", () => {
  test("a static property is gone, from required too", () => {
    const tool = echo(z.object({ a: z.string(), b: z.string() }), { b: "secret-value" });
    expect(tool.inputSchema).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    expect(JSON.stringify(tool)).not.toContain("secret-value");
    expect(echo(z.object({ a: z.string() }), { a: "x" }).inputSchema).toEqual({ type: "object", properties: {} });
  });

  test("of an object that is set in part, the rest stays", () => {
    const { inputSchema } = echo(z.object({ to: address, note: z.string() }), { to: { geo: { lat: 1 } } });
    expect(Object.keys(inputSchema.properties.to.properties)).toEqual(["street", "city", "geo"]);
    expect(inputSchema.properties.to.properties.geo).toEqual({
      type: "object",
      properties: { lon: { type: "number" } },
      required: ["lon"],
    });
    expect(inputSchema.required).toEqual(["to", "note"]);
  });

  test("an object that is set whole goes, and one of which only optional parts are left is optional", () => {
    const whole = echo(z.object({ to: address }), { to: { street: "a", city: "b", geo: { lat: 1, lon: 2 } } });
    expect(whole.inputSchema.properties).toEqual({});
    const part = echo(z.object({ to: address, n: z.number() }), { to: { street: "a", geo: { lat: 1, lon: 2 } } });
    expect(part.inputSchema.properties.to).toEqual({
      type: "object",
      properties: { city: { type: "string", default: "Bern" } },
    });
    expect(part.inputSchema.required).toEqual(["n"]);
  });

  test("through $ref, without touching what else refers there", async () => {
    const input = {
      type: "object",
      properties: { from: { $ref: "#/$defs/place" }, to: { $ref: "#/$defs/place" } },
      required: ["from", "to"],
      $defs: {
        place: {
          type: "object",
          properties: { city: { type: "string" }, zip: { type: "string" } },
          required: ["city", "zip"],
        },
      },
    };
    const { inputSchema } = echo(input, { from: { city: "Bern" } });
    expect(inputSchema.properties.from).toEqual({
      type: "object",
      properties: { zip: { type: "string" } },
      required: ["zip"],
    });
    expect(inputSchema.properties.to).toEqual({ $ref: "#/$defs/place" });
    expect(inputSchema.$defs.place.required).toEqual(["city", "zip"]);
  });

  test("in a schema that refers to itself, only at its root", async () => {
    const node = z.object({
      name: z.string(),
      get children() {
        return z.array(node).optional();
      },
    });
    const tool = echo(node, { name: "root" });
    expect(Object.keys(tool.inputSchema.properties)).toEqual(["children"]);
    const child = tool.inputSchema.properties.children.items;
    expect(child).toEqual({ $ref: "#/$defs/whole" });
    expect(Object.keys(tool.inputSchema.$defs.whole.properties)).toEqual(["name", "children"]);
    expect(await sent(tool, { children: [{ name: "leaf" }] })).toEqual({ name: "root", children: [{ name: "leaf" }] });
  });

  const target = z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("mail"), to: z.string(), token: z.string() }),
    z.object({ kind: z.literal("chat"), room: z.string(), token: z.string() }),
  ]);

  test("in every variant of a union, and variants that are ruled out go", async () => {
    const both = echo(z.object({ target }), { target: { token: "t" } });
    expect(both.inputSchema.properties.target.anyOf.map((variant: any) => Object.keys(variant.properties))).toEqual([
      ["kind", "to"],
      ["kind", "room"],
    ]);
    const one = echo(z.object({ target }), { target: { kind: "chat", token: "t" } });
    expect(one.inputSchema.properties.target.anyOf).toEqual([
      { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
    ]);
    expect(await sent(one, { target: { room: "r" } })).toEqual({ target: { kind: "chat", room: "r", token: "t" } });
  });

  test("a union as the whole input stays wrapped", async () => {
    const tool = echo(target, { token: "t" });
    expect(tool.wrapsInput).toBe(true);
    expect(JSON.stringify(tool.inputSchema)).not.toContain("token");
    expect(await sent(tool, { kind: "mail", to: "a" })).toEqual({ kind: "mail", to: "a", token: "t" });
  });

  test("an object of free keys stays open", () => {
    const { inputSchema } = echo(z.object({ headers: z.record(z.string(), z.string()) }), { headers: { auth: "x" } });
    expect(inputSchema.properties.headers).toMatchObject({ type: "object", additionalProperties: { type: "string" } });
  });

  test("defaults and examples that may tell of it go with it", () => {
    const input = {
      type: "object",
      properties: { key: { type: "string" }, q: { type: "string" } },
      examples: [{ key: "k1", q: "x" }],
      default: { key: "k2" },
    };
    expect(JSON.stringify(echo(input, { key: "k" }).inputSchema)).not.toMatch(/k1|k2/);
  });
});
