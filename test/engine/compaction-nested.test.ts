import { expect, test } from "vitest";
import { memoryStore } from "../../src/stores/index.ts";
import { compactions, counted, textOf, words } from "./compaction-support.ts";
import { asks, execute, ofType, results, scriptedModel, tool } from "./support.ts";

const big = tool("big", ({ n }) => `${n}: ${words(400)}`, { readOnly: true });

/** The n-th answer of whoever works inside, told by what it has read. */
function worker(last: (request: any) => any) {
  const answer = (request: any) => {
    const n = request.prompt.filter(({ role }: any) => role === "assistant").length;
    return n < 9 ? counted({ toolCalls: [{ id: `c${n}`, name: "big", input: { n } }] })(request) : last(request);
  };
  return scriptedModel(Array(60).fill(answer));
}

/** Looks once itself, and gives the rest to somebody else. */
function options(last: (request: any) => any = () => "I counted.") {
  const task = { toolCalls: [{ id: "b", name: "subagent", input: { role: "counter", task: "Count." } }] };
  const answer = ({ prompt }: any) =>
    [{ toolCalls: [{ id: "a", name: "big", input: { n: 0 } }] }, task][(prompt.length - 1) / 2];
  return {
    model: scriptedModel(Array(4).fill((request: any) => answer(request) ?? "Thanks.")),
    tools: [big],
    subagents: {
      counter: { model: worker(last), tools: [big], iterations: 20, compaction: { window: 8_000, keepTurns: 2 } },
    },
    compaction: { window: 100_000 },
  };
}

test("a run inside a call is made shorter by itself, and goes on from there wherever its log is cut", async () => {
  const store = memoryStore();
  const whole = await execute({ ...options(), store, session: "s", prompt: "Let someone count." });
  expect(whole.output).toBe("Thanks.");
  const kept = await store.read("s");
  const made = compactions(kept);
  expect(made.length).toBeGreaterThan(0);
  expect(made.every(({ key }) => key.startsWith(`${whole.run}/2/1/`))).toBe(true);
  expect(textOf(whole.messages)).not.toContain("taken out");
  for (let length = 3; length <= kept.length; length += 5) {
    const log = JSON.parse(JSON.stringify(kept.slice(0, length)));
    const other = memoryStore();
    const again = await execute({ ...options(), log, store: other, session: "s" });
    expect(again.messages).toEqual(whole.messages);
    const others = compactions(await other.read("s"));
    expect(others.map(({ key, after }) => [key, after])).toEqual(made.map(({ key, after }) => [key, after]));
  }
});

test("it reads its own results, and none of the run around it", async () => {
  const reads = (request: any) => {
    const shown = Object.values(results(request.prompt));
    const [, own] = /read_result\(\{ "call": "([^"]+)"/.exec(shown.join("\n"))!;
    const place = shown.filter((text) => text.startsWith("[Characters") || text.startsWith("! ")).length;
    const around = `${own!.split("/")[0]}/1/1`; // the call of the run around
    return (
      [asks(["read_result", { call: own, limit: 20 }]), asks(["read_result", { call: around }])][place] ?? "I counted."
    );
  };
  const store = memoryStore();
  const result = await execute({ ...options(reads), store, session: "s", prompt: "Let someone count." });
  expect(result.output).toBe("Thanks.");
  const read = ofType(await store.read("s"), "tool-end").filter(({ name }) => name === "read_result");
  expect(ofType(await store.read("s"), "tool-end")[0]).toMatchObject({ key: `${result.run}/1/1`, name: "big" });
  expect(read[0]!.output).toContain("[Characters 0 to 20 of");
  expect(read[1]!.error!.message).toContain("There is no result of a call");
});
