/** Compaction in a run: before a model is asked, or when it says that it cannot read so much. */
import { messageOf } from "../../base/errors.ts";
import type { CompactionOptions } from "../../core/compaction.ts";
import type { EntryOf } from "../../core/log.ts";
import { isOfConversation } from "../../core/log-keys.ts";
import { type Message, tokensOfText } from "../../core/message.ts";
import type { Presentation } from "../../core/mode.ts";
import type { ModelRef } from "../../core/model.ts";
import { buildContext } from "../context.ts";
import { decodeMessage, READ_RESULT, replaceAll } from "../history.ts";
import type { RunningIteration } from "../iteration.ts";
import { type OpenModel, openModel } from "../model/open-model.ts";
import { type RunState, SHARE } from "../run-state.ts";
import { type Compacted, compacted } from "./entry.ts";
import { Summarizer, type Writer } from "./summary.ts";

/** A conversation that could not be made short enough grows by so much before that is tried again. */
const GROWTH = 1.25;

/** What the model is to be asked, now that the conversation fits. @throws the reason of an abort */
export async function compactForWindow(
  run: RunState,
  iteration: RunningIteration,
  request: Presentation,
  ref: ModelRef,
): Promise<Presentation> {
  const opened = await openModel(run, ref);
  const { window: given, share = SHARE } = optionsOf(run);
  const window = given ?? (await run.rooms.contextWindow(opened.model));
  if (window === undefined) {
    run.compactsFrom = run.size * 2; // another model may be asked by then
    return request;
  }
  const last = lastCompaction(run);
  run.compactsFrom = Math.max(window * share, (last?.after ?? 0) * GROWTH);
  if (!run.isLong || last?.key === iteration.id) return request;
  const shorter = await compact(run, iteration, request, opened, "window", window);
  run.compactsFrom = Math.max(window * share, run.size * GROWTH);
  return shorter ?? request;
}

/** Undefined where it cannot be made shorter, or was already. @throws the reason of an abort */
export async function compactForOverflow(
  run: RunState,
  iteration: RunningIteration,
  request: Presentation,
  opened: OpenModel,
): Promise<Presentation | undefined> {
  const last = lastCompaction(run);
  if (last?.key === iteration.id && last.reason === "overflow") return undefined;
  const window = optionsOf(run).window ?? (await run.rooms.contextWindow(opened.model));
  return compact(run, iteration, request, opened, "overflow", window);
}

function optionsOf({ options }: RunState): CompactionOptions {
  return options.compaction || {};
}

function lastCompaction({ id, log: { entries } }: RunState): EntryOf<"compaction"> | undefined {
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!;
    if (entry.type === "compaction" && isOfConversation(id, entry)) return entry;
  }
  return undefined;
}

/** What fails here costs a warning, and never the run. */
async function compact(
  run: RunState,
  iteration: RunningIteration,
  request: Presentation,
  opened: OpenModel,
  reason: "window" | "overflow",
  window: number | undefined,
): Promise<Presentation | undefined> {
  const { abort, logger, log, messages } = run;
  const options = optionsOf(run);
  try {
    const made = await compacted({
      reason,
      messages: messages.slice(),
      entries: log.entries.filter((entry) => isOfConversation(run.id, entry)),
      options,
      tokens: run.size,
      beside: tokensOfText(request.instructions) + tokensOfText(JSON.stringify(request.tools)),
      window,
      canRead: !run.mode.code,
      summarizer: summarizerFor(run, opened, window),
      abort,
      logger,
    });
    return made && (await goOnWith(run, iteration, request, made));
  } catch (error) {
    if (abort.aborted) throw abort.reason;
    logger.warn(`A long conversation could not be made shorter: ${messageOf(error)}`);
    return undefined;
  }
}

function summarizerFor(run: RunState, opened: OpenModel, window: number | undefined): Summarizer {
  const { model: ref, instructions } = optionsOf(run);
  const { attempts = 3, backoffMs = 500, maxWaitMs = 60_000, idleMs = 60_000 } = run.options.modelLimits ?? {};
  const writer = async (): Promise<Writer> => {
    if (ref === undefined) return { ...opened, window };
    const other = await openModel(run, ref);
    return { ...other, window: await run.rooms.contextWindow(other.model) };
  };
  const { abort, budget } = run;
  return new Summarizer({ writer, abort, budget, instructions, idleMs, attempts, backoffMs, maxWaitMs });
}

/** As it was written: a run that goes on later reads the same. */
async function goOnWith(
  run: RunState,
  iteration: RunningIteration,
  request: Presentation,
  { body, messages }: Compacted,
): Promise<Presentation> {
  const entry = run.log.record(iteration.id, body);
  const written = entry.messages.map(decodeMessage);
  keepOrigins(run, messages, written);
  replaceAll(run.messages, written);
  run.measured = { tokens: entry.after, messages: written.length };
  const { model, usage } = entry;
  if (model && usage) run.spend({ model, usage });
  for (const one of run.models) {
    one.prompt.forget();
    if (one.restsUntil === Number.POSITIVE_INFINITY) one.restsUntil = undefined; // it was too long for this one
  }
  if (JSON.stringify(entry.messages).includes(READ_RESULT)) run.offerReading();
  return run.reading === "wanted" ? presentAgain(run, iteration) : request;
}

/** Who wrote which answer, for the answers that are left. */
function keepOrigins({ origins }: RunState, before: readonly Message[], after: readonly Message[]): void {
  const known = before.map((message) => origins.get(message));
  origins.clear();
  for (const [index, message] of after.entries()) {
    const origin = known[index];
    if (origin !== undefined) origins.set(message, origin);
  }
}

/** The placeholders name a tool that the model was not shown yet. */
async function presentAgain(run: RunState, iteration: RunningIteration): Promise<Presentation> {
  iteration.context = await buildContext(run, iteration.index);
  const request = run.shown(run.mode.present(iteration.context));
  run.lastRequest = request;
  return request;
}
