import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createExecute } from "../../src/engine/execute.ts";
import { SnapshotSignal, ThinkSignal } from "../../src/index.ts";
import { toolsMode } from "../../src/modes/tools.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, gate, hangs, results, scriptedModel, sleep, tool, watched } from "./support.ts";

/** Aborts the run once it has got there; gives the result, and how long it took. */
async function aborted(run: ReturnType<typeof execute>, reached: Promise<unknown>, reason?: unknown) {
  run.then(() => {});
  await reached;
  const since = Date.now();
  run.abort(reason);
  const result = await run;
  return { result, tookMs: Date.now() - since };
}

describe("an abort", () => {
  test("before anything has started", async () => {
    const model = scriptedModel(["ok"]);
    const run = execute({ model, prompt: "go" });
    run.abort("changed my mind");
    expect(await run).toMatchObject({
      status: "error",
      stopReason: "aborted",
      error: { code: "ABORTED", message: "The run was aborted: changed my mind" },
    });
    expect(model.requests).toEqual([]);
  });

  test("by a signal that has fired already, and by one that fires", async () => {
    const model = scriptedModel([{ text: "late", delayMs: 60_000 }]);
    const fired = await execute({ model, prompt: "go", abortSignal: AbortSignal.abort("before") });
    expect(fired).toMatchObject({ stopReason: "aborted", error: { message: "The run was aborted: before" } });
    const timed = await execute({ model, prompt: "go", abortSignal: AbortSignal.timeout(30) });
    expect(timed).toMatchObject({ status: "error", stopReason: "aborted" });
  });

  test("while the model answers", async () => {
    const reached = gate();
    const late = () => {
      reached.open();
      return { text: "late", delayMs: 60_000 };
    };
    const model = scriptedModel([late]);
    const { result, tookMs } = await aborted(execute({ model, prompt: "go" }), reached.passed);
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(tookMs).toBeLessThan(1000);
    expect(faults(result.messages)).toEqual([]);
  });

  test("during calls: those that listen stop, what finished stays, the rest is not started", async () => {
    const started = gate();
    let late = 0;
    const tools = [
      tool("quick", () => "kept"),
      tool(
        "listens",
        (_, { abortSignal }) =>
          new Promise((_, reject) => {
            started.open();
            abortSignal.addEventListener("abort", () => reject(new Error("stopped by me")));
          }),
      ),
      tool("late", () => late++),
    ];
    const model = scriptedModel([asks("quick", ...Array(8).fill("listens"), "late")]);
    const { result, tookMs } = await aborted(execute({ model, tools, prompt: "go" }), started.passed, "enough");
    expect(tookMs).toBeLessThan(1000);
    expect(late).toBe(0);
    expect(faults(result.messages)).toEqual([]);
    const read = Object.values(results(result.messages));
    expect(read[0]).toBe("kept");
    expect(read[1]).toMatch(/^! /);
    expect(read[9]).toBe("! Not done: the run was aborted");
  });

  test("during handlers that take no notice", async () => {
    const started = gate();
    const deaf = tool("deaf", hangs(started));
    const { result, tookMs } = await aborted(
      execute({ model: scriptedModel([asks("deaf", "deaf")]), tools: [deaf], prompt: "go" }),
      started.passed,
    );
    expect(result.stopReason).toBe("aborted");
    expect(tookMs).toBeLessThan(1000);
    expect(faults(result.messages)).toEqual([]);
  });

  test("of a call that had done its work, when what comes after it hangs, does not say that it was not done", async () => {
    const started = gate();
    const pay = tool("pay", () => "paid");
    const hooks = { onAfterTool: hangs(started) };
    const { result } = await aborted(
      execute({ model: scriptedModel([asks("pay")]), tools: [pay], prompt: "go", hooks }),
      started.passed,
    );
    expect(results(result.messages).call_1_1).toMatch(/^! .*not known/);
  });

  test("during an approve that never answers", async () => {
    const reached = gate();
    const pay = tool("pay", () => 1, { approval: true });
    const run = execute({
      model: scriptedModel([asks("pay")]),
      tools: [pay],
      prompt: "go",
      approve: hangs(reached),
    });
    const { result, tookMs } = await aborted(run, reached.passed);
    expect(result.stopReason).toBe("aborted");
    expect(tookMs).toBeLessThan(1000);
  });

  test.each(["instructions", "tools", "exits", "model", "temperature"])(
    "during a dynamic %s that never comes",
    async (name) => {
      const reached = gate();
      const options: any = { model: scriptedModel(["ok"]), prompt: "go", [name]: hangs(reached) };
      const { result, tookMs } = await aborted(execute(options), reached.passed);
      expect(result.stopReason).toBe("aborted");
      expect(tookMs).toBeLessThan(1000);
    },
  );

  test("during the wait before another attempt at the model", async () => {
    const model = scriptedModel([{ error: Object.assign(new Error("busy"), { statusCode: 503 }) }, "ok"]);
    const run = execute({ model, prompt: "go", modelLimits: { backoffMs: 50_000, maxWaitMs: 100_000 } });
    const waits = (async () => {
      for await (const event of run) if (event.type === "retry") return;
    })();
    const { result, tookMs } = await aborted(run, waits);
    expect(result.stopReason).toBe("aborted");
    expect(tookMs).toBeLessThan(1000);
  });

  test("while the store is read", async () => {
    const reached = gate();
    const store = { read: hangs(reached), append: async () => {} };
    const model = scriptedModel([]);
    const { result, tookMs } = await aborted(execute({ model, prompt: "go", store, session: "s" }), reached.passed);
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(tookMs).toBeLessThan(1000);
  });

  test("while the sandbox is opened: one that comes too late is closed again", async () => {
    const reached = gate();
    const opened = gate();
    const closed = gate();
    const rooms: any = {
      mode: () => toolsMode,
      async sandbox() {
        reached.open();
        await opened.passed;
        return { kind: "slow", summary: "slow", dispose: async () => closed.open() };
      },
    };
    const run = createExecute(rooms)({ prompt: "go", sandbox: "slow" });
    const { result, tookMs } = await aborted(run, reached.passed);
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(tookMs).toBeLessThan(1000);
    opened.open();
    await closed.passed;
  });

  test("and a think, and a pause, and a failure at once: the run was aborted", async () => {
    const started = gate();
    const tools = [
      tool("thinks", async () => {
        await started.passed;
        throw new ThinkSignal("think");
      }),
      tool("pauses", async () => {
        await started.passed;
        throw new SnapshotSignal("pause");
      }),
      tool("aborts", async () => {
        run.abort("enough");
        started.open();
        throw new Error("fails");
      }),
    ];
    const run = execute({ model: scriptedModel([asks("thinks", "pauses", "aborts", "thinks")]), tools, prompt: "go" });
    const result = await run;
    expect(result).toMatchObject({ status: "error", stopReason: "aborted" });
    expect(faults(result.messages)).toEqual([]);
  });

  test("a second time, or after the end, changes nothing", async () => {
    const run = execute({ model: scriptedModel(["ok"]), prompt: "go" });
    expect((await run).status).toBe("success");
    run.abort("late");
    expect((await run).status).toBe("success");
  });

  test.each([undefined, null, "text", 0, new Error("an error"), { any: "thing" }, new SnapshotSignal("x")])(
    "for any reason: %s",
    async (reason) => {
      const started = gate();
      const work = tool("work", hangs(started));
      const { result } = await aborted(
        execute({ model: scriptedModel([asks("work")]), tools: [work], prompt: "go" }),
        started.passed,
        reason,
      );
      expect(result).toMatchObject({ status: "error", stopReason: "aborted", error: { code: "ABORTED" } });
    },
  );

  test("leaves a session whose next run has a valid conversation", async () => {
    const store = memoryStore();
    const started = gate();
    const tools = [tool("quick", () => "kept"), tool("deaf", hangs(started))];
    const options = { tools, store, session: "s" };
    await aborted(execute({ ...options, model: scriptedModel([asks("quick", "deaf")]), prompt: "go" }), started.passed);
    const model = scriptedModel(["ok"]);
    const next = await execute({ ...options, model, prompt: "and now?" });
    expect(next.status).toBe("success");
    expect(faults(model.requests[0]!.prompt)).toEqual([]);
    expect(results(model.requests[0]!.prompt).call_1_1).toBe("kept");
  });

  test("ends the stream of events, with the end in it", async () => {
    const started = gate();
    const work = tool("work", hangs(started));
    const run = execute({ model: scriptedModel([asks("work")]), tools: [work], prompt: "go" });
    const seen = watched(run);
    await started.passed;
    run.abort();
    const { events } = await seen;
    expect(events.at(-1)).toMatchObject({ type: "run-end", status: "error", stopReason: "aborted" });
  });

  test("what a handler does after it is not part of the run", async () => {
    const started = gate();
    const later = gate();
    const store = memoryStore();
    const deaf = tool("deaf", async (_, ctx) => {
      started.open();
      await later.passed;
      ctx.progress("still here");
      return "too late";
    });
    const run = execute({ model: scriptedModel([asks("deaf")]), tools: [deaf], prompt: "go", store, session: "s" });
    await aborted(run, started.passed);
    const before = await store.read("s");
    later.open();
    await sleep(20);
    expect(await store.read("s")).toEqual(before);
    expect(before.at(-1)!.type).toBe("run-end");
  });

  test("10,000 runs with one signal leave no listener on it, and Node warns of none", async () => {
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...given: any) => {
      listeners++;
      addEventListener.apply(signal, given);
    };
    signal.removeEventListener = (...given: any) => {
      listeners--;
      removeEventListener.apply(signal, given);
    };
    for (let round = 0; round < 100; round++)
      await Promise.all(
        Array.from({ length: 100 }, () => execute({ model: scriptedModel(["ok"]), prompt: "go", abortSignal: signal })),
      );
    expect(listeners).toBe(0);
    await sleep(1); // warnings come a tick later
    process.off("warning", note);
    expect(warnings.map(({ name }) => name)).not.toContain("MaxListenersExceededWarning");
  });
});

test("a process that has nothing else to do still gets the result of an aborted run", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-abort-"));
  try {
    const script = join(folder, "aborted.ts");
    const root = new URL("../../src/", import.meta.url).pathname;
    writeFileSync(
      script,
      `import { execute, Tool } from "${root}index.ts";
       import { scriptedModel } from "${root}testing/index.ts";
       const never = new Promise(() => {});
       const hang = new Tool({ name: "hang", handler: () => 1 });
       const model = scriptedModel([{ toolCalls: [{ name: "hang" }] }]);
       const run = execute({ model, tools: [hang], prompt: "go", hooks: { onAfterTool: () => { run.abort(); return never; } } });
       run.then((result) => console.log(result.stopReason));`,
    );
    const jiti = new URL("../../node_modules/jiti/lib/jiti-register.mjs", import.meta.url).pathname;
    const ran = spawnSync(process.execPath, ["--import", jiti, script], { encoding: "utf8" });
    expect(ran).toMatchObject({ stdout: "aborted\n", status: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
