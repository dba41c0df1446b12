/** Logs of earlier versions: each entry is brought to the form of this one when it is read, and a later form is refused. */
import { HaftError } from "../base/errors.ts";
import { type Entry, LOG_VERSION } from "./log.ts";

/** From the version that is the key to the next one. */
const steps: Record<number, (entry: AnyEntry) => AnyEntry> = {
  1: fromVersion1,
};

type AnyEntry = { v?: unknown };

/**
 * `of` begins the sentence: "Session "x"", "The log".
 *
 * @throws HaftError `LOG_VERSION_UNKNOWN`
 */
export function currentEntry(entry: { v?: unknown }, of: string): Entry {
  let current: AnyEntry = entry;
  while (current.v !== LOG_VERSION) {
    const step = typeof current.v === "number" && Object.hasOwn(steps, current.v) ? steps[current.v] : undefined;
    if (!step) throw unknownVersion(current.v, of);
    current = step(current);
  }
  return current as Entry;
}

/** Version 2 has more kinds of entries and deeper keys; what version 1 wrote means the same. */
function fromVersion1(entry: AnyEntry): AnyEntry {
  return { ...entry, v: 2 };
}

function unknownVersion(v: unknown, of: string): HaftError {
  return new HaftError(
    "LOG_VERSION_UNKNOWN",
    `${of} was written in format ${String(v)}; this version reads formats 1 to ${LOG_VERSION}`,
    { hint: "Update Haft." },
  );
}
