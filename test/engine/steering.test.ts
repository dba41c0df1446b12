import { describe, expect, test } from "vitest";
import { Exit, type RunEvent } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, faults, gate, ofType, results, scriptedModel, tool, waiting, watched } from "./support.ts";

const nothing = tool("nothing", () => "nothing");

function texts(messages: readonly any[]): string[] {
  return messages.filter(({ role }) => role === "user").map(({ content }) => content[0].text);
}

describe("steer", () => {
  test("during a call: it is in the next request, the call finishes, calls that have not started are skipped", async () => {
    const started = gate();
    const flight = gate();
    let calls = 0;
    const slow = tool("slow", async () => {
      if (++calls === 8) started.open();
      await flight.passed;
      return "finished";
    });
    const model = scriptedModel([asks(...Array(10).fill("slow")), "ok"]);
    const run = execute({ model, tools: [slow], prompt: "go" });
    run.then(() => {});
    await started.passed;
    expect(run.steer("stop that")).toBe(true);
    flight.open();
    const result = await run;
    expect(calls).toBe(8);
    const read = Object.values(results(model.requests[1]!.prompt));
    expect(read.slice(0, 8)).toEqual(Array(8).fill("finished"));
    expect(read[9]).toMatch(/^! Not done: a new message of the user came first/);
    expect(model.requests[1]!.prompt.at(-1)).toMatchObject({ role: "user", content: [{ text: "stop that" }] });
    expect(faults(model.requests[1]!.prompt)).toEqual([]);
    expect(texts(result.messages)).toEqual(["go", "stop that"]);
  });

  test("while the model answers: the calls that it asks for are skipped, and it is asked again", async () => {
    let calls = 0;
    const work = tool("work", () => calls++);
    const model = scriptedModel([
      () => {
        run.steer("never mind");
        return asks("work");
      },
      "ok",
    ]);
    const run = execute({ model, tools: [work], prompt: "go" });
    await run;
    expect(calls).toBe(0);
    expect(results(model.requests[1]!.prompt).call_1_1).toMatch(/^! Not done: a new message/);
    expect(model.requests[1]!.prompt.at(-1)).toMatchObject({ role: "user", content: [{ text: "never mind" }] });
  });

  test("while the model answers with text: the run goes on", async () => {
    const model = scriptedModel([
      () => {
        run.steer("in French, please");
        return "Hello.";
      },
      "Bonjour.",
    ]);
    const run = execute({ model, prompt: "Say hello" });
    expect((await run).output).toBe("Bonjour.");
    expect(texts(model.requests[1]!.prompt)).toEqual(["Say hello", "in French, please"]);
  });

  test("before anything has started", async () => {
    const model = scriptedModel(["ok"]);
    const run = execute({ model, prompt: "go" });
    expect(run.steer("and hurry")).toBe(true);
    await run;
    expect(texts(model.requests[0]!.prompt)).toEqual(["go", "and hurry"]);
  });

  test.each(["onIterationStart", "onIterationEnd", "onBeforeExecution"] as const)(
    "in %s: it is read with the next request",
    async (name) => {
      let said = false;
      const model = scriptedModel(["one", "two", "three"]);
      const hooks = {
        [name]: () => {
          if (!said) expect(run.steer("wait")).toBe(true);
          said = true;
        },
      };
      const run = execute({ model, prompt: "go", hooks });
      const result = await run;
      const request = name === "onIterationStart" ? 0 : 1;
      expect(texts(model.requests[request]!.prompt)).toEqual(["go", "wait"]);
      expect(result.output).toBe(request === 0 ? "one" : "two");
    },
  );

  test("is accepted exactly when it is read: from every event on, true means that the model sees it", async () => {
    for (let at = 0; at < 40; at++) {
      const model = scriptedModel([asks("nothing"), ...Array(5).fill("ok")]);
      const run = execute({ model, tools: [nothing], prompt: "go", iterations: 8 });
      let number = 0;
      let accepted: boolean | undefined;
      for await (const _ of run) if (number++ === at) accepted = run.steer("MARK");
      const result = await run;
      if (accepted === undefined) return;
      const seen = model.requests.some(({ prompt }) => JSON.stringify(prompt).includes("MARK"));
      expect([at, seen]).toEqual([at, accepted]);
      expect(faults(result.messages)).toEqual([]);
    }
  });

  test("after the end: false", async () => {
    const run = execute({ model: scriptedModel(["ok"]), prompt: "go" });
    await run;
    expect(run.steer("too late")).toBe(false);
    expect(run.followUp("too late")).toBe(false);
  });

  test("the conversation reads the same in the log as it was lived", async () => {
    for (let at = 0; at < 14; at++) {
      const store = memoryStore();
      const model = scriptedModel([asks("nothing"), asks("nothing"), "ok", "ok", "ok"]);
      const run = execute({ model, tools: [nothing], prompt: "go", store, session: "s" });
      let number = 0;
      for await (const _ of run) if (number++ === at) run.steer("MARK");
      const lived = (await run).messages;
      const next = scriptedModel(["ok"]);
      const read = await execute({ model: next, tools: [nothing], prompt: "next", store, session: "s" });
      expect(read.messages.slice(0, lived.length), `said at event ${at}`).toEqual(lived);
    }
  });
});

describe("in a run that goes on in another process", () => {
  test("what was said during the iteration that was cut still comes after it", async () => {
    const started = gate();
    const flight = gate();
    const store = memoryStore();
    const slow = tool("slow", () => {
      started.open();
      return flight.passed;
    });
    const run = execute({
      model: scriptedModel([asks("slow"), "ok"]),
      tools: [slow],
      prompt: "go",
      store,
      session: "s",
    });
    run.then(() => {});
    await started.passed;
    run.steer("MARK");
    flight.open();
    const lived = (await run).messages;
    const entries = await store.read("s");
    const said = entries.findIndex((entry) => entry.type === "message" && entry.via === "steer");
    for (let length = said + 1; length < entries.length; length++) {
      const log = entries.slice(0, length);
      const model = scriptedModel(["ok"].slice(ofType(log, "model-response").length - 1));
      const again = await execute({ model, tools: [slow.with({ idempotent: true })], log });
      expect([length, texts(again.messages)]).toEqual([length, ["go", "MARK"]]);
      expect([length, again.messages.map(({ role }) => role)]).toEqual([length, lived.map(({ role }) => role)]);
      expect([length, results(again.messages)]).toEqual([length, results(lived)]);
    }
  });

  test("a new prompt in place of a decision: the call is not done, and the message is read", async () => {
    let paid = 0;
    const pay = tool("pay", () => ++paid, { approval: true });
    const store = memoryStore();
    const options = { tools: [pay], store, session: "s" };
    const first = waiting(await execute({ ...options, model: scriptedModel([asks("pay")]), prompt: "Pay." }));
    const model = scriptedModel(["All right."]);
    const result = await execute({ ...options, model, prompt: "No, wait." });
    expect(result).toMatchObject({ status: "success", output: "All right.", run: first.run });
    expect(paid).toBe(0);
    expect(results(model.requests[0]!.prompt).call_1_1).toMatch(/^! Not done: a new message of the user came first/);
    expect(model.requests[0]!.prompt.at(-1)).toMatchObject({ content: [{ text: "No, wait." }] });
    const late = first.snapshot.decide(first.pending[0]!.callId, { approve: true });
    expect(await execute({ ...options, model, log: late })).toMatchObject({ error: { code: "LOG_CONFLICT" } });
    expect(paid).toBe(0);
  });

  test("a decision counts, also with a new prompt beside it", async () => {
    const pay = tool("pay", () => "paid", { approval: true });
    const { snapshot, pending } = waiting(
      await execute({ model: scriptedModel([asks("pay")]), tools: [pay], prompt: "Pay." }),
    );
    const model = scriptedModel(["Done."]);
    const log = snapshot.decide(pending[0]!.callId, { approve: true });
    await execute({ model, tools: [pay], log, prompt: "And be quick." });
    expect(results(model.requests[0]!.prompt)).toEqual({ call_1_1: "paid" });
    expect(texts(model.requests[0]!.prompt)).toEqual(["Pay.", "And be quick."]);
  });

  test("a call in doubt is never called not done", async () => {
    const store = memoryStore();
    const effect = tool("effect", () => "done");
    const options = { tools: [effect], store, session: "s" };
    await execute({ ...options, model: scriptedModel([asks("effect"), "ok"]), prompt: "go" });
    const started = (await store.read("s")).findIndex(({ type }) => type === "tool-start");
    const log = (await store.read("s")).slice(0, started + 1);
    const result = waiting(await execute({ model: scriptedModel([]), tools: [effect], log, prompt: "never mind" }));
    expect(result.pending).toMatchObject([{ reason: "in-doubt" }]);
  });
});

describe("followUp", () => {
  test("goes on where the run would end, one after the other", async () => {
    const model = scriptedModel(["one", asks("nothing"), "two", "three"]);
    const run = execute({ model, tools: [nothing], prompt: "first" });
    expect(run.followUp("second")).toBe(true);
    expect(run.followUp("third")).toBe(true);
    const result = await run;
    expect(result.output).toBe("three");
    expect(texts(result.messages)).toEqual(["first", "second", "third"]);
    expect(texts(model.requests[1]!.prompt)).toEqual(["first", "second"]);
  });

  test("after an exit as well", async () => {
    const done = new Exit({ name: "finish" });
    const model = scriptedModel([asks(["finish", { value: 1 }]), asks(["finish", { value: 2 }])]);
    const run = execute({ model, exits: [done], prompt: "first" });
    run.followUp("second");
    const result = await run;
    expect(result.output).toBe(2);
    expect(faults(result.messages)).toEqual([]);
  });

  test("does not hide an error", async () => {
    const run = execute({ model: scriptedModel([asks("nothing")]), tools: [nothing], prompt: "go", iterations: 1 });
    run.followUp("more");
    expect(await run).toMatchObject({ status: "error", stopReason: "iterations" });
  });

  test("is in the log where it was read", async () => {
    const run = execute({ model: scriptedModel(["one", "two"]), prompt: "go" });
    run.followUp("more");
    const { events } = await watched(run);
    const order = (events as RunEvent[]).filter(({ type }) => type === "message" || type === "iteration-end");
    expect(order.map((event) => ("via" in event ? event.via : event.type))).toEqual([
      "prompt",
      "iteration-end",
      "follow-up",
      "iteration-end",
    ]);
    expect(ofType(events, "run-end")).toHaveLength(1);
  });
});
