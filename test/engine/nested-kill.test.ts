import { afterAll, beforeAll, expect, test } from "vitest";
import type { Decision } from "../../src/index.ts";
import { buildChildren, type Children, effectsOf, logOf, timesOf } from "./kill/support.ts";
import type { NestedOrder } from "./nested-kill/child.ts";
import { ofType } from "./support.ts";

let children: Children<NestedOrder>;
beforeAll(async () => {
  children = await buildChildren<NestedOrder>("../nested-kill/child.ts");
});
afterAll(() => children.close());

const effects = [1, 2, 3, 4].map((n) => `effect ${n}`);
const models = ["model top 1", "model top 2", "model a 1", "model a 2", "model a 3", "model b 1", "model b 2"];

/** What someone decides who can look at the world: done already, or not. */
function informed(folder: string, { n }: { n: number }): Decision {
  return effectsOf(folder).includes(`effect ${n}`) ? { value: "it was done" } : { approve: true };
}

/** Goes on in new processes until the run has ended. Gives the reasons for which it waited. */
async function goOn(folder: string) {
  const reasons: string[] = [];
  let report = await children.run({ folder });
  while (report?.status === "interrupted") {
    reasons.push(...report.pending.map(({ reason }) => reason));
    const decide = report.pending.map(({ callId, input }) => ({ callId, decision: informed(folder, input as any) }));
    report = await children.run({ folder, decide });
  }
  return { report, reasons };
}

async function killedAndGoneOn(kill: Omit<NestedOrder, "folder">) {
  const folder = children.folder();
  expect(await children.run({ folder, ...kill })).toBeUndefined();
  const log = logOf(folder);
  const before = effectsOf(folder);
  const { report, reasons } = await goOn(folder);
  expect([kill, report]).toEqual([kill, { status: "success", output: "top is done", pending: [] }]);
  const times = timesOf(effectsOf(folder));
  for (const effect of effects) expect([kill, effect, times[effect]]).toEqual([kill, effect, 1]);
  for (const model of models) {
    const [, name, number] = model.split(" ");
    const wasAnswered = ofType(log, "model-response").some(
      (entry) => entry.model.endsWith(`:${name}`) && entry.key.endsWith(`/${number}`),
    );
    const asked = before.filter((line) => line === model).length;
    expect([kill, model, times[model]]).toEqual([kill, model, wasAnswered ? asked : asked + 1]);
  }
  const whole = logOf(folder);
  expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, index) => index));
  return { log, reasons };
}

test("kill -9 in handlers and model calls inside, before and after their effect", async () => {
  const places = [...effects, ...models].flatMap((line) => [{ killAfter: line }, { killBefore: line }]);
  const runs = await Promise.all(places.map(killedAndGoneOn));
  for (const [index, { log, reasons }] of runs.entries()) {
    const open = ofType(log, "tool-start").filter(
      ({ key, name }) => name === "effect" && !ofType(log, "tool-end").some((end) => end.key === key),
    );
    expect([places[index], reasons]).toEqual([places[index], open.map(() => "in-doubt")]);
  }
});

test("kill -9 at entries of the log all over", async () => {
  const folder = children.folder();
  await children.run({ folder });
  const length = logOf(folder).length;
  expect(length).toBeGreaterThan(45);
  const places = Array.from({ length: 8 }, (_, index) => Math.round(((index + 0.5) * length) / 8));
  await Promise.all(places.map((killAtEntry) => killedAndGoneOn({ killAtEntry })));
});
