/** A fork: another session that has the same past, and goes on by itself. */
import { expect, test } from "vitest";
import type { Entry } from "../../src/core/log.ts";
import { Agent } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/index.ts";
import { asks, faults, scriptedModel, tool, waiting } from "../engine/support.ts";

const ending = ({ prompt }: { prompt: any[] }) => {
  const texts = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content);
  return texts.length === 0 ? asks(["look", {}], ["pay", { amount: 1 }]) : `${texts.length} results`;
};

function setUp() {
  const store = memoryStore();
  const done: string[] = [];
  const note =
    (name: string) =>
    (_input: unknown, { callId }: { callId: string }) => {
      done.push(`${name} ${callId}`);
      return name;
    };
  const tools = [tool("look", note("look")), tool("pay", note("pay"), { approval: true })];
  const model = scriptedModel(Array.from({ length: 200 }, () => ending));
  const agent = new Agent({ name: "a", model, tools, store });
  return { store, done, agent, session: agent.session({ id: "s" }) };
}

test("one question is answered two ways, and what is done stays done", async () => {
  const { session, done, store } = setUp();
  const { pending } = waiting(await session.run("pay"));
  const other = await session.fork();
  const before = await store.read("s");
  const [call] = await other.pending();
  expect(call!.callId).not.toBe(pending[0]!.callId);
  await other.decide(call!.callId, { deny: "no" });
  expect((await other.resume()).output).toBe("2 results");
  expect(await store.read("s")).toEqual(before);
  await session.decide(pending[0]!.callId, { approve: true });
  expect((await session.resume()).output).toBe("2 results");
  expect(done.filter((one) => one.startsWith("look"))).toHaveLength(1);
  expect(done.filter((one) => one.startsWith("pay"))).toEqual([`pay ${pending[0]!.callId}`]);
  expect((await store.read(other.id))[0]).toMatchObject({ type: "run-start", from: { run: expect.any(String) } });
});

test("of every place of the log: it goes on from there, and makes no finished call again", async () => {
  const { session, agent, done, store } = setUp();
  const { pending } = waiting(await session.run("pay"));
  await session.decide(pending[0]!.callId, { approve: true });
  await session.resume();
  const entries = await store.read("s");
  for (const { seq } of entries) {
    done.length = 0;
    const fork = await session.fork({ at: seq });
    const kept: Entry[] = await store.read(fork.id);
    expect(kept).toHaveLength(seq + 1);
    expect(agent.sessions.get(fork.id)).toBe(fork);
    const ended = kept.filter(({ type }) => type === "tool-end").map((entry: any) => entry.name);
    let result = await fork.resume();
    for (let round = 0; result.isInterrupted() && round < 3; round++) {
      for (const { callId, reason } of result.pending)
        await fork.decide(callId, reason === "in-doubt" ? { value: "seen by a person" } : { approve: true });
      result = await fork.resume();
    }
    expect({ seq, output: result.output }).toEqual({ seq, output: "2 results" });
    expect(faults(result.messages)).toEqual([]);
    for (const name of ended) expect(done.filter((one) => one.startsWith(name))).toEqual([]);
    for (const one of done) expect(one).not.toContain(entries[0]!.key);
    await fork.close();
  }
});

test.for([[-1], [1.5], [1000], ["3"]])("there is no entry %j", async ([at]) => {
  const { session } = setUp();
  await session.run("pay");
  await expect(session.fork({ at: at as number })).rejects.toMatchObject({ code: "OPTIONS_INVALID" });
});

test("an empty session has nothing to fork, nor to go on with", async () => {
  const { session } = setUp();
  await expect(session.fork()).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  const result = await session.resume();
  expect(result.isError() && result.error.code).toBe("SESSION_UNKNOWN");
});
