import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, gate, scriptedModel, sleep, tool, waiting, watched } from "./support.ts";

const nothing = tool("nothing", () => "nothing");
const types = (events: readonly RunEvent[]) => events.map(({ type }) => type);
const isLive = ({ type }: RunEvent) => /delta|output|retry|reset/.test(type);

/** A model that tells how it was called. */
function recorded(...script: Parameters<typeof scriptedModel>) {
  const ways: string[] = [];
  const model = scriptedModel(...script);
  return {
    ...model,
    ways,
    doGenerate(options: any) {
      ways.push("whole");
      return model.doGenerate(options);
    },
    doStream(options: any) {
      ways.push("streamed");
      return model.doStream(options);
    },
  };
}

async function collect(run: AsyncIterable<RunEvent>, events: RunEvent[] = []): Promise<RunEvent[]> {
  for await (const event of run) events.push(event);
  return events;
}

describe("a run that is iterated", () => {
  test("streams only while somebody iterates", async () => {
    const unwatched = recorded([asks("nothing"), "ok"]);
    await execute({ model: unwatched, tools: [nothing], prompt: "go" });
    expect(unwatched.ways).toEqual(["whole", "whole"]);

    const model = recorded([asks("nothing"), "ok"]);
    await watched(execute({ model, tools: [nothing], prompt: "go" }));
    expect(model.ways).toEqual(["streamed", "streamed"]);
  });

  test("break detaches: the run goes on, without streaming", async () => {
    const model = recorded([asks("nothing"), asks("nothing"), "ok"]);
    const run = execute({ model, tools: [nothing], prompt: "go" });
    for await (const { type } of run) if (type === "iteration-end") break;
    expect((await run).output).toBe("ok");
    expect(model.ways).toEqual(["streamed", "whole", "whole"]);
  });

  test("an early iterator sees all; the entries are those of the log", async () => {
    const store = memoryStore();
    const model = scriptedModel([asks("nothing"), { pieces: ["o", "k"] }]);
    const { events } = await watched(execute({ model, tools: [nothing], prompt: "go", store, session: "s" }));
    expect(events.filter((event) => !isLive(event))).toEqual(await store.read("s"));
    expect(types(events.filter(isLive))).toEqual(["tool-input-delta", "tool-input-delta", "text-delta", "text-delta"]);
  });

  test("a late iterator sees the entries so far, once, and then what is live; no deltas are kept", async () => {
    for (const store of [undefined, memoryStore()]) {
      const reached = gate();
      const go = gate();
      const wait = tool("wait", () => {
        reached.open();
        return go.passed;
      });
      const model = scriptedModel([{ ...asks("wait"), pieces: ["early ", "text"] }, { pieces: ["la", "te"] }]);
      const run = execute({ model, tools: [wait], prompt: "go", ...(store && { store, session: "s" }) });
      const early = collect(run);
      await reached.passed;
      const late = collect(run);
      go.open();
      const [all, some] = await Promise.all([early, late]);
      expect(some.filter((event) => !isLive(event))).toEqual(all.filter((event) => !isLive(event)));
      expect(types(some.filter(isLive))).toEqual(["text-delta", "text-delta"]);
      expect(some.filter(isLive)).toMatchObject([{ text: "la" }, { text: "te" }]);
    }
  });

  test("a late iterator is told of no entry before it is in the store", async () => {
    const slow = memoryStore();
    const written = gate();
    const reached = gate();
    const store = {
      read: slow.read,
      async append(session: string, entries: any, options: any) {
        if (entries.some(({ type }: any) => type === "tool-start")) {
          reached.open();
          await written.passed;
        }
        await slow.append(session, entries, options);
      },
    };
    const run = execute({ model: scriptedModel([asks("nothing"), "ok"]), tools: [nothing], prompt: "go", store });
    run.then(() => {});
    await reached.passed;
    const events: RunEvent[] = [];
    const all = collect(run, events);
    await sleep(20);
    expect(types(events)).not.toContain("tool-start");
    written.open();
    await all;
    const seqs = events.flatMap((event) => ("seq" in event ? [event.seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => index));
    expect(types(events)).toContain("tool-start");
  });

  test("after the end an iterator sees the entries and is done", async () => {
    const run = execute({ model: scriptedModel(["ok"]), prompt: "go" });
    await run;
    expect(types(await collect(run))).toEqual([
      "run-start",
      "message",
      "model-start",
      "model-response",
      "iteration-end",
      "run-end",
    ]);
  });

  test("a run that goes on shows what is new, early and late alike", async () => {
    const wait = tool("wait", () => 1, { approval: true });
    const model = scriptedModel([asks("wait"), "ok"]);
    const options = { model, tools: [wait] };
    const { snapshot, pending } = waiting(await execute({ ...options, prompt: "go" }));
    const run = execute({ ...options, log: snapshot.decide(pending[0]!.callId, { approve: true }) });
    const early = await collect(run);
    expect(types(early).filter((type) => type !== "text-delta")).toEqual([
      "tool-start",
      "tool-end",
      "iteration-end",
      "model-start",
      "model-response",
      "iteration-end",
      "run-end",
    ]);
    expect(await collect(run)).toEqual(early.filter((event) => !isLive(event)));
  });

  test("two iterators see the same, at their own pace", async () => {
    const model = scriptedModel([asks("nothing"), { pieces: ["o", "k"] }]);
    const run = execute({ model, tools: [nothing], prompt: "go" });
    const slowly = (async () => {
      const events: RunEvent[] = [];
      for await (const event of run) {
        events.push(event);
        await sleep(2);
      }
      return events;
    })();
    const [quick, slow] = await Promise.all([collect(run), slowly]);
    expect(slow).toEqual(quick);
  });

  test("next() called before the last one was answered", async () => {
    const run = execute({ model: scriptedModel(["ok"]), prompt: "go" });
    const iterator = run[Symbol.asyncIterator]();
    const first = await Promise.all(Array.from({ length: 12 }, () => iterator.next()));
    expect(types(first.flatMap(({ value }) => (value ? [value] : []))).slice(0, 3)).toEqual([
      "run-start",
      "message",
      "model-start",
    ]);
    expect(first.at(-1)).toEqual({ done: true, value: undefined });
  });

  test("a handler's progress is live, and not kept", async () => {
    const loud = tool("loud", (_, { progress }) => progress("half way"));
    const store = memoryStore();
    const run = execute({
      model: scriptedModel([asks("loud"), "ok"]),
      tools: [loud],
      prompt: "go",
      store,
      session: "s",
    });
    const events = await collect(run);
    expect(events.filter(({ type }) => type === "tool-output")).toMatchObject([{ name: "loud", text: "half way" }]);
    expect(JSON.stringify(await store.read("s"))).not.toContain("half way");
  });
});

describe("a run that is only awaited", () => {
  test("starts although nobody looks, and gives the same result to everyone", async () => {
    const model = scriptedModel(["ok"]);
    const run = execute({ model, prompt: "go" });
    await sleep(20);
    expect(model.played).toBe(1);
    expect(await run).toBe(await run);
    await expect(run.finally(() => {})).resolves.toBe(await run);
    await expect(run.catch(() => "none")).resolves.toBe(await run);
  });

  test("options that do not fit reject: whoever awaits and whoever iterates", async () => {
    const run = execute({ model: scriptedModel([]), prompt: "go", iterations: 0 });
    await expect(collect(run)).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
    await expect(run).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
    await expect(collect(run)).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
  });
});
