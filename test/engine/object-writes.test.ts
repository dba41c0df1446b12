import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { BoundObject, Hands, IterationContext, Mode } from "../../src/core/mode.ts";
import { type Entry, ObjectInstance, SnapshotSignal } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { plainSchema } from "../core/standard-schemas.ts";
import { execute, ofType, scriptedModel, tool, watched } from "./support.ts";

const later = plainSchema("own", async (value) => (value === "no" ? { issues: [{ message: "no" }] } : { value }));

const Orders = new ObjectInstance({
  name: "Orders",
  properties: [
    { name: "status", type: z.enum(["open", "closed", "paid"]), value: "open", writable: true },
    { name: "tags", type: z.array(z.string()).default([]), writable: true },
    { name: "since", value: new Date(0), writable: true },
    { name: "later", type: { schema: later, jsonSchema: {} }, value: "first", writable: true },
    { name: "id", value: 7 },
  ],
  tools: [tool("cancel", () => "cancelled", { aliases: ["abort"] })],
});

interface Program {
  context: IterationContext;
  hands: Hands;
  /** Writes with the next number. */
  write(property: string, value: unknown, object?: string): any;
}

/** A mode whose model answers are programs, one of these each: "ok" ends the run. */
function programs(...works: ((program: Program) => unknown)[]): Mode {
  const textOf = (content: readonly any[]) => content.find((part) => part.type === "text").text as string;
  return {
    name: "programs",
    open: () => ({
      present: ({ instructions }) => ({ instructions, tools: [] }),
      read: ({ content }) => (textOf(content) === "ok" ? [] : [{ id: "p", name: "program", input: {} }]),
      async act({ content }, context, hands) {
        const text = textOf(content);
        if (text === "ok") return { messages: [], text };
        let number = 0;
        const write = (property: string, value: any, object = "Orders") =>
          hands.write({ object, property, value, number: ++number });
        const said = await works[Number(text)]!({ context, hands, write });
        return { messages: [{ role: "user", content: [{ type: "text", text: JSON.stringify(said) ?? "" }] }] };
      },
      stopped: () => [],
      close() {},
    }),
  };
}

async function run(works: ((program: Program) => unknown)[], more: Partial<Parameters<typeof execute>[0]> = {}) {
  const model = scriptedModel([...works.map((_, index) => `${index}`), "ok"]);
  const given = { model, mode: programs(...works), objects: [Orders], ...more };
  const { events, result } = await watched(execute(more.log ? given : { prompt: "go", ...given }));
  return { result, events, states: ofType(events, "state") };
}

const valuesOf = ({ properties }: BoundObject) =>
  Object.fromEntries(properties.map(({ property, value }) => [property.name, value]));

describe("a program's writes", () => {
  test("are answered at once where the type validates at once, else by a promise", async () => {
    const answers: unknown[] = [];
    const { result, states } = await run([
      async ({ write }) => {
        answers.push(write("status", "closed"), write("later", "second"));
        answers.push(await answers.pop());
      },
    ]);
    expect(answers).toEqual([
      { ok: true, value: "closed" },
      { ok: true, value: "second" },
    ]);
    expect(result.output).toBe("ok");
    expect(states).toMatchObject([
      { key: `${result.run}/1/w1`, path: "Orders.status", before: "open", after: "closed" },
      { key: `${result.run}/1/w2`, path: "Orders.later", before: "first", after: "second" },
    ]);
  });

  test("that cannot be are told in words, and change nothing", async () => {
    const said: string[] = [];
    const { states } = await run([
      async ({ write }) => {
        const answers = [
          write("status", "lost"),
          write("later", "no"),
          write("total", 1),
          write("statos", "open"),
          write("id", 8),
          write("status", "open", "Order"),
        ];
        for (const answer of answers) said.push((await answer).message);
      },
    ]);
    expect(said).toEqual([
      'The value does not fit Orders.status: Invalid option: expected one of "open"|"closed"|"paid"',
      "The value does not fit Orders.later: no",
      'Orders has no property "total", and none can be added. Its properties are: status, tags, since, later, id',
      'Orders has no property "statos", and none can be added. Its properties are: status, tags, since, later, id. Did you mean "status"?',
      "Orders.id is read-only. What can be set of Orders: status, tags, since, later",
      'There is no object "Order". The objects are: Orders. Did you mean "Orders"?',
    ]);
    expect(states).toEqual([]);
  });

  test("are what the type makes of them, with dates and the like; what is the same is no change", async () => {
    const date = (iso: string) => ({ $haft: "date", value: iso });
    const answers: unknown[] = [];
    const { states } = await run([
      ({ write }) => {
        answers.push(write("tags", undefined), write("since", date("1970-01-01T00:00:00.000Z")));
        answers.push(write("since", date("2020-01-01T00:00:00.000Z")), write("id", 7), write("since", undefined));
      },
    ]);
    expect(answers.map((answer) => (answer as { value: unknown }).value)).toEqual([
      [],
      date("1970-01-01T00:00:00.000Z"),
      date("2020-01-01T00:00:00.000Z"),
      7,
      undefined,
    ]);
    expect(states.map(({ key, before, after }) => [key.split("/").at(-1), before, after])).toEqual([
      ["w3", date("1970-01-01T00:00:00.000Z"), date("2020-01-01T00:00:00.000Z")],
      ["w5", date("2020-01-01T00:00:00.000Z"), undefined],
    ]);
  });

  test("in a run without objects are answered, too", async () => {
    const answers: unknown[] = [];
    await run([({ write }) => void answers.push(write("status", "open"))], { objects: undefined });
    expect(answers).toEqual([{ ok: false, message: "This run has no objects" }]);
  });
});

describe("what a mode is told", () => {
  test("the values as the iteration began, and the same list until one has changed", async () => {
    const seen: (readonly BoundObject[])[] = [];
    const look = ({ context }: Program) => void seen.push(context.objects);
    const tools: unknown[] = [];
    await run([
      (program) => {
        look(program);
        program.write("status", "closed");
        tools.push(program.context.tools);
        look(program);
      },
      look,
      (program) => {
        look(program);
        tools.push(program.context.tools);
      },
    ]);
    expect(seen.map(([orders]) => valuesOf(orders!).status)).toEqual(["open", "open", "closed", "closed"]);
    expect([seen[0] === seen[1], seen[1] === seen[2], seen[2] === seen[3]]).toEqual([true, false, true]);
    expect(tools[0]).toBe(tools[1]);
  });

  test("each tool with the one that is called, which the run has", async () => {
    const results: unknown[] = [];
    await run([
      async ({ context, hands }) => {
        const [{ tool, call }] = context.objects[0]!.tools as any;
        const names = [tool.name, tool.aliases, call.name, call.aliases];
        const { output } = (await hands.invoke({ id: "c", name: call.name, input: {} })) as any;
        const accessors = context.objects[0]!.accessors.map(({ name }) => name);
        results.push(names, output, accessors, context.tools.find("Orders_abort") === call);
      },
    ]);
    expect(results).toEqual([
      ["cancel", ["abort"], "Orders_cancel", ["Orders_abort"]],
      "cancelled",
      ["Orders_get", "Orders_set_status", "Orders_set_tags", "Orders_set_since", "Orders_set_later"],
      true,
    ]);
  });

  test("no secrets of the run", async () => {
    const seen: unknown[] = [];
    const objects = [new ObjectInstance({ name: "A", properties: [{ name: "url", value: "x?key=s3cr3t-value" }] })];
    await run([({ context }) => void seen.push(valuesOf(context.objects[0]!))], {
      objects,
      secrets: { KEY: { static: "s3cr3t-value" } },
    });
    expect(seen).toEqual([{ url: "x?key=[REDACTED:KEY]" }]);
  });

  test("no objects, as an empty list", async () => {
    const seen: unknown[] = [];
    await run([({ context }) => void seen.push(context.objects)], { objects: undefined });
    expect(seen).toEqual([[]]);
  });
});

describe("a program that is begun again in another process", () => {
  const pauses = tool("pauses", () => {
    throw new SnapshotSignal("who knows?");
  });
  type Writes = (string | [property: string, value: unknown])[];

  /** Writes these, a text being a status, and then calls what pauses. */
  const writing =
    (writes: Writes, told: unknown[] = []) =>
    async ({ context, hands, write }: Program) => {
      told.push(valuesOf(context.objects[0]!).status);
      for (const one of writes) {
        const [property, value] = typeof one === "string" ? ["status", one] : one;
        const answer = await write(property as string, value);
        told.push(answer.ok ? answer.value : answer.message);
      }
      return hands.invoke({ id: "c", name: "pauses", input: {} });
    };

  async function twice(first: Writes, second = first, objects = [Orders]) {
    const store = memoryStore();
    const before = ({ write }: Program) => void write("status", "closed");
    const tools = [pauses];
    const [told, again]: unknown[][] = [[], []];
    const options = { store, session: "s", tools };
    const { result } = await run([before, writing(first, told)], options);
    expect(result.status).toBe("interrupted");
    const log = (await store.read("s")) as Entry[];
    const callId = ofType(log, "tool-pause")[0]!.key;
    const decided = result.isInterrupted() ? result.snapshot.resolve(callId, "me") : undefined;
    const values: unknown[] = [];
    const after = ({ context }: Program) => void values.push(valuesOf(context.objects[0]!).status);
    const model = scriptedModel(["2", "ok"]);
    const mode = programs(before, writing(second, again), after);
    const { events, result: end } = await watched(execute({ model, mode, objects, tools, log: decided! }));
    return { told, again, end, values, states: ofType(events, "state"), log: ofType(log, "state") };
  }

  test.each<Writes[]>([
    [["paid"]],
    [["paid", "open", "open", "paid"]],
    [["closed", "paid", "paid", "closed", "closed"]],
    [["closed", "closed"]],
    [["closed", "paid"]],
    [[["tags", []], "paid", ["tags", ["a"]]]],
    [["lost", "paid", "lost", "open"]],
    [["paid", ["tags", ["a"]], ["id", 8], ["id", 7], "closed", ["later", "second"], ["tags", ["a"]], "open"]],
  ])("begins with the values of then, and writes nothing twice: %j", async (writes) => {
    const { told, again, end, states, values } = await twice(writes);
    expect(end.output).toBe("ok");
    expect(again).toEqual(told);
    expect(states).toEqual([]);
    const statuses = ["closed", ...writes].filter((one) => ["open", "closed", "paid"].includes(one as string));
    expect(values).toEqual([statuses.at(-1)]);
  });

  test.each<[first: Writes, second: Writes, message: RegExp]>([
    [["paid"], ["open"], /^Write run_\w+\/2\/w1 was of Orders\.status and is now of another value$/],
    [["paid"], ["lost"], /now of another value$/],
    [["paid"], [["tags", ["a"]]], /was of Orders\.status and is now of Orders\.tags$/],
    [["paid", "open"], ["paid", ["later", "open"]], /\/2\/w2 was of Orders\.status and is now of Orders\.later$/],
  ])("and does something else ends the run: %j, %j", async (first, second, message) => {
    const { end, states } = await twice(first, second);
    expect(end).toMatchObject({
      status: "error",
      error: { code: "REPLAY_DIVERGED", message: expect.stringMatching(message) },
    });
    expect(states).toEqual([]);
  });

  test("wherever it was stopped, writes what it would have written", async () => {
    const status = fc.constantFrom("open", "closed", "paid", "lost");
    const other = fc.tuple(fc.constantFrom("later", "tags", "id"), fc.constantFrom<unknown>(["a"], [], "no", 7));
    const keysOf = (entries: readonly { type: string }[]) =>
      ofType(entries, "state").map(({ key, path, before, after }) => ({ key, path, before, after }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(status, other), { maxLength: 8 }), fc.nat(), async (writes, cut) => {
        const store = memoryStore();
        const told: unknown[][] = [[], []];
        const first = ({ write }: Program) => void write("status", "closed");
        const last = async (program: Program, to: unknown[]) => {
          await writing(writes, to)({ ...program, hands: { ...program.hands, invoke: async () => ({}) as any } });
        };
        const steps = (to: unknown[]) => [first, (program: Program) => last(program, to)];
        await run(steps(told[0]!), { store, session: "s" });
        const whole = await store.read("s");
        const begun = whole.findIndex(({ type, key }) => type === "model-response" && key.endsWith("/2")) + 1;
        const end = whole.findIndex(({ type, key }) => type === "iteration-end" && key.endsWith("/2"));
        const log = whole.slice(0, begun + (cut % (end - begun + 1)));
        const model = scriptedModel(["ok"]);
        const again = await watched(execute({ model, mode: programs(...steps(told[1]!)), objects: [Orders], log }));
        expect(again.result.output).toBe("ok");
        expect(told[1]).toEqual(told[0]);
        expect(keysOf([...log, ...again.events])).toEqual(keysOf(whole));
      }),
      { numRuns: 200 },
    );
  });

  test("takes a write that the log has without asking an outer world that has changed", async () => {
    let isKnown = true;
    const known = plainSchema("own", async (value) => (isKnown ? { value } : { issues: [{ message: "unknown" }] }));
    const object = new ObjectInstance({
      name: "Orders",
      properties: [
        { name: "status", value: "open", writable: true },
        { name: "later", type: { schema: known, jsonSchema: {} }, value: 1, writable: true },
      ],
    });
    await object.ready;
    const store = memoryStore();
    const write = writing([["later", 2]]);
    const { result } = await run([write], { store, session: "s", objects: [object], tools: [pauses] });
    isKnown = false;
    const log = result.isInterrupted() ? result.snapshot.resolve(result.pending[0]!.callId, 1) : undefined;
    const mode = programs(write);
    const end = await execute({ model: scriptedModel(["ok"]), mode, objects: [object], tools: [pauses], log: log! });
    expect(end.output).toBe("ok");
  });
});
