/** What a session's log says when its conversation is cleared, or made shorter because somebody asks. */
import { consoleLogger } from "../core/call-context.ts";
import type { ExecuteOptions, Rooms } from "../core/execute.ts";
import { type Entry, type EntryBody, LOG_VERSION } from "../core/log.ts";
import { compactLog } from "../engine/compaction/of-log.ts";
import { pastRun } from "../engine/past-log.ts";

export interface Shortening {
  reason: "asked" | "clear";
  /** Of the agent. */
  options: ExecuteOptions;
  rooms: Pick<Rooms, "model" | "traits" | "contextWindow">;
  abortSignal?: AbortSignal | undefined;
}

/** The entries that follow; none where there is nothing to do. A last run that has not ended is ended, or left in peace. */
export async function shorter(entries: readonly Entry[], shortening: Shortening): Promise<Entry[]> {
  const { reason, options, rooms, abortSignal } = shortening;
  const { run, isFinished } = pastRun(entries, {});
  const isOpen = run !== undefined && !isFinished;
  if (isOpen && reason === "asked") return [];
  const ends = isOpen ? [placed(entries, run, ended)] : [];
  const { model, compaction, mode, logger = consoleLogger } = options;
  const made = await compactLog([...entries, ...ends], {
    reason,
    rooms,
    logger,
    ...(typeof model !== "function" && model !== undefined && { model: Array.isArray(model) ? model[0] : model }),
    ...(typeof compaction === "object" && { compaction }),
    ...(mode !== undefined && { mode: typeof mode === "string" ? mode : mode.name }),
    ...(abortSignal && { abortSignal }),
  });
  return made ? [...ends, placed([...entries, ...ends], made.key, made.body)] : ends;
}

const ended: EntryBody = {
  type: "run-end",
  status: "error",
  stopReason: "aborted",
  error: { code: "ABORTED", message: "The session was cleared" },
};

function placed(before: readonly Entry[], key: string, body: EntryBody): Entry {
  return { v: LOG_VERSION, seq: before.at(-1)!.seq + 1, at: Date.now(), key, ...body };
}
