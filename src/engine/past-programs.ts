/** The programs of a run as a reading of its log: what they called, and in which order they learned of what. */
import type { Json } from "../base/json.ts";
import type { Entry, EntryOf } from "../core/log.ts";
import { runOf } from "../core/log-keys.ts";
import type { PastProgram, PastProgramCall, PastSettlement } from "../core/mode.ts";
import type { AskedCall } from "../core/model.ts";
import { resultOf, sentBy } from "./call.ts";
import { divergence } from "./journal.ts";
import type { Recorder } from "./record.ts";

type Log = Pick<Recorder, "entries" | "redacted">;

/** By the key of their iteration, oldest first. */
export function readPrograms(run: string, log: Log): Map<string, PastProgram> {
  const programs = new Map<string, ReadProgram>();
  const writes: EntryOf<"state">[] = [];
  for (const entry of log.entries) {
    if (!entry.key.startsWith(`${run}/`) || runOf(entry) !== run) continue;
    const iteration = iterationOf(entry.key, run);
    if (entry.type === "program-start") programs.set(iteration, new ReadProgram(entry, writes, log));
    else if (entry.type === "state") writes.push(entry);
    else programs.get(iteration)?.note(entry);
  }
  return programs;
}

class ReadProgram implements PastProgram {
  end: EntryOf<"program-end"> | undefined;
  readonly settled: PastSettlement[] = [];
  readonly calls = new Map<number, ReadCall>();
  thinking: number | undefined;

  /** `writes`: all of the run. */
  constructor(
    readonly start: EntryOf<"program-start">,
    readonly writes: readonly EntryOf<"state">[],
    readonly log: Log,
  ) {}

  note(entry: Entry): void {
    switch (entry.type) {
      case "tool-call":
        this.#call(entry.key).asked = entry;
        break;
      case "tool-pause":
        this.#call(entry.key).heldAt = this.settled.length;
        break;
      case "decision":
      case "tool-start":
        this.#call(entry.key).heldAt = undefined;
        break;
      case "tool-end":
        this.#ended(entry);
        break;
      case "timer":
        this.#settle({ at: entry.at, timer: entry.timer });
        break;
      case "program-end":
        this.end = entry;
        break;
    }
  }

  get heldAt(): number | undefined {
    const held = [...this.calls.values()].flatMap(({ heldAt }) => heldAt ?? []);
    return held.length > 0 ? Math.min(...held) : undefined;
  }

  /** Whatever was written to it next tells what it was. */
  valueBefore(path: string): { value: Json | undefined } | undefined {
    const next = this.writes.find((write) => write.seq > this.start.seq && write.path === path);
    return next && { value: next.before };
  }

  /** A program that a call made think again never learns of anything from then on. */
  #ended(entry: EntryOf<"tool-end">): void {
    const call = this.#call(entry.key);
    call.hasEnded = true;
    call.heldAt = undefined;
    if (entry.signal) this.thinking ??= numberOf(entry.key);
    this.#settle({ at: entry.at, call: numberOf(entry.key), result: resultOf(entry) });
  }

  /** What it did not wait for ends after it. */
  #settle(settlement: PastSettlement): void {
    if (this.thinking === undefined && !this.end) this.settled.push(settlement);
  }

  #call(key: string): ReadCall {
    const number = numberOf(key);
    const known = this.calls.get(number);
    if (known) return known;
    const call = new ReadCall(this.log);
    this.calls.set(number, call);
    return call;
  }
}

class ReadCall implements PastProgramCall {
  asked: EntryOf<"tool-call"> | undefined;
  hasEnded = false;
  /** So much had settled when somebody was asked. */
  heldAt: number | undefined;
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  get name(): string | undefined {
    return this.asked?.name;
  }

  get isHeld(): boolean {
    return this.heldAt !== undefined;
  }

  assertSame(asked: AskedCall): void {
    const diverged = this.asked && divergence(this.asked, asked.name, this.#log.redacted(sentBy(asked)));
    if (diverged) throw diverged;
  }
}

/** `<run>/<iteration>` of a key below it. */
function iterationOf(key: string, run: string): string {
  const end = key.indexOf("/", run.length + 1);
  return end === -1 ? key : key.slice(0, end);
}

function numberOf(callId: string): number {
  return Number(callId.slice(callId.lastIndexOf("/") + 1));
}
