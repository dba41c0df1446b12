import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Autonomous, Snapshot, SnapshotSignal, Tool } from "../../../src/index.ts";
import { execute, ofType, scriptedModel, tool, waiting, watched } from "../../engine/support.ts";
import { lastReport, mode, program, runPrograms } from "./support.ts";

const cancel = new Tool({
  name: "cancel",
  aliases: ["drop"],
  input: z.object({ id: z.number() }),
  output: z.string(),
  handler: ({ id }) => `cancelled ${id}`,
});

const Orders = new Autonomous.Object({
  name: "Orders",
  description: "What was ordered",
  properties: [
    { name: "shop", type: z.string(), value: "corner", description: "Which shop" },
    { name: "status", type: z.enum(["open", "cancelled", "done"]), value: "open", writable: true },
    { name: "tags", type: z.array(z.string()), value: ["new"], writable: true },
  ],
  tools: [cancel],
});

const ask = tool("ask", () => {
  throw new SnapshotSignal("who knows");
});

describe("an object in a program", () => {
  test("has properties and tools, and what is set is kept and logged", async () => {
    const model = scriptedModel([
      program(
        "Orders.status = 'cancelled'; return [Orders.shop, await Orders.cancel({ id: 7 }), await Orders.drop({ id: 8 })];",
      ),
      program("Orders.tags = [...Orders.tags, 'old']; return [Orders.status, Orders.tags];"),
      "ok",
    ]);
    const { events } = await watched(execute({ model, mode, objects: [Orders], prompt: "go" }));
    expect(lastReport(model.requests[1]!)).toMatch(/corner.*cancelled 7.*cancelled 8/s);
    expect(lastReport(model.requests[2]!)).toMatch(/cancelled.*new.*old/s);
    expect(ofType(events, "state").map(({ path, before, after }) => ({ path, before, after }))).toEqual([
      { path: "Orders.status", before: "open", after: "cancelled" },
      { path: "Orders.tags", before: ["new"], after: ["new", "old"] },
    ]);
    expect(ofType(events, "tool-start").map(({ name }) => name)).toEqual(["Orders_cancel", "Orders_cancel"]);
    const system = JSON.stringify(model.requests[0]!.prompt[0]);
    for (const part of ["Orders", "cancel", "status", "readonly"]) expect(system).toContain(part);
    expect(system).not.toContain("Orders_set_status");
  });

  test.each([
    ["Orders.status = 'shut' as any;", /Orders\.status/],
    ["(Orders as any).shop = 'other';", /Orders\.shop/],
    ["(Orders as any).price = 1;", /price/],
    ["(Orders.tags as any).push('x');", /assign the whole property/i],
  ])("refuses %s where it stands", async (code, words) => {
    const { result, reports } = await runPrograms([`${code}\nreturn 'went on';`, "return Orders.status"], {
      objects: [Orders],
    });
    expect(reports[0]).toMatch(/TypeError/);
    expect(reports[0]).toMatch(words);
    expect(reports[0]).toContain("line 1");
    expect(reports[1]).toContain("open");
    expect(result.status).toBe("success");
  });

  test("is as it was when a run goes on elsewhere, also in an earlier program that is run again", async () => {
    const codes = [
      "const first = Orders.status; Orders.status = 'cancelled'; const second = Orders.status;",
      "Orders.status = 'done'; const answer = await ask({}); return [first, second, Orders.status, answer];",
    ];
    const options = { mode, tools: [ask], objects: [Orders] };
    const result = waiting(await execute({ ...options, model: scriptedModel(codes.map(program)), prompt: "go" }));
    const log = Snapshot.from(JSON.stringify(result.snapshot)).resolve(result.pending[0]!.callId, "me");
    const model = scriptedModel(["ok"]);
    const { events, result: end } = await watched(execute({ ...options, model, log }));
    expect(end.status).toBe("success");
    expect(lastReport(model.requests[0]!)).toMatch(/open.*cancelled.*done.*me/s);
    expect(ofType(events, "state")).toEqual([]);
  });
});
