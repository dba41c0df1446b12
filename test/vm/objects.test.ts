/** Objects of a program: their properties are read and assigned, and the host has the last word on every value. */
import { afterAll, describe, expect, test } from "vitest";
import type { ProgramObject, ProgramWrite } from "../../src/core/program.ts";
import { inlineVm, workerVm } from "../../src/vm/program-vm.ts";
import { runAlone, runIn } from "../helpers/run-program.ts";

const store: ProgramObject = {
  name: "Store",
  properties: [
    { name: "count", value: 1, writable: true },
    { name: "list", value: [1, { deep: [2] }], writable: true },
    { name: "fixed", value: { a: 1 }, writable: false },
    { name: "empty", value: undefined, writable: true },
    { name: "when", value: { $haft: "date", value: "2030-01-01T00:00:00.000Z" }, writable: true },
  ],
};

/** The message of what the code throws. */
const caught = (code: string) => `try { ${code}; return "nothing" } catch (e) { return e.name + ": " + e.message }`;

describe.each([
  ["inline", inlineVm()],
  ["worker", workerVm({ workers: 1 })],
] as const)("%s", (_name, vm) => {
  afterAll(() => vm.close());
  const run = (code: string, options = {}) => runAlone(vm, code, { objects: [store], ...options });

  test("properties are read, also as a whole", async () => {
    const { value } = await run(
      "return [Store.count, Store.list[1].deep[0], Store.fixed.a, Store.empty, Store.when.getTime(), Object.keys(Store), JSON.stringify(Store.list), Array.isArray(Store.list)]",
    );
    expect(value).toEqual([
      ...[1, 2, 1, undefined, Date.UTC(2030, 0, 1)],
      ...[["count", "list", "fixed", "empty", "when"], '[1,{"deep":[2]}]', true],
    ]);
  });

  test("the answer is what a property is from then on", async () => {
    const writes: ProgramWrite[] = [];
    const write = (asked: ProgramWrite) => {
      writes.push(asked);
      return { ok: true as const, value: Number(asked.value) * 2 };
    };
    const { value } = await run("Store.count = 21; Store.count += 1;\nreturn Store.count", { write });
    expect(value).toBe(86);
    expect(writes).toEqual([
      { object: "Store", property: "count", value: 21 },
      { object: "Store", property: "count", value: 43 },
    ]);
  });

  test("values are encoded, undefined too", async () => {
    const writes: ProgramWrite[] = [];
    const write = (asked: ProgramWrite) => {
      writes.push(asked);
      return { ok: true as const, value: asked.value };
    };
    const { value } = await run("Store.count = undefined; Store.when = new Date(5); return [Store.count, Store.when]", {
      write,
    });
    expect(value).toEqual([undefined, new Date(5)]);
    expect(writes.map((write) => write.value)).toEqual([
      undefined,
      { $haft: "date", value: "1970-01-01T00:00:00.005Z" },
    ]);
  });

  test("a refusal is a TypeError at the assignment, and the value stays", async () => {
    const write = () => ({ ok: false as const, message: "Store.count must be a number" });
    const { value } = await run(`const m = (() => { ${caught("Store.count = 'x'")} })(); return [m, Store.count]`, {
      write,
    });
    expect(value).toEqual(["TypeError: Store.count must be a number", 1]);
  });

  test("a handler that throws refuses with its message", async () => {
    const write = () => {
      throw new Error("no such store");
    };
    expect((await run(caught("Store.count = 1"), { write })).value).toBe("TypeError: no such store");
    expect((await run(caught("Store.count = 1"))).value).toMatch(/^TypeError: Store.count cannot be assigned/);
  });

  test.each([
    ["Store.fixed = 1", /Store\.fixed is read-only.*count, list/],
    ["Store.other = 1", /Store has no property other\. It has: count, list, fixed/],
    ["Store[Symbol('s')] = 1", /Store has no property Symbol\(s\)/],
    ["Store = 1", /read-only/],
    ["delete Store.count", /./],
    ["Object.defineProperty(Store, 'count', { value: 2 })", /./],
    ["Store.list.push(3)", /Store\.list cannot be changed: assign the whole property/],
    ["Store.list[1].deep[0] = 3", /assign the whole property/],
    ["delete Store.fixed.a", /assign the whole property/],
    ["Object.setPrototypeOf(Store.fixed, null)", /assign the whole property/],
    ["Store.list.reverse()", /assign the whole property/],
    ["Store.when.setTime(1)", /assign the whole property/],
    ["Store.count = () => 1", /Store\.count/],
  ])("%s", async (code, message) => {
    const { value } = await run(caught(code));
    expect(value).toMatch(/^TypeError/);
    expect(value).toMatch(message);
  });

  test("an object may have functions too, which cannot be assigned", async () => {
    const { value } = await run(
      `const n = await Store.add(1); const m = (() => { ${caught("Store.add = 1")} })(); return [n, m, Store.count]`,
      {
        handlers: { "Store.add": (x: unknown) => x },
      },
    );
    expect(value).toEqual([1, expect.stringMatching(/^TypeError: Store\.add is a function/), 1]);
  });

  test("an object reads the same in print and input as what it holds", async () => {
    const { calls, prints } = await run("console.log(Store.list); await f(Store.list)", { handlers: { f: () => 1 } });
    expect(calls[0]!.input).toEqual([1, { deep: [2] }]);
    expect(prints[0]!.values).toEqual([[1, { deep: [2] }]]);
  });

  test("a program that ended cannot write", async () => {
    const session = await vm.open({ write: () => ({ ok: true, value: 9 }) });
    await runIn(session, "const old = Store; return 1", { objects: [store] });
    const { value } = await runIn(session, caught("old.count = 5"), { objects: [] });
    expect(value).toMatch(/^TypeError/);
    session.close();
  });

  test("time in which the program stands still is not its own", async () => {
    const write = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { ok: true as const, value: 2 };
    };
    const { value } = await run(caught("Store.count = 5"), { write, limits: { cpuMs: 150 } });
    if (_name === "worker") expect(value).toBe("nothing");
    else expect(value).toMatch(/^TypeError: Store.count cannot be assigned: its check is asynchronous/);
  });
});
