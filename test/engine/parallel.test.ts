import { describe, expect, test } from "vitest";
import { asks, execute, faults, gate, ofType, results, scriptedModel, sleep, tool, watched } from "./support.ts";

describe("the calls of one answer", () => {
  test("run at the same time, eight at most, in the order in which they were asked for", async () => {
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const work = tool("work", async ({ n }) => {
      order.push(n);
      most = Math.max(most, ++running);
      await sleep(n % 3);
      running--;
      return n;
    });
    const model = scriptedModel([
      asks(...Array.from({ length: 200 }, (_, n) => ["work", { n }] as [string, any])),
      "ok",
    ]);
    const result = await execute({ model, tools: [work], prompt: "go" });
    expect(result.status).toBe("success");
    expect(most).toBe(8);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(Object.values(results(model.requests[1]!.prompt))).toEqual(Array.from({ length: 200 }, (_, n) => `${n}`));
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
  });

  test("results come in source order, events as calls finish", async () => {
    const first = gate();
    const slow = tool("slow", () => first.passed.then(() => "slow"));
    const fast = tool("fast", async () => {
      setTimeout(first.open, 20);
      return "fast";
    });
    const model = scriptedModel([asks("slow", "fast"), "ok"]);
    const { events } = await watched(execute({ model, tools: [slow, fast], prompt: "go" }));
    expect(ofType(events, "tool-end").map(({ name }) => name)).toEqual(["fast", "slow"]);
    expect(Object.values(results(model.requests[1]!.prompt))).toEqual(["slow", "fast"]);
  });

  test("a failure stops nobody else", async () => {
    const tools = [
      tool("bad", () => {
        throw new Error("no");
      }),
      tool("good", () => sleep(10).then(() => "good")),
    ];
    const model = scriptedModel([asks("bad", "good", "bad"), "ok"]);
    const result = await execute({ model, tools, prompt: "go" });
    expect(result.status).toBe("success");
    expect(results(model.requests[1]!.prompt)).toEqual({ call_1_1: "! no", call_1_2: "good", call_1_3: "! no" });
  });

  test("call ids are places in the order of asking", async () => {
    const ids: string[] = [];
    const note = tool("note", async (_, { callId }) => void ids.push(callId));
    const model = scriptedModel([asks("note", "note"), asks("note"), "ok"]);
    const result = await execute({ model, tools: [note], prompt: "go" });
    expect(ids).toEqual([`${result.run}/1/1`, `${result.run}/1/2`, `${result.run}/2/1`]);
  });

  test("every call has exactly one end, whatever its handler did", async () => {
    const tools = [
      tool("fine", () => 1),
      tool("throws", () => {
        throw undefined;
      }),
      tool("late", () => sleep(5)),
    ];
    const model = scriptedModel([asks("fine", "throws", "late", "unknown"), "ok"]);
    const { events } = await watched(execute({ model, tools, prompt: "go" }));
    const ends = ofType(events, "tool-end").map(({ key }) => key.slice(-1));
    expect(ends.sort()).toEqual(["1", "2", "3", "4"]);
  });
});
