/** Compaction of a session that rests: what its next entry says, when somebody asks for it. */
import type { CompactionOptions } from "../../core/compaction.ts";
import type { Logger } from "../../core/context.ts";
import type { Rooms } from "../../core/execute.ts";
import type { Entry } from "../../core/log.ts";
import { withoutNested } from "../../core/log-keys.ts";
import { type LanguageModel, type ModelRef, modelName } from "../../core/model.ts";
import { readHistory } from "../history.ts";
import { RunAbort } from "../run-abort.ts";
import { type CompactionBody, compacted } from "./entry.ts";
import { Summarizer, type Writer } from "./summary.ts";
import { sizeOf } from "./turns.ts";

export interface CompactLogOptions {
  /** "clear": nothing of the conversation is left, and no model is asked. */
  reason: "asked" | "clear";
  /** Who writes the summary, where `compaction` names nobody. */
  model?: ModelRef;
  compaction?: CompactionOptions;
  rooms: Pick<Rooms, "model" | "traits" | "contextWindow">;
  /** The mode of the session's runs. A program has no tool that reads results. Default "tools". */
  mode?: string;
  abortSignal?: AbortSignal;
  logger: Logger;
}

/**
 * The entry to be appended to this log, without its place; `key` is that of the last run. Undefined where there is nothing to
 * make shorter.
 *
 * @throws the reason of the abort
 */
export async function compactLog(
  log: readonly Entry[],
  options: CompactLogOptions,
): Promise<{ key: string; body: CompactionBody } | undefined> {
  const entries = withoutNested(log);
  const key = lastRun(entries);
  const { messages, measured } = readHistory(entries);
  if (key === undefined || messages.length === 0) return undefined;
  const tokens = measured.tokens + sizeOf(messages.slice(measured.messages));
  if (options.reason === "clear") return { key, body: cleared(log, tokens) };

  const { compaction = {}, logger, mode = "tools" } = options;
  const abort = new RunAbort();
  const follow = () => abort.abort(options.abortSignal?.reason);
  options.abortSignal?.addEventListener("abort", follow, { once: true });
  if (options.abortSignal?.aborted) follow();
  const rest = { attempts: 3, backoffMs: 500, maxWaitMs: 60_000, idleMs: 60_000 };
  const writer = () => writerFor(options);
  const summarizer = new Summarizer({ writer, abort, instructions: compaction.instructions, ...rest });
  try {
    const made = await compacted({
      reason: "asked",
      messages,
      entries,
      options: compaction,
      tokens,
      beside: 0,
      window: compaction.window,
      canRead: mode !== "code",
      summarizer,
      abort,
      logger,
    });
    return made && { key, body: { ...made.body, upTo: log.at(-1)!.seq } };
  } finally {
    options.abortSignal?.removeEventListener("abort", follow);
  }
}

function lastRun(entries: readonly Entry[]): string | undefined {
  for (let index = entries.length - 1; index >= 0; index--)
    if (entries[index]!.type === "run-start") return entries[index]!.key;
  return undefined;
}

function cleared(entries: readonly Entry[], before: number): CompactionBody {
  const upTo = entries.at(-1)!.seq;
  return { type: "compaction", reason: "clear", method: "cleared", upTo, messages: [], before, after: 0 };
}

async function writerFor({ rooms, model: usual, compaction }: CompactLogOptions): Promise<Writer> {
  const ref = compaction?.model ?? usual;
  if (ref === undefined) throw new Error("no model was named that could write a summary");
  const model: LanguageModel = typeof ref === "string" ? await rooms.model(ref) : ref;
  const window = (await rooms.contextWindow(model)) ?? compaction?.window;
  return { model, traits: await rooms.traits(model), name: modelName(model), window };
}
