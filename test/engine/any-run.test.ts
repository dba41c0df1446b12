import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Exit, fail, ok, ThinkSignal } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, ofType, scriptedModel, sleep, tool, watched } from "./support.ts";

const finish = new Exit({ name: "finish" });

const tools = [
  tool("gives", ({ n }) => ({ n, at: new Date(0) }), { aliases: ["hands"] }),
  tool("waits", ({ n }) => sleep(n % 3).then(() => `waited ${n}`)),
  tool("throws", () => {
    throw new Error("no");
  }),
  tool("fails", ({ n }) => fail({ n })),
  tool("thinks", ({ n }) => {
    throw new ThinkSignal("think", n);
  }),
  tool("assigns", ({ n }) => ok(n, { assigns: { last: n } })),
  tool("reads", (_, { assigns }) => ({ ...assigns })),
  tool("asks", () => "allowed", { approval: ({ n }) => n % 2 === 0 }),
].map((one) => one.with({ idempotent: true }));

const names = ["gives", "hands", "waits", "throws", "fails", "thinks", "assigns", "reads", "asks", "unknown", "finish"];
const calls = fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(9)), { minLength: 1, maxLength: 8 });
const text = fc.constantFrom("Hm.", "Let me see.");
const scripts = fc.array(fc.oneof({ weight: 5, arbitrary: calls }, { weight: 1, arbitrary: text }), { maxLength: 5 });

type Answers = (string | [string, number][])[];

/** Answers by the place in the conversation: a run that goes on gets what it would have got. */
function byPlace(answers: Answers) {
  const answer = ({ prompt }: { prompt: any[] }) => {
    const given = answers[prompt.filter(({ role }) => role === "assistant").length] ?? "The end.";
    return typeof given === "string" ? given : asks(...given.map(([name, n]): [string, unknown] => [name, { n }]));
  };
  return scriptedModel(Array(12).fill(answer));
}

function optionsFor(answers: Answers) {
  const approve = ({ input }: any) => input.n !== 4;
  // The provider's ids come from the model, which numbers its answers: here by place, in every process.
  return { model: byPlace(answers), tools, exits: [finish], prompt: "go", iterations: 8, approve };
}

describe("any run, of any answers and any outcomes of handlers", () => {
  test("ends, has a valid conversation, one end a call, and a log that replays without a call", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (answers) => {
        const store = memoryStore();
        const { events, result } = await watched(execute({ ...optionsFor(answers), store, session: "s" }));
        const kept = await store.read("s");
        expect(["success", "error"]).toContain(result.status);
        expect(faults(result.messages)).toEqual([]);
        expect(events.filter((event) => "seq" in event)).toEqual(kept);
        expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index));
        const ends = ofType(kept, "tool-end").map(({ key }) => key);
        expect(new Set(ends).size).toBe(ends.length);
        expect(new Set(ends)).toEqual(new Set(ofType(kept, "tool-call").map(({ key }) => key)));

        const replayed = await execute({
          ...optionsFor(answers),
          prompt: undefined,
          model: scriptedModel([]),
          log: kept,
        });
        expect(replayed.messages).toEqual(result.messages);
        expect(JSON.stringify(replayed.iterations)).toBe(JSON.stringify(result.iterations));
      }),
      { numRuns: 150 },
    );
  });

  test("cut anywhere, goes on to the same conversation", async () => {
    await fc.assert(
      fc.asyncProperty(scripts, fc.nat(), async (answers, place) => {
        const store = memoryStore();
        const whole = await execute({ ...optionsFor(answers), store, session: "s" });
        const kept = await store.read("s");
        const log = JSON.parse(JSON.stringify(kept.slice(0, 2 + (place % (kept.length - 1)))));
        const again = await execute({ ...optionsFor(answers), prompt: undefined, log });
        expect(plain(again.messages)).toEqual(plain(whole.messages));
        expect(again.status).toBe(whole.status);
      }),
      { numRuns: 150 },
    );
  });
});

/** Without the ids of calls, which a model gives anew in every process. */
function plain(messages: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(messages, (key, value) => (key === "toolCallId" ? undefined : value)));
}
