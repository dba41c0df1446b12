/** What is shown at once, what is shown on request, and how many tokens it takes. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { declare } from "../../../../src/modes/code/declarations/index.ts";
import { twentyTools } from "../twenty-tools.ts";
import { typeProblems } from "../type-problems.ts";

const exits = [{ name: "done", description: "The work is done.", value: { type: "string" } }];
const objects = [
  {
    name: "Cart",
    description: "What will be ordered",
    properties: [{ name: "size", type: { type: "number" }, writable: false }],
    functions: [{ name: "add", description: "Add one to the cart", output: { type: "number" } }],
  },
];
const whole = declare({ functions: twentyTools, exits, objects });
const short = declare({ functions: twentyTools, exits, objects }, { maxChars: 2_000 });

test("twenty tools, inputs and outputs: at most 75 tokens each", () => {
  const { text, shown, isShort } = declare({ functions: twentyTools, exits: [], objects: [] });
  expect(encode(text).length / twentyTools.length).toBeLessThanOrEqual(75);
  expect(shown).toBe(text);
  expect(isShort).toBe(false);
  const program = `
    const customer = await crm.findCustomer({ email: "a@b.c" });
    const { orders: found } = await orders.list({ customerId: customer?.id, status: "open" });
    for (const order of found) {
      if (order.total > 10) await orders.refund({ orderId: order.id, reason: "late" });
    }
    const stock = await inventory.check({ skus: found.flatMap((order) => order.items.map((item) => item.sku)) });
    const left: number | undefined = stock["a"];`;
  expect(typeProblems(text, program)).toEqual([]);
});

test("too much for one text: a line each, by kind", () => {
  expect(short.isShort).toBe(true);
  expect(short.shown.split("\n").slice(0, 3)).toEqual([
    "functions:",
    "crm.findCustomer: Find a customer by email, phone or id",
    "crm.updateCustomer: Update fields of a customer",
  ]);
  expect(short.shown).toContain(
    "\nCart.add: Add one to the cart\nobjects:\nCart: What will be ordered\nexits:\ndone: The work is done",
  );
  expect(short.shown.length).toBeLessThan(2_000);
  expect(typeProblems(short.text, 'const found: string = await search("x") + (await describe("y"));')).toEqual([]);
});

test("too much for lines: as many as there is room for, and how many more", () => {
  const tiny = declare({ functions: twentyTools, exits, objects }, { maxChars: 500 });
  expect(tiny.shown.length).toBeLessThanOrEqual(500);
  const lines = tiny.shown.split("\n");
  expect(lines.at(-1)).toBe(`… ${23 - (lines.length - 2)} more: search("words") finds them`);
});

test("functions that have the names of the lookups keep them", () => {
  const functions = [{ name: "search", output: { type: "number" } }, ...twentyTools];
  const { text } = declare({ functions, exits, objects }, { maxChars: 100 });
  expect(typeProblems(text, 'const found: number = await search(); const more: string = await describe("x");')).toEqual(
    [],
  );
});

test("describe: a function with the types that it needs, and nothing else", () => {
  const shown = whole.describe("orders.get");
  expect(shown).toMatch(
    /^type Status = .*\ntype Order = \{[\s\S]*\ndeclare namespace orders \{\n {2}\/\*\* Get one order \*\/\n/,
  );
  expect(shown).not.toContain("refund(");
  expect(typeProblems(shown, 'const total: number = (await orders.get({ id: "x" })).total;')).toEqual([]);
  expect(whole.describe("slack.post")).not.toContain("type ");
});

test("describe: a namespace, an object, its function, an exit, a type", () => {
  const namespace = whole.describe("orders");
  expect(namespace).toContain("function list(");
  expect(namespace).toContain("function refund(");
  expect(whole.describe("Cart")).toContain("readonly size: number");
  expect(whole.describe("Cart.add")).toBe(
    "declare const Cart: {\n  /** Add one to the cart */\n  add(input?: any): Promise<number>\n}",
  );
  expect(whole.describe("done")).toContain('declare function exit(name: "done", value: string): Exit');
  expect(whole.describe("exit")).toBe(whole.describe("done"));
  expect(whole.describe("Order")).toMatch(/^type Status = .*\ntype Order = \{/);
});

test("describe: an unknown name gets the nearest ones", () => {
  expect(whole.describe("orders.lst")).toMatch(/^There is no "orders\.lst"\. Nearest: orders\.list\b/);
  expect(whole.describe("getCustomer")).toContain("crm.findCustomer");
  expect(whole.describe("post")).toContain("slack.post");
  expect(whole.describe("x".repeat(100_000)).length).toBeLessThan(500);
  expect(declare({ functions: [], exits: [], objects: [] }).describe("x")).toBe('There is no "x"');
});

test("search: best first, a line each, at most ten", () => {
  const first = (words: string) => whole.search(words).split("\n")[0];
  expect(first("refund an order")).toMatch(/^orders\.refund:/);
  expect(first("customers")).toMatch(/^crm\./);
  expect(first("send mail")).toBe("email.send: Send an email");
  expect(first("stock")).toBe("inventory.check: Check stock for SKUs");
  expect(whole.search("a the order email search list get create").split("\n")).toHaveLength(10);
  expect(whole.search("zzz")).toMatch(/^Nothing is called so/);
});
