/** What a run has used by its log, and by that of the runs that its calls started: they have its key before theirs. */
import type { HaftError } from "../../base/errors.ts";
import type { BudgetLimits, Prices } from "../../core/budget.ts";
import type { Entry } from "../../core/log.ts";
import { isIterationKey } from "../../core/log-keys.ts";
import type { Usage } from "../../core/model.ts";
import { unlogged } from "../logged-error.ts";
import { Use } from "./use.ts";

export interface PastUse {
  use: Use;
  /** Milliseconds in which a process worked on it. */
  activeMs: number;
  /** What the model was told of. */
  told: Omit<BudgetLimits, "soft">;
  /** The call that was refused in the iteration that has not ended. */
  refused: HaftError | undefined;
}

/** `prices` where dollars count. */
export function pastUse(run: string, entries: readonly Entry[], prices: Prices | undefined): PastUse {
  const past = { use: new Use(), activeMs: 0, told: {}, refused: undefined } as PastUse;
  const time = new PastTime();
  const open = new Set<string>(); // iterations that have begun and not ended
  for (const entry of entries) {
    if (entry.key !== run && !entry.key.startsWith(`${run}/`)) continue;
    past.activeMs += time.until(entry);
    note(past, open, entry, prices);
    noteOwn(past, run, entry);
  }
  return past;
}

function noteOwn(past: PastUse, run: string, entry: Entry): void {
  const parent = parentOf(entry.key);
  if (entry.type === "iteration-end" && parent === run) {
    past.told = { ...past.told, ...entry.told };
    past.refused = undefined;
  } else if (entry.type === "tool-end" && isRefusal(entry.error) && parentOf(parent) === run) {
    past.refused = unlogged(entry.error);
  }
}

function note(past: PastUse, open: Set<string>, entry: Entry, prices: Prices | undefined): void {
  const { use } = past;
  switch (entry.type) {
    case "model-start":
      open.add(entry.key);
      break;
    case "model-response":
      spend(use, entry.model, entry.usage, prices);
      break;
    case "model-error":
      if (entry.usage) spend(use, entry.model, entry.usage, prices);
      break;
    case "compaction":
      if (entry.model && entry.usage && isIterationKey(entry.key)) spend(use, entry.model, entry.usage, prices);
      break;
    case "tool-start":
      use.add("calls", entry.name, 1);
      break;
    case "iteration-end":
      open.delete(entry.key);
      use.add("iterations", parentOf(entry.key), 1);
      break;
    case "run-end":
      for (const key of open) {
        if (parentOf(key) !== entry.key) continue;
        open.delete(key); // it failed in the middle, and nobody goes on with it
        use.add("iterations", entry.key, 1);
      }
  }
}

export function spend(use: Use, model: string, usage: Usage, prices: Prices | undefined): void {
  use.add("tokens", model, usage.inputTokens + usage.outputTokens);
  const cost = prices?.(model, usage);
  if (isPrice(cost)) use.add("usd", model, cost);
}

/** A function that gives no number does not know. */
export function isPrice(cost: unknown): cost is number {
  return typeof cost === "number" && Number.isFinite(cost);
}

function isRefusal(error: { code: string; data?: unknown } | undefined): error is { code: string; message: string } {
  return error?.code === "BUDGET_EXCEEDED" && (error.data as { limit?: unknown } | undefined)?.limit === "calls";
}

function parentOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/"));
}

/** From entry to entry, but not while somebody is asked, and not until a process goes on. */
class PastTime {
  #last: number | undefined;
  readonly #waiting = new Set<string>();

  until({ at, key, type }: Entry): number {
    const counts = this.#last !== undefined && type !== "run-resume" && this.#waiting.size === 0;
    const spanMs = counts ? Math.max(0, at - this.#last!) : 0;
    this.#last = at;
    if (type === "tool-pause") this.#waiting.add(key);
    else this.#waiting.delete(key);
    return spanMs;
  }
}
