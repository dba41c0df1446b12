/** The log of a run: everything that outlives a call. Append-only; conversation, resume and trace are readings of it. */
import type { Json } from "../base/json.ts";
import type { BudgetLimits } from "./budget.ts";
import type { CompactionReason } from "./compaction.ts";
import type { Decision } from "./decision.ts";
import type { Message, UserMessage } from "./message.ts";
import type { ModelResponse, Usage } from "./model.ts";
import type { SecretKind } from "./secrets.ts";
import type { ContentPart } from "./tool-result.ts";

export const LOG_VERSION = 2;

/** A failure as the log keeps it: no stack, no host-language dump. */
export interface LoggedError {
  code: string;
  message: string;
  hint?: string;
  data?: Json;
  /** The class of an error that is not ours, where it has one of its own. */
  name?: string;
  /** Encoded. */
  cause?: Json;
}

/**
 * Where an entry belongs, and when it was written.
 *
 * - `key`: `<run>`, `<run>/<iteration>` or, for calls, `<run>/<iteration>/<call>` (the `callId`). A run that a call makes,
 *   that of a sub-agent, has the call's key as its id, and its own keys go on from there.
 * - `seq`: from 0, without gaps in a session. `at`: milliseconds since 1970.
 */
export interface Place {
  v: typeof LOG_VERSION;
  seq: number;
  at: number;
  key: string;
}

/** A message of an iteration: given in full, or told by the calls whose results it holds. */
export type LoggedMessage = Message | { role: "tool"; calls: string[] };

export type IterationStatus =
  | { type: "continued" }
  | { type: "thinking"; reason: string }
  | { type: "exit"; exit: string }
  | { type: "exit-rejected"; exit: string; message: string }
  | { type: "reminded" }
  | { type: "text" }
  | { type: "refused"; message: string }
  | { type: "aborted" };

export type StopReason = "exit" | "text" | "interrupted" | "iterations" | "budget" | "aborted" | "model" | "error";

export interface RunEnding {
  status: "success" | "error";
  stopReason: StopReason;
  exit?: string;
  output?: Json;
  error?: LoggedError;
}

export type Entry = Place & EntryBody;

export type EntryBody =
  | {
      type: "run-start";
      mode: string;
      /** What the run works in, and why that was chosen. */
      sandbox?: { kind: string; summary: string };
      /** The run that this one was forked from, and the last entry taken over. */
      from?: { run: string; seq: number };
    }
  /** A process goes on with the run. Written where its time is counted. */
  | { type: "run-resume" }
  | { type: "message"; message: Message; via: "history" | "prompt" | "steer" | "follow-up" }
  | { type: "model-start"; model: string; attempt: number }
  | ({ type: "model-response"; durationMs: number } & ModelResponse)
  | {
      type: "model-error";
      model: string;
      attempt: number;
      error: LoggedError;
      /** "compact": the conversation is made shorter, and the model is asked once more. */
      then: "retry" | "next-model" | "compact" | "fail";
      /** Where the provider reported what the attempt used. */
      usage?: Usage;
    }
  | {
      type: "tool-call";
      /** The provider's id. */
      id: string;
      /** The tool's own name, when an alias was called. */
      name: string;
      /** The effective input, after statics and hook; encoded. */
      input: Json;
      /** Hash of name and effective input. A decision is bound to it. */
      hash: string;
      /** Hash of name and input as they were asked for, where that is another. A replay must ask for the same. */
      asked?: string;
      /** Where a program made the call, from 1. */
      line?: number;
    }
  | {
      type: "tool-pause";
      name: string;
      input: Json;
      hash: string;
      reason: PauseReason;
      message: string;
      meta?: Json;
      expiresAt?: number;
    }
  | {
      type: "decision";
      decision: Decision;
      hash: string;
      /** Who decided: the name of a principal. */
      by?: string;
    }
  /** Secrets were resolved for the run, or handed out to a call: names only. */
  | {
      type: "secret";
      action: "resolve" | "access";
      secrets: { name: string; source: SecretKind }[];
      /** Of an access. */
      tool?: string;
    }
  | { type: "tool-start"; name: string; attempt: number }
  | {
      type: "tool-end";
      name: string;
      durationMs: number;
      /** Encoded; absent when the call failed. */
      output?: Json;
      content?: ContentPart[];
      error?: LoggedError;
      signal?: { type: "think"; reason: string };
      assigns?: Json;
      warnings?: string[];
      /** The model reads a preview of a longer text; 0: it reads all of it. In characters; default 50,000. */
      limit?: number;
    }
  /** A program of mode "code" begins: as it runs, after a hook. */
  | {
      type: "program-start";
      code: string;
      /** Where its random numbers come from. */
      seed: string;
      /** "unchecked": types were not looked at in time; "off": nobody was to look. */
      check: "passed" | "unchecked" | "off";
      /** A hook put this code in the place of the model's. */
      isReplaced?: true;
    }
  /** The program's end. One that a call stopped (to be decided, or to think again) has none. */
  | {
      type: "program-end";
      status: "returned" | "exit" | "threw" | "limit";
      /** Calls that it made. */
      calls: number;
      durationMs: number;
      error?: LoggedError;
    }
  /** A timer of a program fired: its number. */
  | { type: "timer"; timer: number }
  | { type: "state"; path: string; before?: Json; after?: Json }
  | {
      type: "iteration-end";
      status: IterationStatus;
      messages: LoggedMessage[];
      /** What the run ends with, unless someone says something after it. */
      ending?: RunEnding;
      /** The limits of the budget that the model was told of, as they were then. */
      told?: Omit<BudgetLimits, "soft">;
    }
  /** The conversation goes on with other, fewer words. Everything before it stays in the log. */
  | {
      type: "compaction";
      /** "window": it was about to be too long. "overflow": it was. "asked", "clear": somebody wanted it. */
      reason: CompactionReason;
      /** Results became placeholders; a model wrote a summary; a compactor did it; the oldest was left out; or all of it. */
      method: "placeholders" | "summary" | "compactor" | "dropped" | "cleared";
      /** The last entry that it stands for. */
      upTo: number;
      /** The whole conversation from here on; encoded. */
      messages: Message[];
      /** Tokens of the context, estimated. */
      before: number;
      after: number;
      /** Who was asked for a summary, and what that took. */
      model?: string;
      usage?: Usage;
    }
  | ({ type: "run-end" } & RunEnding);

export type EntryOf<T extends Entry["type"]> = Extract<Entry, { type: T }>;

/** "nested": a call of the run inside this call waits. */
export type PauseReason = "approval" | "snapshot" | "in-doubt" | "nested";

/** What a live watcher sees and the log does not keep. */
export type LiveEvent =
  | { type: "text-delta"; key: string; text: string }
  | { type: "reasoning-delta"; key: string; text: string }
  | { type: "tool-input-delta"; key: string; id: string; name: string; text: string }
  | { type: "tool-output"; key: string; name: string; text: string }
  /** Waiting before the next attempt. */
  | {
      type: "retry";
      key: string;
      what: "model" | "tool";
      name: string;
      attempt: number;
      waitMs: number;
      error: LoggedError;
    }
  /** The text of this key was shown in part and is void: the call is made again. */
  | { type: "text-reset"; key: string };

/** Everything that leaves a run. */
export type RunEvent = Entry | LiveEvent;

/** The seeds' word for one of them. */
export type Trace = RunEvent;

export type { AppendOptions, Store } from "./store.ts";
export type { UserMessage };
