import { describe, expect, test } from "vitest";
import { fail, ok } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, gate, scriptedModel, tool, waiting } from "./support.ts";

const look = (seen: unknown[]) => tool("look", (_, { assigns }) => void seen.push({ ...assigns }));
const put = tool("put", (input) => ok("put", { assigns: input }));

describe("assigns", () => {
  test("begin with those of the options, and are one snapshot for all calls of a batch", async () => {
    const seen: unknown[] = [];
    const model = scriptedModel([asks(["put", { a: 2, b: 1 }], "look"), asks("look"), "ok"]);
    await execute({ model, tools: [put, look(seen)], assigns: { a: 1 }, prompt: "go" });
    expect(seen).toEqual([{ a: 1 }, { a: 2, b: 1 }]);
  });

  test("are merged after the batch in the order of the calls, whoever ended first", async () => {
    const seen: unknown[] = [];
    const last = gate();
    const tools = [
      tool("slow", () => last.passed.then(() => ok(1, { assigns: { who: "slow", slow: true } }))),
      tool("fast", async () => {
        setTimeout(last.open, 10);
        return ok(1, { assigns: { who: "fast", fast: true } });
      }),
      look(seen),
    ];
    const model = scriptedModel([asks("slow", "fast"), asks("look"), "ok"]);
    await execute({ model, tools, prompt: "go" });
    expect(seen).toEqual([{ who: "fast", slow: true, fast: true }]);
  });

  test("of a call that failed do not count", async () => {
    const seen: unknown[] = [];
    const tools = [tool("fails", () => fail("no")), look(seen)];
    await execute({
      model: scriptedModel([asks("fails"), asks("look"), "ok"]),
      tools,
      assigns: { a: 1 },
      prompt: "go",
    });
    expect(seen).toEqual([{ a: 1 }]);
  });

  test("keep values that JSON does not have", async () => {
    const seen: any[] = [];
    const when = tool("when", () => ok(1, { assigns: { at: new Date(0), set: new Set([1]) } }));
    await execute({
      model: scriptedModel([asks("when"), asks("look"), "ok"]),
      tools: [when, look(seen)],
      prompt: "go",
    });
    expect(seen).toEqual([{ at: new Date(0), set: new Set([1]) }]);
  });

  test("that cannot be written fail the call", async () => {
    const bad = tool("bad", () => ok(1, { assigns: { f: () => 1 } }));
    const model = scriptedModel([asks("bad"), "ok"]);
    await execute({ model, tools: [bad], prompt: "go" });
    expect(JSON.stringify(model.requests[1]!.prompt)).toContain("assigns.f is the function f");
  });

  test("outlive the process: the run that goes on, and the next run of the session, have them", async () => {
    const seen: unknown[] = [];
    const store = memoryStore();
    const wait = tool("wait", () => 1, { approval: true });
    const model = scriptedModel([
      asks(["put", { a: 1 }]),
      asks(["put", { b: 2 }], "wait"),
      asks("look"),
      "ok",
      asks("look"),
      "ok",
    ]);
    const options = { model, tools: [put, wait, look(seen)], store, session: "s" };
    const { snapshot, pending } = waiting(await execute({ ...options, prompt: "go" }));
    await execute({ ...options, log: snapshot.resolve(pending[0]!.callId, 1) });
    await execute({ ...options, prompt: "again" });
    expect(seen).toEqual([
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ]);
  });
});
