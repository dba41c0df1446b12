import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, execute, ofType, scriptedModel, tool, waiting, watched } from "../engine/support.ts";
import { give } from "./subagents-support.ts";

const OUTER = "Zq7-outer-Kx92-alpha";
const SECOND = "wm4.second!Tr55/beta";
const INNER = "9Hinner_Lp03~gamma";

/** Says all that it may use, and what it was told of. */
const show = tool("show", (input, ctx) => {
  ctx.progress(`${JSON.stringify(ctx.secrets.env())} ${JSON.stringify(input)}`);
  return { names: ctx.secrets.names, values: ctx.secrets.env() };
});

const outer = { A: { static: OUTER }, B: { static: SECOND } };

async function run(secrets: any, more: object = {}) {
  const child = scriptedModel([asks(["show", { said: `${OUTER} ${SECOND} ${INNER}` }]), `${OUTER} ${INNER}`]);
  const model = scriptedModel([asks(give("a", `use ${OUTER}`)), "end"]);
  const store = memoryStore();
  const options = {
    ...{ model, prompt: "go", secrets: outer, store, session: "s" },
    subagents: { a: { model: child, instructions: `Know ${OUTER}`, tools: [show], ...(secrets && { secrets }) } },
    ...more,
  };
  const { events, result } = await watched(execute(options as any));
  const log = await store.read("s");
  const parts = [model.requests, child.requests, events, log, result.messages, result];
  const shown = ofType(log, "tool-end").find(({ name }) => name === "show");
  return { all: inspect(parts, { depth: 30, maxStringLength: 100_000 }) + JSON.stringify(parts), log, shown };
}

describe("secrets of a run and of its sub-agents", () => {
  test("all are handed down, and nobody sees them", async () => {
    const { all, shown } = await run(undefined);
    expect(shown!.output).toEqual({ names: ["A", "B"], values: { A: "[REDACTED:A]", B: "[REDACTED:B]" } });
    for (const value of [OUTER, SECOND]) expect(all).not.toContain(value);
  });

  test.each([
    [["B"], ["B"]],
    [[], []],
    [["B", "C"], ["B"]],
  ])("only %j are, when it says so; the others are taken out all the same", async (names, handed) => {
    const { all, shown, log } = await run(names);
    expect((shown!.output as any).names).toEqual(handed);
    for (const value of [OUTER, SECOND]) expect(all).not.toContain(value);
    const used = ofType(log, "secret").filter(({ action }) => action === "access");
    expect(used.flatMap(({ secrets }) => secrets.map(({ name }) => name))).toEqual(handed);
  });

  test("its own stand in their place: they are taken out there, and so are those of the run", async () => {
    const { all, shown, log } = await run({ A: { static: INNER } });
    expect(shown!.output).toEqual({ names: ["A"], values: { A: "[REDACTED:A]" } });
    for (const value of [OUTER, SECOND, INNER]) expect(all).not.toContain(value);
    const resolved = ofType(log, "secret").filter(({ action }) => action === "resolve");
    expect(resolved.map(({ secrets }) => secrets.map(({ name }) => name))).toEqual([["A", "B"], ["A"]]);
  });

  test("what its `redact` takes out is taken out of its part alone", async () => {
    const { log } = await run(undefined, {
      prompt: "mail me@example.com",
      subagents: {
        a: {
          model: scriptedModel([asks("mail"), "end"]),
          tools: [tool("mail", () => "to you@example.com")],
          redact: ["email"],
        },
      },
    });
    const text = JSON.stringify(log);
    expect(text).toContain("me@example.com");
    expect(text).not.toContain("you@example.com");
  });

  test("what is said of a call that waits inside has no secret in it, and a decision still fits it", async () => {
    const pay = tool("pay", () => "paid", { approval: ({ to }: any) => `pay ${to}?` });
    const child = scriptedModel([asks(["pay", { to: `${OUTER} ${INNER}` }]), "paid it"]);
    const options = {
      model: scriptedModel([asks(give("a")), "end"]),
      prompt: "go",
      secrets: outer,
      subagents: { a: { model: child, tools: [pay], secrets: { I: { static: INNER } } } },
    };
    const { pending, snapshot } = waiting(await execute(options));
    expect(pending).toMatchObject([{ input: { to: "[REDACTED:A] [REDACTED:I]" } }]);
    for (const value of [OUTER, INNER]) expect(JSON.stringify(snapshot)).not.toContain(value);
    const result = await execute({ ...options, log: snapshot.decide(pending[0]!.callId, { approve: true }) });
    expect(result.output).toBe("end");
  });
});
