import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Decision } from "../../src/index.ts";
import type { Order } from "./kill/child.ts";
import { buildChildren, type Children, effectsOf, logOf, timesOf } from "./kill/support.ts";
import { ofType } from "./support.ts";

let children: Children;
beforeAll(async () => {
  children = await buildChildren();
});
afterAll(() => children.close());

const call = (name: string, n: number) => ({ name, input: { n } });

/** Entries: two to begin, then 9, 9, 6, 3 for the answers, then the end. */
const script = [[call("effect", 1), call("again", 2)], [call("look", 3), call("effect", 4)], [call("effect", 5)]];
const all = ["effect 1", "again 2", "look 3", "effect 4", "effect 5"];
const LENGTH = 30;

/** What someone decides who can look at the world: done already, or not. */
function informed(folder: string, callId: string): Decision {
  const [, iteration, number] = callId.split("/").map(Number);
  const { name, input } = script[iteration! - 1]![number! - 1]!;
  return effectsOf(folder).includes(`${name} ${input.n}`) ? { value: "it was done" } : { approve: true };
}

/** Goes on in new processes until the run has ended. Gives the reasons for which it waited. */
async function goOn(order: Order) {
  const reasons: string[] = [];
  let report = await children.run(order);
  while (report?.status === "interrupted") {
    reasons.push(...report.pending.map(({ reason }) => reason));
    const decide = report.pending.map(({ callId }) => ({ callId, decision: informed(order.folder, callId) }));
    report = await children.run({ ...order, decide });
  }
  return { report, reasons };
}

async function killedAndGoneOn(kill: Partial<Order>) {
  const folder = children.folder();
  expect(await children.run({ folder, script, ...kill })).toBeUndefined();
  const [before, log] = [effectsOf(folder), logOf(folder)];
  const { report, reasons } = await goOn({ folder, script });
  return { folder, before, log, report, reasons, after: effectsOf(folder) };
}

/** Whatever was finished is done once; whatever was begun and not finished was asked about, or may be done twice. */
function expectExactlyOnce({ folder, before, log, report, after }: Awaited<ReturnType<typeof killedAndGoneOn>>): void {
  expect(report).toEqual({ status: "success", output: { said: "after 3 answers" }, pending: [] });
  const [first, total] = [timesOf(before), timesOf(after)];
  for (const iteration of [1, 2, 3, 4]) {
    const wasAnswered = ofType(log, "model-response").some(({ key }) => key.endsWith(`/${iteration}`));
    const asked = first[`model ${iteration}`] ?? 0;
    expect(total[`model ${iteration}`]).toBe(wasAnswered ? asked : asked + 1);
  }
  for (const effect of all) {
    if (effect.startsWith("effect")) expect([effect, total[effect]]).toEqual([effect, 1]);
    else expect(total[effect]).toBeLessThanOrEqual(2);
  }
  const ended = ofType(log, "tool-end").length;
  expect(ofType(logOf(folder), "tool-end").slice(0, ended)).toEqual(ofType(log, "tool-end"));
  const whole = logOf(folder);
  expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, index) => index));
}

describe("kill -9", () => {
  test("nowhere: the run itself", async () => {
    const folder = children.folder();
    const report = await children.run({ folder, script });
    expect(report).toEqual({ status: "success", output: { said: "after 3 answers" }, pending: [] });
    expect(logOf(folder)).toHaveLength(LENGTH);
    expect(timesOf(effectsOf(folder))).toEqual(timesOf([...all, "model 1", "model 2", "model 3", "model 4"]));
  });

  test("at every entry: no finished model call or tool call is made again, and none is lost", async () => {
    const places = Array.from({ length: LENGTH }, (_, seq) => seq);
    const runs = await Promise.all(places.map((killAtEntry) => killedAndGoneOn({ killAtEntry })));
    for (const [killAtEntry, run] of runs.entries()) {
      expect([killAtEntry, run.log.length]).toEqual([killAtEntry, killAtEntry]);
      expectExactlyOnce(run);
      const open = ofType(run.log, "tool-start").filter(({ key, name }) => {
        return name === "effect" && !ofType(run.log, "tool-end").some((end) => end.key === key);
      });
      expect([killAtEntry, run.reasons]).toEqual([killAtEntry, open.map(() => "in-doubt")]);
    }
  });

  test("inside every handler, before and after its effect", async () => {
    const places = all.flatMap((killIn) =>
      (["before its effect", "after its effect"] as const).map((killWhen) => ({ killIn, killWhen })),
    );
    const runs = await Promise.all(places.map((place) => killedAndGoneOn(place)));
    for (const [index, run] of runs.entries()) {
      const { killIn, killWhen } = places[index]!;
      expectExactlyOnce(run);
      const isSafe = !killIn.startsWith("effect");
      const times = timesOf(run.after)[killIn];
      expect([killIn, killWhen, times]).toEqual([killIn, killWhen, isSafe && killWhen === "after its effect" ? 2 : 1]);
      if (!isSafe) expect(run.reasons).toContain("in-doubt");
    }
  });

  test("again and again: every process is killed three entries on", async () => {
    const folder = children.folder();
    for (let killAtEntry = 3; killAtEntry < 99 && logOf(folder).at(-1)?.type !== "run-end"; killAtEntry += 3) {
      const report = await children.run({ folder, script, killAtEntry });
      for (const { callId } of report?.pending ?? []) {
        const decide = [{ callId, decision: informed(folder, callId) }];
        await children.run({ folder, script, decide, killAtEntry: killAtEntry + 3 });
      }
    }
    const times = timesOf(effectsOf(folder));
    for (const effect of ["effect 1", "effect 4", "effect 5"]) expect([effect, times[effect]]).toEqual([effect, 1]);
    const whole = logOf(folder);
    expect(whole.map(({ seq }) => seq)).toEqual(whole.map((_, index) => index));
  });
});

describe("approved, and killed inside the handler", () => {
  const killWhens = ["before its effect", "after its effect"] as const;

  async function approvedAndKilled(name: string, killWhen: Order["killWhen"], input?: { n: number }) {
    const folder = children.folder();
    const payment = { folder, script: [[call(name, 7)]] };
    const asked = await children.run(payment);
    expect(asked!.pending).toMatchObject([{ reason: "approval", input: { n: 7 } }]);
    const { callId } = asked!.pending[0]!;
    const decision: Decision = { approve: true, ...(input && { input }) };
    const killIn = `${name} ${input?.n ?? 7}`;
    expect(await children.run({ ...payment, decide: [{ callId, decision }], killIn, killWhen })).toBeUndefined();
    return { payment, callId, done: () => effectsOf(folder).filter((effect) => effect.startsWith("pay")) };
  }

  test("in doubt: the approval is spent, nothing runs until someone decides, and there is one effect", async () => {
    await Promise.all(
      killWhens.map(async (killWhen) => {
        const { payment, callId, done } = await approvedAndKilled("pay", killWhen);
        const wasDone = killWhen === "after its effect";
        expect(done()).toEqual(wasDone ? ["pay 7"] : []);
        for (const _ of [1, 2]) {
          const doubt = await children.run(payment);
          expect(doubt!.pending).toEqual([{ callId, reason: "in-doubt", input: { n: 7 } }]);
        }
        const decision: Decision = wasDone ? { value: "paid" } : { approve: true };
        const end = await children.run({ ...payment, decide: [{ callId, decision }] });
        expect(end!.status).toBe("success");
        expect(done()).toEqual(["pay 7"]);
      }),
    );
  });

  test("with another input: the doubt is about that input, and so is the second approval", async () => {
    const { payment, callId, done } = await approvedAndKilled("pay", "before its effect", { n: 5 });
    const doubt = await children.run(payment);
    expect(doubt!.pending).toEqual([{ callId, reason: "in-doubt", input: { n: 5 } }]);
    const end = await children.run({ ...payment, decide: [{ callId, decision: { approve: true } }] });
    expect(end!.status).toBe("success");
    expect(done()).toEqual(["pay 5"]);
  });

  test("an idempotent tool runs again by itself, with the input that was approved", async () => {
    const { payment, done } = await approvedAndKilled("payAgain", "after its effect", { n: 5 });
    expect((await children.run(payment))!.status).toBe("success");
    expect(done()).toEqual(["payAgain 5", "payAgain 5"]);
  });

  test("killed at every entry after the decision: one effect", async () => {
    const script = [[call("pay", 7)]];
    const places = Array.from({ length: 10 }, (_, index) => 6 + index);
    const runs = places.map(async (killAtEntry) => {
      const folder = children.folder();
      const asked = await children.run({ folder, script });
      const { callId } = asked!.pending[0]!;
      const decide = [{ callId, decision: { approve: true } as const }];
      await children.run({ folder, script, decide, killAtEntry });
      let report = await children.run({ folder, script });
      for (const { reason } of report!.pending) {
        const wasDone = effectsOf(folder).includes("pay 7");
        expect([killAtEntry, reason]).toEqual([killAtEntry, killAtEntry === 6 ? "approval" : "in-doubt"]);
        const decision: Decision = wasDone ? { value: "paid" } : { approve: true };
        report = await children.run({ folder, script, decide: [{ callId, decision }] });
      }
      expect([killAtEntry, report!.status]).toEqual([killAtEntry, "success"]);
      expect([killAtEntry, timesOf(effectsOf(folder))["pay 7"]]).toEqual([killAtEntry, 1]);
    });
    await Promise.all(runs);
  });
});
