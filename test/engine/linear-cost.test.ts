import { describe, expect, test } from "vitest";
import type { Entry, Store } from "../../src/core/log.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, scriptedModel, tool } from "./support.ts";

/** Makes every later reading of these properties count. */
function countReads(target: object, names: string[], count: () => void): void {
  for (const name of names) {
    const value = (target as any)[name];
    const get = () => {
      count();
      return value;
    };
    Object.defineProperty(target, name, { get, enumerable: true, configurable: true });
  }
}

const echo = tool("echo", ({ n }) => `number ${n}`);

function longRun(steps: number) {
  const script = Array.from({ length: steps }, (_, n) =>
    asks(["echo", { n: 100_000 + n }], ["echo", { n: 200_000 + n }]),
  );
  return { model: scriptedModel([...script, "done"]), tools: [echo], prompt: "go", iterations: steps + 1 };
}

describe("the cost of a step does not grow with the run", () => {
  test("while it goes on: entries and messages that are there already are not read again", async () => {
    const reads: number[] = [];
    const bytes: number[] = [];
    const appends: number[] = [];
    let [read, written, calls] = [0, 0, 0];
    const kept = memoryStore();
    const store: Store = {
      read: kept.read,
      append(session, entries) {
        calls++;
        for (const entry of entries) {
          written += JSON.stringify(entry).length;
          countReads(entry, ["type", "key", "seq"], () => read++);
        }
        expect(session).toBe("s");
      },
    };
    const known = new WeakSet();
    const onIterationEnd = ({ messages }: { messages: readonly object[] }) => {
      for (let index = messages.length - 1; index >= 0 && !known.has(messages[index]!); index--) {
        known.add(messages[index]!);
        countReads(messages[index]!, ["role", "content"], () => read++);
      }
      reads.push(read);
      bytes.push(written);
      appends.push(calls);
      [read, written, calls] = [0, 0, 0];
    };
    const result = await execute({ ...longRun(500), store, session: "s", hooks: { onIterationEnd } });
    expect(result.output).toBe("done");
    const at = (list: number[], step: number) => list.slice(step, step + 5).join();
    for (const [what, list] of Object.entries({ reads, appends })) {
      expect([what, at(list, 490)]).toEqual([what, at(list, 50)]);
    }
    expect(Math.max(...bytes.slice(490, 499))).toBeLessThan(bytes[50]! * 1.05);
    expect(reads[490]).toBeLessThan(100);
  });

  test("when it goes on in another process: the log is read so many times an entry, however long it is", async () => {
    const perEntry: number[] = [];
    for (const steps of [50, 500]) {
      const store = memoryStore();
      const options = longRun(steps);
      await execute({ ...options, store, session: "s" });
      const log = (await store.read("s")).slice(0, -2); // the last iteration has not ended
      const { length } = log;
      let read = 0;
      for (const entry of log) countReads(entry, Object.keys(entry), () => read++);
      const again = await execute({ ...options, model: scriptedModel([]), prompt: undefined, log: log as Entry[] });
      expect(again.output).toBe("done");
      perEntry.push(read / length);
    }
    expect(perEntry[1]! / perEntry[0]!).toBeLessThan(1.1);
    expect(perEntry[1]!).toBeLessThan(60);
  });

  test("the prompt grows by what is new: the array of earlier messages is the same objects", async () => {
    const options = longRun(30);
    await execute(options);
    const { requests } = options.model;
    for (let index = 1; index < requests.length; index++) {
      const [before, after] = [requests[index - 1]!.prompt, requests[index]!.prompt];
      expect(after.slice(0, before.length - 1).every((message, place) => message === before[place])).toBe(true);
    }
  });
});
