/** The reading of the log that answers: has this happened, and with what result? */
import { HaftError } from "../base/errors.ts";
import { hashText, type Json } from "../base/json.ts";
import { checkDecision } from "../core/decision-check.ts";
import type { Entry, EntryOf } from "../core/log.ts";
import { answers } from "../core/snapshot.ts";

/** What the log knows of one call. */
export interface PastCall {
  call?: EntryOf<"tool-call">;
  pause?: EntryOf<"tool-pause">;
  /** Not yet spent by a start. */
  decision?: EntryOf<"decision">;
  attempts: number;
  end?: EntryOf<"tool-end">;
  /** Started, and the log does not say how it went. */
  inDoubt: boolean;
  /** Hash of the effective input that it was last started with. */
  started?: string;
  /** What someone put in place of the input that was asked for, when they approved that start. */
  changed?: Json;
}

export function readJournal(run: string, entries: readonly Entry[]): Journal {
  return entries.length === 0 ? empty : new Journal(run, entries);
}

/** Everything of one run, by key. Built once, from the entries that a run starts with. */
export class Journal {
  readonly #calls = new Map<string, PastCall>();
  readonly #responses = new Map<string, EntryOf<"model-response">>();
  readonly #ends = new Map<string, EntryOf<"iteration-end">>();
  readonly #steered = new Set<string>();
  /** Iterations whose program has begun. */
  readonly #programs = new Set<string>();
  readonly runEnd: EntryOf<"run-end"> | undefined;
  /** Those that the run made itself. */
  readonly compactions: readonly EntryOf<"compaction">[] | undefined;

  /** @throws HaftError `DECISION_INVALID` */
  constructor(run: string, entries: readonly Entry[]) {
    for (const entry of entries) {
      if (entry.key !== run && !entry.key.startsWith(`${run}/`)) continue;
      if (entry.type === "model-response") this.#responses.set(entry.key, entry);
      else if (entry.type === "iteration-end") this.#ends.set(entry.key, entry);
      else if (entry.type === "run-end") this.runEnd = entry;
      else if (entry.type === "message") this.#steered.add(entry.key);
      else if (entry.type === "program-start") this.#programs.add(entry.key);
      else if (entry.type === "compaction" && entry.key !== run)
        this.compactions = [...(this.compactions ?? []), entry];
      else if (isCallEntry(entry)) this.#note(entry);
    }
  }

  /** The iteration that the log has begun and not ended. */
  get openIteration(): string | undefined {
    const last = [...this.#responses.keys()].at(-1);
    return last !== undefined && !this.#ends.has(last) ? last : undefined;
  }

  get isEmpty(): boolean {
    return this.#responses.size === 0 && this.#ends.size === 0;
  }

  response(iteration: string): EntryOf<"model-response"> | undefined {
    return this.#responses.get(iteration);
  }

  iterationEnd(iteration: string): EntryOf<"iteration-end"> | undefined {
    return this.#ends.get(iteration);
  }

  /** Somebody said something during this iteration, or right after it. */
  wasSteered(iteration: string): boolean {
    return this.#steered.has(iteration);
  }

  call(callId: string): PastCall | undefined {
    return this.#calls.get(callId);
  }

  /** What the model asked for in this iteration was begun: hooks have looked at it. */
  hasActed(iteration: string): boolean {
    return this.#programs.has(iteration) || this.#calls.has(`${iteration}/1`);
  }

  get hasPrograms(): boolean {
    return this.#programs.size > 0;
  }

  #note(entry: CallEntry): void {
    const past = this.#calls.get(entry.key) ?? { attempts: 0, inDoubt: false };
    this.#calls.set(entry.key, past);
    switch (entry.type) {
      case "tool-call":
        past.call = entry;
        break;
      case "tool-pause":
        if (entry.reason === "nested") break; // it goes on as after a crash: what happened inside it is in the log
        past.pause = entry;
        past.decision = undefined;
        past.inDoubt = false; // the handler said so, or someone is asked now
        break;
      case "decision":
        checkDecision(entry.decision);
        if (!past.pause || answers(past.pause, entry)) past.decision = entry;
        break;
      case "tool-start":
        past.changed = inputOf(past.decision) ?? past.changed;
        past.started = past.call?.hash;
        past.attempts = entry.attempt;
        past.pause = undefined;
        past.decision = undefined;
        past.inDoubt = true;
        break;
      case "tool-end":
        past.end = entry;
        past.inDoubt = false;
        break;
    }
  }
}

function inputOf(entry: EntryOf<"decision"> | undefined): Json | undefined {
  return entry && "approve" in entry.decision ? entry.decision.input : undefined;
}

const empty = new Journal("", []);

type CallEntry = EntryOf<"tool-call" | "tool-pause" | "decision" | "tool-start" | "tool-end">;

function isCallEntry(entry: Entry): entry is CallEntry {
  return ["tool-call", "tool-pause", "decision", "tool-start", "tool-end"].includes(entry.type);
}

/** A decision, and a replay, hold for exactly this call. */
export function hashOfCall(name: string, input: Json): string {
  return hashText(`${name} ${JSON.stringify(input)}`);
}

/** A replay must ask for what was asked. */
export function divergence(past: EntryOf<"tool-call">, name: string, sent: Json): HaftError | undefined {
  if ((past.asked ?? past.hash) === hashOfCall(name, sent)) return undefined;
  if (past.asked === undefined && past.name === name && isSameButForSecrets(past.input, sent)) return undefined;
  return new HaftError(
    "REPLAY_DIVERGED",
    `Call ${past.key} was "${past.name}" and is now "${name}" with another input`,
    {
      hint: "Go on with the tools, model and options that the log was made with.",
      data: { callId: past.key },
    },
  );
}

/** A text that was no secret then may be one now, or the other way round: where one was taken out stands anything. */
function isSameButForSecrets(past: Json, sent: Json): boolean {
  const parts = JSON.stringify(past).split(/\[REDACTED:[^\]]*\]/);
  const text = JSON.stringify(sent);
  if (parts.length === 1) return parts[0] === text;
  const last = parts.pop()!;
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = text.indexOf(part, at);
    if (found < 0 || (index === 0 && found > 0)) return false;
    at = found + part.length;
  }
  return text.endsWith(last) && text.length - last.length >= at;
}
