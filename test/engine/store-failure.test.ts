import { describe, expect, test } from "vitest";
import type { Store } from "../../src/core/log.ts";
import { HaftError } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, gate, hangs, ofType, scriptedModel, sleep, tool } from "./support.ts";

/** Takes so many entries and then fails. */
function failing(after: number, error: unknown = new Error("disk full")): Store & { kept: Store } {
  const kept = memoryStore();
  let count = 0;
  return {
    kept,
    read: kept.read,
    async append(session, entries, options) {
      await sleep(0);
      count += entries.length;
      if (count > after) throw error;
      await kept.append(session, entries, options);
    },
  };
}

describe("a store that fails", () => {
  test("anywhere: nothing further is started, and the result is an error", async () => {
    let entries = 0;
    for (let after = 0; ; after++) {
      const store = failing(after);
      const startedAt: number[] = [];
      const effect = tool("effect", async () => {
        startedAt.push(ofType(await store.kept.read("s"), "tool-start").length);
        return 1;
      });
      const model = scriptedModel([asks("effect"), asks("effect"), "ok"]);
      const result = await execute({ model, tools: [effect], prompt: "go", store, session: "s" });
      const log = await store.kept.read("s");
      // A handler ran only where its start was kept, and no model was asked after the failure.
      expect(startedAt).toEqual(ofType(log, "tool-start").map((_, index) => index + 1));
      expect(model.played - ofType(log, "model-response").length).toBeLessThanOrEqual(1);
      if (result.status === "success") {
        entries = log.length;
        break;
      }
      expect(result).toMatchObject({
        status: "error",
        stopReason: "error",
        error: { code: "STORE_FAILED", message: expect.stringContaining("disk full") },
      });
      expect(faults(result.messages)).toEqual([]);
      expect(ofType(log, "run-end")).toEqual([]);

      // Mended, the same session goes on to the end.
      const mended = scriptedModel([asks("effect"), asks("effect"), "ok"].slice(ofType(log, "model-response").length));
      const tools = [effect.with({ idempotent: true })];
      const again = await execute({ model: mended, tools, store: store.kept, session: "s", prompt: "go" });
      expect([after, again.status]).toEqual([after, "success"]);
    }
    expect(entries).toBe(18);
  });

  test("while calls are in flight: they are told to stop", async () => {
    const reached = gate();
    let told: unknown;
    const tools = [
      tool("listens", (_, { abortSignal }) => {
        reached.open();
        return new Promise<void>((resolve) => {
          abortSignal.addEventListener("abort", () => {
            told = abortSignal.reason;
            resolve();
          });
        });
      }),
      tool("quick", () => reached.passed),
    ];
    const store = failing(7);
    const result = await execute({
      model: scriptedModel([asks("listens", "quick")]),
      tools,
      prompt: "go",
      store,
      session: "s",
    });
    expect(result).toMatchObject({ status: "error", error: { code: "STORE_FAILED" } });
    expect(told).toMatchObject({ code: "STORE_FAILED" });
  });

  test("a failure with a code of its own keeps it", async () => {
    const stale = new HaftError("STORE_EPOCH_STALE", "someone else has it");
    const store = failing(4, stale);
    const result = await execute({ model: scriptedModel([asks("x"), "ok"]), prompt: "go", store, session: "s" });
    expect(result).toMatchObject({ status: "error", error: { code: "STORE_EPOCH_STALE" } });
  });

  test("that throws at once, or what is no error", async () => {
    for (const append of [
      () => {
        throw new Error("at once");
      },
      () => Promise.reject(undefined),
      () => Promise.reject("text"),
    ]) {
      const store = { read: async () => [], append };
      const result = await execute({ model: scriptedModel(["ok"]), prompt: "go", store, session: "s" });
      expect(result).toMatchObject({ status: "error", error: { code: "STORE_FAILED" } });
    }
  });

  test("watchers see nothing that was not kept", async () => {
    const store = failing(5);
    const run = execute({ model: scriptedModel([asks("x"), "ok"]), prompt: "go", store, session: "s" });
    const seen: number[] = [];
    for await (const event of run) if ("seq" in event) seen.push(event.seq);
    expect(seen).toEqual((await store.kept.read("s")).map(({ seq }) => seq));
    expect((await run).status).toBe("error");
  });

  test("an abort ends a run whose store does not answer", async () => {
    const reached = gate();
    const store = { read: async () => [], append: hangs(reached) };
    const run = execute({ model: scriptedModel(["ok"]), prompt: "go", store, session: "s" });
    run.then(() => {});
    await reached.passed;
    const since = Date.now();
    run.abort();
    expect((await run).status).toBe("error");
    expect(Date.now() - since).toBeLessThan(2000);
  });
});

describe("two runs of one session at once", () => {
  test("one of them ends with a conflict, and the log stays whole", async () => {
    const store = memoryStore();
    const work = tool("work", () => sleep(1));
    const one = () =>
      execute({
        model: scriptedModel([asks("work"), asks("work"), "ok"]),
        tools: [work],
        prompt: "go",
        store,
        session: "s",
      });
    const both = await Promise.all([one(), one()]);
    expect(both.map(({ status }) => status).sort()).toEqual(["error", "success"]);
    expect(both.find(({ status }) => status === "error")).toMatchObject({ error: { code: "STORE_CONFLICT" } });
    const kept = await store.read("s");
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index));
  });

  test("a worker of an older epoch stops, and the newer one goes on", async () => {
    const store = memoryStore();
    const reached = gate();
    const go = gate();
    const work = tool(
      "work",
      () => {
        reached.open();
        return go.passed;
      },
      { idempotent: true },
    );
    const options = { tools: [work], store, session: "s" };
    const old = execute({ ...options, model: scriptedModel([asks("work"), "old"]), prompt: "go", epoch: 1 });
    old.then(() => {});
    await reached.passed;
    const quick = work.with({ handler: () => "quick" });
    const next = await execute({ ...options, tools: [quick], model: scriptedModel(["new"]), epoch: 2 });
    go.open();
    expect(next.output).toBe("new");
    expect(await old).toMatchObject({ status: "error", error: { code: "STORE_EPOCH_STALE" } });
    const kept = await store.read("s");
    expect(kept.map(({ seq }) => seq)).toEqual(kept.map((_, index) => index));
    expect(ofType(kept, "tool-end")).toMatchObject([{ output: "quick" }]);
  });
});
