/** How a problem is told: in the model's own places, and with what is there instead. */
import { describe, expect, test } from "vitest";
import { openChecker } from "../../../src/vm/check/index.ts";
import { declarations } from "./corpus/read-corpus.ts";

const checker = openChecker()!;
const check = (code: string, earlier: string[] = []) => checker.check({ code, earlier, declarations });
const placesOf = async (code: string) => (await check(code)).map(({ line, column }) => [line, column]);
const messageOf = async (code: string, earlier?: string[]) => (await check(code, earlier))[0]?.message;

describe("places", () => {
  test("line, column and excerpt", async () => {
    const [problem] = await check("const { orders } = await Orders.list({});\n  orders[0].totl;");
    expect(problem).toEqual({
      line: 2,
      column: 13,
      message: [
        "Property 'totl' does not exist on type 'Order'. Did you mean 'total'?",
        "There are: id, customerId, status, items, total, note, placedAt, shippedAt.",
      ].join("\n"),
      excerpt: "> 2 |   orders[0].totl;\n    |             ^^^^",
    });
  });

  test("hold behind what is rewritten for TypeScript, on the same line", async () => {
    const code = "if (settings.pageSize > 100) { return } const list = { all: [] }; list.all.push(1); nowhere;";
    expect(await placesOf(code)).toEqual([[1, code.indexOf("nowhere") + 1]]);
    const grown = "const all = {}; all.a = 1; const some = [1].filter(o => o && o > 0); some.map(nowhere)";
    expect(await placesOf(grown)).toEqual([[1, grown.indexOf("nowhere") + 1]]);
  });

  test("count the lines of a fence, and take any end of a line", async () => {
    expect(await placesOf("```ts\nlet a = 1;\na = nowhere;\n```")).toEqual([[3, 5]]);
    expect(await placesOf("let a = 1;\r\na = nowhere;\r\n")).toEqual([[2, 5]]);
    expect(await placesOf("\uFEFFnowhere")).toEqual([[1, 2]]);
  });

  test("are in order, at most ten", async () => {
    const problems = await check(
      Array.from({ length: 15 }, (_, index) => `let v${index}: string = ${index};`).join("\n"),
    );
    expect(problems.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("are not outside of a program that ends in the middle", async () => {
    for (const code of ["return [1, ", "/* never closed", "`open ${", "if (true) {"]) {
      const problems = await check(code, ["const kept = 1;"]);
      expect(problems.length, code).toBe(1);
      expect(problems[0]!.line, code).toBe(1);
    }
  });

  test("a long line is shown around the place", async () => {
    const [problem] = await check(`const text = "${"x".repeat(300)}"; nowhere;`);
    const [line, mark] = problem!.excerpt!.split("\n");
    expect(line!.length).toBeLessThan(140);
    expect(line!.slice(mark!.indexOf("^"), mark!.lastIndexOf("^") + 1)).toBe("nowhere");
  });
});

describe("words", () => {
  test("name no file and no package", async () => {
    const earlier = ["class Cart { items: Item[] = [] }\ninterface Row { id: string }\nconst cart = new Cart();"];
    const codes = ["cart.remove()", "const row: Row = cart;", "process.exit(0)", "cart.items = 5", "import x from 'y'"];
    for (const code of codes) {
      const message = await messageOf(code, earlier);
      expect(message, code).toBeDefined();
      expect(message).not.toMatch(/import\(|\.ts\b|earlier-|\/|npm|\$end_|TS\d/);
    }
  });

  test("say what a namespace has, and what is declared at all", async () => {
    expect(await messageOf("await Orders.search({})")).toContain("There are: get, list, cancel, refund.");
    expect(await messageOf("await fetchPage({})")).toMatch(/Declared are: Orders\.get, .*search, .*settings, exit\./);
  });

  test("say which values there are", async () => {
    const values = 'There are: "pending", "paid", "shipped", "cancelled".';
    expect(await messageOf('await Orders.list({ status: "open" })')).toContain(values);
    expect(await messageOf('(await Orders.list({})).orders.filter((o) => o.status === "open")')).toContain(values);
  });

  test("are of the exit that was meant", async () => {
    expect(await messageOf('return exit("escalate", { reason: 5, customer: { id: "a", email: null } })')).toBe(
      "Type 'number' is not assignable to type 'string'.",
    );
    expect(await messageOf('return exit("end", {})')).toContain('There are: "done", "escalate", "nothing".');
    expect(await messageOf('return exit("escalate")')).toContain("another argument is needed: { reason: string;");
  });

  test("are of syntax alone where that is wrong", async () => {
    const problems = await check("nowhere;\nconst a = [1, 2;\nnowhere;");
    expect(problems.map(({ line, message }) => [line, message])).toEqual([[2, "',' expected."]]);
  });
});

describe("programs before this one", () => {
  test("the newest of a name holds", async () => {
    const earlier = ["const value = 1; let other = 'a';", "const value = 'text'; other = value;"];
    expect(await check("value.toUpperCase() + other.length", earlier)).toEqual([]);
    expect(await messageOf("value.toFixed()", earlier)).toContain("does not exist on type");
  });

  test("their own faults are not told again", async () => {
    expect(await check("fine", ["const fine = 1; nowhere();", "broken syntax here"])).toEqual([]);
  });

  test("another run knows nothing of them", async () => {
    expect(await check("kept", ["const kept = 1;"])).toEqual([]);
    expect(await messageOf("kept")).toContain("Cannot find name 'kept'.");
  });

  test("a hundred of them", async () => {
    const earlier = Array.from({ length: 100 }, (_, index) => `const v${index} = ${index ? `v${index - 1} + 1` : 0};`);
    expect(await check("v0 + v99", earlier)).toEqual([]);
    expect(await messageOf("v99.length", earlier)).toContain("'length' does not exist on type 'number'");
  });
});

test("other declarations, other names", async () => {
  const other = "declare function ping(input: { host: string }): Promise<number>;";
  expect(await checker.check({ code: "await ping({ host: 'a' })", declarations: other, earlier: [] })).toEqual([]);
  expect((await checker.check({ code: "await now()", declarations: other, earlier: [] })).length).toBe(1);
  expect(await check("await now()")).toEqual([]);
});
