/** Keys of entries are places: which run an entry belongs to, where runs have runs inside their calls. */
import type { Entry, RunEvent } from "./log.ts";

/**
 * The run that an entry belongs to. A run inside a call has the call's key as its id: `run_x/2/1` is a call of `run_x`, and
 * the run that this call made; which of the two an entry is about, its type says.
 */
export function runOf(entry: RunEvent): string {
  const { key } = entry;
  const last = key.lastIndexOf("/");
  if (last < 0) return key;
  if (isIterationKey(key)) return key.slice(0, last);
  return isOfCall(entry) ? key.slice(0, key.lastIndexOf("/", last - 1)) : key;
}

/** Those of the runs of a session itself, without the runs inside their calls; the list itself where there are none. */
export function withoutNested(entries: readonly Entry[]): readonly Entry[] {
  return entries.some(isNested) ? entries.filter((entry) => !isNested(entry)) : entries;
}

/** Of the conversation of this run. One of a session shares it with the session's other runs, one inside a call with nobody. */
export function isOfConversation(run: string, entry: Entry): boolean {
  return run.includes("/") ? runOf(entry) === run : !isNested(entry);
}

/** `<run>/<iteration>`, of whatever run. */
export function isIterationKey(key: string): boolean {
  let slashes = 0;
  for (let at = key.indexOf("/"); at >= 0; at = key.indexOf("/", at + 1)) slashes++;
  return slashes % 2 === 1;
}

/** The entry is about this run or call, or about something in it. */
export function isIn(place: string, key: string): boolean {
  return key.startsWith(place) && (key.length === place.length || key[place.length] === "/");
}

function isNested(entry: Entry): boolean {
  return runOf(entry).includes("/");
}

const ofCalls: ReadonlySet<string> = new Set([
  "tool-call",
  "tool-pause",
  "decision",
  "tool-start",
  "tool-end",
  "state",
  "tool-output",
]);

function isOfCall(entry: RunEvent): boolean {
  if (entry.type === "secret") return entry.action === "access";
  if (entry.type === "retry") return entry.what === "tool";
  return ofCalls.has(entry.type);
}
