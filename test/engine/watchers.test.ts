import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/core/log.ts";
import { Watchers } from "../../src/engine/watchers.ts";

function event(number: number): RunEvent {
  return { type: "text-delta", key: "run/1", text: String(number) };
}

const texts = (events: readonly RunEvent[]) => events.map((one) => (one as { text: string }).text);

async function readAll(iterator: AsyncIterator<RunEvent>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) events.push(next.value);
  return events;
}

describe("watchers", () => {
  test("each sees the past first, then what comes, in order", async () => {
    const watchers = new Watchers();
    expect(watchers.any).toBe(false);
    const early = watchers.attach([]);
    expect(watchers.any).toBe(true);
    watchers.tell(event(1));
    const late = watchers.attach([event(0)]);
    const reading = readAll(late);
    watchers.tell(event(2));
    watchers.tell(event(3));
    watchers.end();
    expect(texts(await readAll(early))).toEqual(["1", "2", "3"]);
    expect(texts(await reading)).toEqual(["0", "2", "3"]);
    expect(watchers.any).toBe(false);
  });

  test("one that comes after the end sees the past, and the end", async () => {
    const watchers = new Watchers();
    watchers.end();
    expect(texts(await readAll(watchers.attach([event(0)])))).toEqual(["0"]);
    expect(watchers.any).toBe(false);
  });

  test("an error reaches those who wait and those who come, after what they have not read", async () => {
    const watchers = new Watchers();
    const behind = watchers.attach([event(0)]);
    const waiting = watchers.attach([]).next();
    watchers.end(new Error("over"));
    await expect(waiting).rejects.toThrow("over");
    expect((await behind.next()).value).toEqual(event(0));
    await expect(behind.next()).rejects.toThrow("over");
    await expect(watchers.attach([]).next()).rejects.toThrow("over");
  });

  test("`break` detaches one, and leaves the others", async () => {
    const watchers = new Watchers();
    const other = watchers.attach([]);
    const one = watchers.attach([event(0), event(1)]);
    for await (const first of one) {
      expect(first).toEqual(event(0));
      break;
    }
    watchers.tell(event(2));
    expect(await one.next()).toEqual({ done: true, value: undefined });
    watchers.end();
    expect(texts(await readAll(other))).toEqual(["2"]);
  });

  test("one that asks several times before it is answered gets every event once", async () => {
    const watchers = new Watchers();
    const one = watchers.attach([]);
    const asked = [one.next(), one.next(), one.next(), one.next()];
    for (const number of [1, 2, 3]) watchers.tell(event(number));
    watchers.end();
    const answers = await Promise.all(asked);
    expect(texts(answers.slice(0, 3).map(({ value }) => value as RunEvent))).toEqual(["1", "2", "3"]);
    expect(answers[3]!.done).toBe(true);
  });

  test("a slow one loses nothing, however long its queue is", async () => {
    const watchers = new Watchers();
    const slow = watchers.attach([]);
    const read: RunEvent[] = [];
    for (let number = 0; number < 10_000; number++) {
      watchers.tell(event(number));
      if (number % 2 === 0) read.push((await slow.next()).value!);
    }
    watchers.end();
    read.push(...(await readAll(slow)));
    expect(texts(read)).toEqual(Array.from({ length: 10_000 }, (_, number) => String(number)));
  });
});
