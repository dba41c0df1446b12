import { expect, test } from "vitest";
import { LOG_VERSION } from "../../src/core/log.ts";
import { currentEntry } from "../../src/core/log-version.ts";

const entry = (v: unknown) => ({ v, seq: 0, at: 0, key: "r", type: "run-start", mode: "tools" });

test("an entry of this version is itself; one of an earlier version is another, in the form of this one", () => {
  const now = entry(LOG_VERSION);
  expect(currentEntry(now, "The log")).toBe(now);
  const old = Object.freeze(entry(1));
  expect(currentEntry(old, "The log")).toEqual(now);
});

test.each([LOG_VERSION + 1, 0, -1, 1.5, "1", "toString", null, undefined])("%j is no version", (v) => {
  expect(() => currentEntry(entry(v), 'Session "s"')).toThrow(
    expect.objectContaining({
      code: "LOG_VERSION_UNKNOWN",
      message: expect.stringMatching(/^Session "s" was written/),
    }),
  );
});
