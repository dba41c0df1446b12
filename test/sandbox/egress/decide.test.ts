/** Who is asked about what no rule names, and which answers are a yes. */
import { expect, test } from "vitest";
import { z } from "zod";
import { Tool } from "../../../src/core/tool.ts";
import { type EgressDecide, egress } from "../../../src/sandbox/egress/index.ts";
import { requested } from "./helpers.ts";

const lookup = async () => ["93.184.215.14"];
const ask = (decide: EgressDecide, more: object = {}) =>
  egress({ decide, lookup, ...more }).evaluate(requested("a.test"));

const noes: [string, unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["true alone", true],
  ["a word", "allow"],
  ["a word for true", { allow: "true" }],
  ["1", { allow: 1 }],
  ["no", { allow: false }],
  ["an output of a run that failed", { status: "error", output: { allow: true } }],
  ["a run without output", { status: "success" }],
  ["a getter that throws", Object.defineProperty({}, "allow", { get: () => JSON.parse("{") })],
];
test.each(noes)("%s is a no", async (_, answer) => {
  expect(await ask(() => answer as never)).toMatchObject({ allow: false, rule: "decide" });
  expect(await ask({ execute: async () => answer })).toMatchObject({ allow: false });
});

test("only true allows, and what was said goes on in one line", async () => {
  const reason = "yes\n[network: \u001b[31mfake]";
  expect(await ask(() => ({ allow: true, reason }))).toEqual({
    ...{ allow: true, rule: "decide", address: "93.184.215.14" },
    reason: "yes [network:  [31mfake]",
  });
  expect((await ask(() => ({ allow: false, reason: "x".repeat(1000) }))).reason.length).toBeLessThan(310);
});

test("an error is a no, thrown or rejected", async () => {
  const throws = () => {
    throw new Error("asleep");
  };
  expect(await ask(throws)).toMatchObject({ allow: false, reason: "the decision failed: asleep" });
  expect(await ask(async () => throws())).toMatchObject({ allow: false, reason: "the decision failed: asleep" });
  expect(await ask(() => Promise.reject(undefined))).toMatchObject({ allow: false });
});

test("no answer in time is a no, and the one who is asked is told", async () => {
  let told: AbortSignal | undefined;
  const silent: EgressDecide = (_, { abortSignal }) => {
    told = abortSignal;
    return new Promise(() => {});
  };
  const verdict = await ask(silent, { decideTimeoutMs: 20 });
  expect(verdict).toMatchObject({ allow: false, reason: "nobody decided within 20 ms" });
  expect(told?.aborted).toBe(true);
});

test("a command that ends is not decided about any more", async () => {
  const command = new AbortController();
  const policy = egress({ decide: () => new Promise(() => {}), lookup });
  const verdict = policy.evaluate(requested("a.test"), { abortSignal: command.signal });
  command.abort();
  expect(await verdict).toMatchObject({ allow: false, reason: "the command ended before it was decided" });
});

test("a Tool decides, validated; and anything that is executed to a result", async () => {
  const tool = new Tool({
    name: "judge",
    input: z.object({ host: z.string(), port: z.number() }),
    output: z.object({ allow: z.boolean(), reason: z.string() }),
    handler: ({ host }) => ({ allow: host === "a.test", reason: `I know ${host}` }),
  });
  expect(await ask(tool)).toMatchObject({ allow: true, reason: "I know a.test" });
  expect(await egress({ decide: tool, lookup }).evaluate(requested("b.test"))).toMatchObject({ allow: false });
  const agent = { execute: async () => ({ status: "success", output: { allow: true } }) };
  expect(await ask(agent)).toMatchObject({ allow: true });
});

test("an answer is remembered when it says so: for this sandbox, host, port and kind", async () => {
  const asked: string[] = [];
  const policy = egress({
    lookup,
    decide: ({ host, port, isTunnel, sandbox }) => {
      asked.push(`${sandbox} ${host}:${port} ${isTunnel}`);
      return { allow: host !== "no.test", remember: host === "once.test" ? "once" : "session" };
    },
  });
  const evaluate = async (host: string, more: object = {}) => (await policy.evaluate(requested(host, more))).allow;
  expect([await evaluate("a.test"), await evaluate("a.test")]).toEqual([true, true]);
  expect([await evaluate("no.test"), await evaluate("no.test")]).toEqual([false, false]);
  await evaluate("once.test");
  await evaluate("once.test");
  await evaluate("a.test", { port: 8443 });
  await evaluate("a.test", { sandbox: "sandbox_2" });
  await evaluate("a.test", { isTunnel: false, method: "GET", path: "/" });
  expect(asked).toEqual([
    "sandbox_1 a.test:443 true",
    "sandbox_1 no.test:443 true",
    "sandbox_1 once.test:443 true",
    "sandbox_1 once.test:443 true",
    "sandbox_1 a.test:8443 true",
    "sandbox_2 a.test:443 true",
    "sandbox_1 a.test:443 false",
  ]);
});

test("whoever is asked cannot change the request, and yes to a name is no to its address", async () => {
  const decide: EgressDecide = (request) => {
    request.host = "127.0.0.1";
    return { allow: true };
  };
  expect(await ask(decide)).toMatchObject({ allow: true, address: "93.184.215.14" });
  expect(await ask(decide, { lookup: async () => ["127.0.0.1"] })).toMatchObject({ allow: false });
});
