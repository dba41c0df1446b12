/** Snapshots: which calls wait, and decisions about them. */
import { describe, expect, test } from "vitest";
import { hashOf } from "../../src/base/json.ts";
import type { Entry, EntryBody } from "../../src/core/log.ts";
import { pendingCalls, Snapshot } from "../../src/core/snapshot.ts";

let seq = 0;
function entry(key: string, body: EntryBody): Entry {
  return { v: 2, seq: seq++, at: 0, key, ...body } as Entry;
}

function paused(key: string, name = "send", reason: "approval" | "snapshot" | "nested" = "approval"): Entry {
  return entry(key, {
    type: "tool-pause",
    name,
    input: { to: key },
    hash: hashOf([name, key]),
    reason,
    message: `"${name}" waits`,
  });
}

const snapshot = () => new Snapshot("run_1", [paused("run_1/1/1"), paused("run_1/1/2", "pay", "snapshot")]);

describe("which calls wait", () => {
  test("paused ones, in order, with what is to be decided", () => {
    expect(snapshot().pending).toEqual([
      {
        callId: "run_1/1/1",
        name: "send",
        input: { to: "run_1/1/1" },
        hash: hashOf(["send", "run_1/1/1"]),
        reason: "approval",
        message: '"send" waits',
      },
      expect.objectContaining({ callId: "run_1/1/2", name: "pay", reason: "snapshot" }),
    ]);
  });

  test("not those that were decided, ended, or belong to a run that is over; but those paused again", () => {
    const hash = hashOf(["send", "a"]);
    const decision = entry("a", { type: "decision", decision: { approve: true }, hash });
    const end = entry("a", { type: "tool-end", name: "send", durationMs: 1 });
    const over = entry("run_1", { type: "run-end", status: "error", stopReason: "aborted" });
    expect(pendingCalls([paused("a"), decision])).toEqual([]);
    expect(pendingCalls([paused("a"), end])).toEqual([]);
    expect(pendingCalls([paused("a"), over])).toEqual([]);
    expect(pendingCalls([paused("a"), decision, paused("a")]).map(({ callId }) => callId)).toEqual(["a"]);
  });

  test("those as well that somebody decided about as another call", () => {
    const decision = entry("a", { type: "decision", decision: { approve: true }, hash: hashOf(["send", "b"]) });
    expect(pendingCalls([paused("a"), decision])).toHaveLength(1);
    expect(pendingCalls([paused("a", "send", "snapshot"), decision])).toEqual([]);
  });
});

describe("deciding", () => {
  test("appends one entry that is bound to the call, on a new snapshot", () => {
    const before = snapshot();
    const after = before.decide("run_1/1/1", { deny: "not today" });
    expect(after.entries.at(-1)).toMatchObject({
      type: "decision",
      key: "run_1/1/1",
      seq: before.entries.at(-1)!.seq + 1,
      decision: { deny: "not today" },
      hash: hashOf(["send", "run_1/1/1"]),
    });
    expect(after.pending.map(({ callId }) => callId)).toEqual(["run_1/1/2"]);
    expect([before.entries.length, before.pending.length]).toEqual([2, 2]);
  });

  test.each([false, 0, "", null, { at: new Date(0) }])("resolve takes %o", (value) => {
    const { decision } = snapshot().resolve("run_1/1/2", value).entries.at(-1) as any;
    const expected =
      typeof value === "object" && value !== null
        ? { at: { $haft: "date", value: "1970-01-01T00:00:00.000Z" } }
        : value;
    expect(decision).toEqual({ value: expected });
  });

  test("resolve without a value is null, and one that cannot be written is refused", () => {
    expect((snapshot().resolve("run_1/1/2", undefined).entries.at(-1) as any).decision).toEqual({ value: null });
    expect(() => snapshot().resolve("run_1/1/2", () => 1)).toThrow(
      expect.objectContaining({ code: "VALUE_NOT_ENCODABLE" }),
    );
  });

  test("reject", () => {
    expect((snapshot().reject("run_1/1/1", "cancelled").entries.at(-1) as any).decision).toEqual({
      error: "cancelled",
    });
  });

  test("several, in any order", () => {
    const done = snapshot().resolve("run_1/1/2", 1).decide("run_1/1/1", { approve: true });
    expect(done.pending).toEqual([]);
    expect(done.entries.map(({ seq }) => seq - done.entries[0]!.seq)).toEqual([0, 1, 2, 3]);
  });

  test.each(["run_1/1/3", "", "run_1/1"])("about %j: there is no such call, those that wait are told", (callId) => {
    expect(() => snapshot().resolve(callId, 1)).toThrow(
      expect.objectContaining({
        code: "DECISION_UNKNOWN",
        message: `No call "${callId}" waits for a decision. Waiting: run_1/1/1, run_1/1/2`,
      }),
    );
  });

  test("twice is refused", () => {
    const once = snapshot().resolve("run_1/1/1", 1);
    expect(() => once.resolve("run_1/1/1", 2)).toThrow(expect.objectContaining({ code: "DECISION_UNKNOWN" }));
  });

  test.each<[unknown]>([
    [{}],
    [null],
    ["yes"],
    [{ approve: false }],
    [{ approve: "yes" }],
    [{ deny: 5 }],
    [{ error: undefined }],
    [{ value: undefined }],
    [{ value: 1, approve: true }],
  ])("%o is no decision", (decision) => {
    expect(() => snapshot().decide("run_1/1/1", decision as never)).toThrow(
      expect.objectContaining({ code: "DECISION_INVALID" }),
    );
  });
});

describe("as JSON", () => {
  test("it comes back from text and from values", () => {
    const before = snapshot();
    const text = JSON.stringify(before);
    for (const back of [Snapshot.from(text), Snapshot.from(JSON.parse(text))]) {
      expect(back.pending).toEqual(before.pending);
      expect(JSON.stringify(back.resolve("run_1/1/1", 1).pending)).toBe(
        JSON.stringify(before.resolve("run_1/1/1", 1).pending),
      );
    }
  });

  test.each<[string, unknown]>([
    ["text that is no JSON", "{"],
    ["nothing", null],
    ["an empty object", {}],
    ["entries that are none", { v: 1, run: "r", entries: [5] }],
    ["no entries", { v: 1, run: "r" }],
  ])("%s is refused", (_, json) => {
    expect(() => Snapshot.from(json as never)).toThrow(expect.objectContaining({ code: "SNAPSHOT_INVALID" }));
  });

  test("one of a later version is refused, and one of an earlier version is brought to this one", () => {
    const later = { v: 3, run: "r", entries: [] };
    expect(() => Snapshot.from(later)).toThrow(expect.objectContaining({ code: "LOG_VERSION_UNKNOWN" }));
    const old = { v: 1, run: "r", entries: [{ v: 1, seq: 0, at: 0, key: "r", type: "run-start", mode: "tools" }] };
    expect(Snapshot.from(old).toJSON()).toEqual({ ...old, v: 2, entries: [{ ...old.entries[0], v: 2 }] });
  });
});

describe("calls of runs inside calls", () => {
  const around = () => [
    paused("run_1/1/1/1/1"),
    paused("run_1/1/1", "subagent", "nested"),
    paused("run_1/1/2/1/1"),
    paused("run_1/1/2", "subagent", "nested"),
  ];
  const waiting = (...more: Entry[]) => pendingCalls([...around(), ...more]).map(({ callId }) => callId);

  test("wait, and the calls around them do not", () => {
    expect(waiting()).toEqual(["run_1/1/1/1/1", "run_1/1/2/1/1"]);
  });

  test("do not when their run, or a call or run around them, is over; others still do", () => {
    const end: EntryBody = { type: "tool-end", name: "subagent", durationMs: 1 };
    const over: EntryBody = { type: "run-end", status: "error", stopReason: "aborted" };
    expect(waiting(entry("run_1/1/1", over))).toEqual(["run_1/1/2/1/1"]);
    expect(waiting(entry("run_1/1/2", end))).toEqual(["run_1/1/1/1/1"]);
    expect(waiting(entry("run_1", over))).toEqual([]);
    expect(pendingCalls([paused("run_1/1/12/1/1"), entry("run_1/1/1", end)])).toHaveLength(1);
  });
});
