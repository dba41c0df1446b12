/** What one session was promised, and whether it was kept: compared after each death, and at the end. */
import type { Entry, EntryOf } from "../../../src/core/log.ts";
import type { Life } from "./life.ts";
import { digest, replay, resultOf, said, script } from "./script.ts";
import type { Tally } from "./tally.ts";

/** A line of the file of effects. */
export interface Effect {
  session: string;
  callId: string;
  name: string;
  n: number;
  pid: number;
}

export function readEffects(text: string): Effect[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => {
      const [session, callId, name, n, pid] = line.split(" ") as [string, string, string, string, string];
      return { session, callId, name, n: Number(n), pid: Number(pid) };
    });
}

export class Ledger {
  readonly session: string;
  readonly #tally: Tally;
  readonly #acknowledged = new Map<number, string>();
  /** Of each place of the conversation, what the model was asked there. */
  readonly #asked = new Map<number, string>();
  /** Calls that had ended before the life that is looked at began. */
  #ended = new Set<string>();
  #effects = 0;

  constructor(session: string, tally: Tally) {
    this.session = session;
    this.#tally = tally;
  }

  /** After a process is gone: `entries` is what the store has now, `effects` all that was done for this session. */
  check(life: Life, entries: readonly Entry[], effects: readonly Effect[]): void {
    this.#checkAcknowledged(life, entries);
    this.#checkEffects(life, entries, effects);
    this.#checkAsked(life);
    if (life.wasKilled) this.#noteWindow(life, entries, effects);
    this.#ended = new Set(keysOf(entries, "tool-end"));
    this.#effects = effects.length;
  }

  #checkAcknowledged(life: Life, entries: readonly Entry[]): void {
    for (const { seq, digest } of life.acknowledged.get(this.session) ?? []) {
      if (this.#acknowledged.has(seq)) this.#fault("lost", `entry ${seq} was acknowledged twice`);
      this.#acknowledged.set(seq, digest);
    }
    for (const [index, { seq }] of entries.entries())
      if (seq !== index) this.#fault("gaps", `entry ${seq} is in the place of ${index}`);
    for (const [seq, promised] of this.#acknowledged) {
      const kept = entries[seq];
      if (!kept || digest(kept) !== promised) this.#fault("lost", `entry ${seq} was acknowledged, and is not there`);
    }
  }

  #checkEffects(life: Life, entries: readonly Entry[], effects: readonly Effect[]): void {
    const started = new Set(keysOf(entries, "tool-start"));
    const once = new Set<string>();
    for (const { callId } of effects.slice(this.#effects)) {
      if (this.#ended.has(callId)) this.#fault("repeated", `${callId} had ended, and was made again`);
      if (once.has(callId)) this.#fault("repeated", `${callId} was made twice by process ${life.pid}`);
      if (!started.has(callId)) this.#fault("early", `${callId} was begun before its start was in the store`);
      once.add(callId);
    }
    const all = effects.filter(({ name }) => name === "effect").map(({ n }) => n);
    for (const n of twice(all)) this.#fault("twice", `effect ${n} was done twice`);
  }

  #checkAsked(life: Life): void {
    for (const { session, place, digest } of life.asked) {
      if (session !== this.session) continue;
      const before = this.#asked.get(place);
      if (before !== undefined && before !== digest)
        this.#fault("messages", `the model was asked otherwise at ${place} than before`);
      this.#asked.set(place, digest);
    }
  }

  /** Between which two things it died. */
  #noteWindow(life: Life, entries: readonly Entry[], effects: readonly Effect[]): void {
    const mine = life.acknowledged.get(this.session) ?? [];
    const windows = this.#tally.windows;
    if (mine.length === 0) windows.count("before its first append");
    if (entries.length > this.#acknowledged.size) windows.count("written, not acknowledged");
    const done = new Set(effects.map(({ callId }) => callId));
    const open = openCalls(entries);
    if (open.some((callId) => !done.has(callId))) windows.count("started, effect not begun");
    if (open.some((callId) => done.has(callId))) windows.count("effect done, end not written");
    const last = entries.at(-1)?.type;
    if (last === "model-start") windows.count("the model was asked");
    if (last === "decision") windows.count("decided, not started");
  }

  /** Of calls that wait, what someone decides who can look at the world: done already, or not. */
  decide(life: Life, entries: readonly Entry[], effects: readonly Effect[]) {
    const pending = life.reports.get(this.session)?.pending ?? [];
    const open = openCalls(entries);
    return pending.map(({ callId, name, reason }) => {
      this.#tally.inDoubt++;
      if (reason !== "in-doubt" || name !== "effect" || !open.includes(callId))
        this.#fault("doubt", `${callId} (${name}) waits: ${reason}`);
      const done = effects.find((effect) => effect.callId === callId);
      return { callId, decision: done ? { value: resultOf(done) } : ({ approve: true } as const) };
    });
  }

  /** The run has ended: everything was done, and the log alone says the same. */
  async close(entries: readonly Entry[], effects: readonly Effect[]): Promise<void> {
    this.#tally.runs++;
    this.#tally.entries += this.#acknowledged.size;
    const end = entries.at(-1) as EntryOf<"run-end">;
    if (end.status !== "success" || end.output !== said) this.#fault("end", JSON.stringify(end));
    const runs = keysOf(entries, "run-start");
    if (runs.length !== 1) this.#fault("end", `${runs.length} runs instead of one`);
    for (const { name, n } of script.flat())
      if (!effects.some((effect) => effect.name === name && effect.n === n))
        this.#fault("end", `${name} ${n} was not done`);
    for (const [place, index] of placesOf(entries).entries()) {
      const { asked, called } = await replay(JSON.parse(JSON.stringify(entries.slice(0, index))));
      if (called > 0) this.#fault("repeated", `the replay to ${index} called ${called} handlers`);
      if (asked !== this.#asked.get(place)) this.#fault("messages", `the replay to ${index} asks the model otherwise`);
    }
  }

  #fault(kind: string, what: string): void {
    this.#tally.fault(kind, `${this.session}: ${what}`);
  }
}

/** Where the log has an answer of the model: what came before it is what the model was asked. */
function placesOf(entries: readonly Entry[]): number[] {
  return entries.flatMap(({ type }, index) => (type === "model-response" ? [index] : []));
}

function keysOf(entries: readonly Entry[], wanted: Entry["type"]): string[] {
  return entries.flatMap(({ type, key }) => (type === wanted ? [key] : []));
}

/** Started, and not ended. */
export function openCalls(entries: readonly Entry[]): string[] {
  const ended = new Set(keysOf(entries, "tool-end"));
  return [...new Set(keysOf(entries, "tool-start"))].filter((key) => !ended.has(key));
}

function twice<T>(list: readonly T[]): T[] {
  return list.filter((item, index) => list.indexOf(item) !== index);
}
