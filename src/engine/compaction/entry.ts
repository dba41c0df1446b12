/** From a conversation to the entry that makes another one of it: by a compactor, or in Haft's own way. */
import { encode } from "../../base/codec.ts";
import { messageOf } from "../../base/errors.ts";
import type { CompactionOptions, CompactionReason } from "../../core/compaction.ts";
import type { Logger } from "../../core/context.ts";
import type { Entry, EntryBody } from "../../core/log.ts";
import type { Message } from "../../core/message.ts";
import type { RunAbort } from "../run-abort.ts";
import { SHARE } from "../run-state.ts";
import { untilAbort } from "../until-abort.ts";
import { compactedBy } from "./custom.ts";
import { type Shortened, shorten } from "./shorten.ts";
import type { Summarizer } from "./summary.ts";
import { sizeOf } from "./turns.ts";

export type CompactionBody = Extract<EntryBody, { type: "compaction" }>;

export interface ToCompact {
  reason: Exclude<CompactionReason, "clear">;
  messages: readonly Message[];
  entries: readonly Entry[];
  options: CompactionOptions;
  /** Tokens of the context, as far as models told; and the estimate of what is in it beside the messages. */
  tokens: number;
  beside: number;
  window: number | undefined;
  canRead: boolean;
  summarizer: Summarizer;
  abort: RunAbort;
  logger: Logger;
}

/** What was made, before it is written: the messages are still the objects that they were, where they were kept. */
export interface Compacted {
  body: CompactionBody;
  messages: readonly Message[];
}

const KEPT_TURNS = 4;

/** Undefined where nothing can be made shorter. @throws the reason of an abort */
export async function compacted(task: ToCompact): Promise<Compacted | undefined> {
  const estimate = sizeOf(task.messages) + task.beside;
  const scale = task.tokens / estimate; // an estimated token in measured ones
  const made = (await byCompactor(task)) ?? (await inOurWay(task, scale));
  if (!made) return undefined;
  const { usage, model } = task.summarizer;
  const body: CompactionBody = {
    type: "compaction",
    reason: task.reason,
    method: made.method,
    upTo: task.entries.at(-1)?.seq ?? -1,
    messages: encode(made.messages, "messages") as unknown as Message[],
    before: Math.round(task.tokens),
    after: Math.round((sizeOf(made.messages) + task.beside) * scale),
    ...(model !== undefined && { model, usage }),
  };
  return { body, messages: made.messages };
}

async function byCompactor(task: ToCompact): Promise<Shortened | undefined> {
  const { options, messages, abort, logger, summarizer, window, tokens, reason } = task;
  if (!options.compactor) return undefined;
  const summarize = (some: readonly Message[]) => summarizer.summarize(some);
  try {
    const about = { window, tokens, reason, abortSignal: abort.signal, summarize };
    return { messages: await untilAbort(abort, compactedBy(options.compactor, messages, about)), method: "compactor" };
  } catch (error) {
    if (abort.aborted) throw abort.reason;
    logger.warn(`The compactor of this run could not be used: ${messageOf(error)}`);
    return undefined;
  }
}

function inOurWay(task: ToCompact, scale: number): Promise<Shortened | undefined> {
  const { options, messages, abort, logger, summarizer, beside } = task;
  const limit = Math.max(limitOf(task) / scale - beside, sizeOf(messages) / 10);
  return shorten({
    messages,
    entries: task.entries,
    limit,
    goal: task.reason === "asked" ? -1 : limit * 0.7, // not to be too long again at once
    keepTurns: options.keepTurns ?? KEPT_TURNS,
    canRead: task.canRead,
    summarize: (some) => summarizer.summarize(some),
    warn: (message) => logger.warn(message),
    check() {
      if (abort.aborted) throw abort.reason;
    },
  });
}

/** In measured tokens. Whoever says that it is too long is right, whatever we had measured. */
function limitOf({ reason, window, tokens, options }: ToCompact): number {
  const known = window === undefined ? Number.POSITIVE_INFINITY : window * (options.share ?? SHARE);
  return reason === "overflow" ? Math.min(known, tokens * 0.6) : known;
}
