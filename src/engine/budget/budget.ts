/** The budget of a run: a node of a tree. What a run uses is also used of the budgets above it, and each may end it. */
import { HaftError, messageOf } from "../../base/errors.ts";
import type { BudgetLimit, BudgetLimits, Prices, SharedBudget } from "../../core/budget.ts";
import type { Entry } from "../../core/log.ts";
import { userText } from "../../core/message.ts";
import type { Usage } from "../../core/model.ts";
import { BudgetClock } from "./clock.ts";
import { amount, kinds, share, softLimit } from "./limits.ts";
import { isPrice, pastUse, spend } from "./past-use.ts";
import { type Counted, Use } from "./use.ts";

interface Abort {
  abort(reason: unknown): void;
}

/** What the end of an iteration has to say of the budget. */
export interface BudgetNotice {
  message: ReturnType<typeof userText>;
  told: Omit<BudgetLimits, "soft">;
}

export class Budget implements SharedBudget {
  readonly #limits: BudgetLimits;
  readonly #parent: Budget | undefined;
  #prices: Prices | undefined;
  #use = new Use();
  #told: Omit<BudgetLimits, "soft"> = {};
  #clock: BudgetClock | undefined;
  /** A call that was asked for passed a limit: the run ends after this iteration. */
  #refused: HaftError | undefined;

  constructor(limits: BudgetLimits, parent?: Budget) {
    this.#limits = { ...limits };
    this.#parent = parent;
  }

  child(limits: BudgetLimits = {}): Budget {
    return new Budget(limits, this);
  }

  /** Dollars count, here or above. */
  get needsPrices(): boolean {
    return this.#limits.usd !== undefined || (this.#parent?.needsPrices ?? false);
  }

  /** What was given above holds for all below that were given none. */
  priced(prices: Prices | undefined): void {
    this.#prices = prices ?? this.#parent?.prices;
  }

  get prices(): Prices | undefined {
    return this.#prices;
  }

  get inheritsPrices(): boolean {
    return this.#parent?.prices !== undefined;
  }

  get countsTime(): boolean {
    return this.#limits.seconds !== undefined;
  }

  /** The run begins or goes on here: what its log has counts, and the time runs. */
  open(run: string, entries: readonly Entry[], abort: Abort, isOver: boolean): void {
    const past = pastUse(run, entries, this.#prices);
    this.#use = past.use;
    this.#told = past.told;
    if (past.refused && this.#full("calls")) this.#refused = past.refused;
    const { seconds } = this.#limits;
    if (seconds === undefined || isOver) return;
    this.#clock = new BudgetClock(seconds * 1000, past.activeMs, () => abort.abort(this.#exceeded("seconds", this)));
  }

  close(): void {
    this.#clock?.close();
  }

  /** The limit that leaves no room for another model call. */
  over(): HaftError | undefined {
    for (const kind of ["iterations", "tokens", "usd", "seconds"] as const) {
      const full = this.#full(kind);
      if (full) return this.#exceeded(kind, full);
    }
    return undefined;
  }

  iterates(run: string): void {
    this.#add("iterations", run, 1);
  }

  /** A handler is about to be called; `failure` is why, where it is called again. @throws HaftError `BUDGET_EXCEEDED` */
  calls(tool: string, failure?: unknown): void {
    this.admits(tool, failure);
    this.#add("calls", tool, 1);
  }

  /** Nobody is asked about a call that could not be made. @throws HaftError `BUDGET_EXCEEDED` */
  admits(tool: string, failure?: unknown): void {
    const full = this.#full("calls");
    if (!full) return;
    const what = failure === undefined ? `"${tool}" was not called` : `"${tool}" was not called again`;
    const before = failure === undefined ? "" : `. It had failed: ${messageOf(failure)}`;
    this.#refused = this.#exceeded("calls", full);
    throw this.#exceeded("calls", full, `${what}: ${this.#refused.message}${before}`);
  }

  /** A call of this iteration was refused: nothing that follows from it is a success. */
  get refused(): HaftError | undefined {
    return this.#refused;
  }

  /** What an attempt at a model used, whether it gave an answer or not. */
  spends(model: string, usage: Usage): void {
    spend(this.#use, model, usage, this.#prices);
    this.#parent?.spends(model, usage);
  }

  /** @throws HaftError `BUDGET_PRICE_UNKNOWN` before a model is called whose use could not be counted */
  affords(model: string): void {
    if (this.#knows(model)) return;
    throw new HaftError(
      "BUDGET_PRICE_UNKNOWN",
      `The run has a budget in US dollars, and nobody knows what ${model} costs`,
      {
        hint: "Give prices: (model, usage) => US dollars, or limit budget.tokens instead.",
        data: { model },
      },
    );
  }

  #knows(model: string): boolean {
    const isKnown = this.#limits.usd === undefined || isPrice(this.#prices?.(model, sample));
    return isKnown && (!this.#parent || this.#parent.#knows(model));
  }

  /** While somebody is asked, no time passes. */
  asks(): void {
    this.#clock?.asks();
    this.#parent?.asks();
  }

  answered(): void {
    this.#clock?.answered();
    this.#parent?.answered();
  }

  /** Once for each limit, when most of it is used. */
  notice(): BudgetNotice | undefined {
    const told: Omit<BudgetLimits, "soft"> = {};
    for (const kind of kinds) {
      const { max, node } = this.#tightest(kind) ?? {};
      if (max === undefined || this.#told[kind] === max) continue;
      if (node!.used(kind) >= softLimit(kind, max, node!.#limits.soft ?? 0.8)) told[kind] = max;
    }
    if (Object.keys(told).length === 0) return undefined;
    this.#told = { ...this.#told, ...told };
    return {
      message: userText(`Most of the budget of this task is used. Left: ${this.#left()}. Come to an end with it.`),
      told,
    };
  }

  #left(): string {
    const parts = kinds.flatMap((kind) => {
      const tightest = this.#tightest(kind);
      return tightest ? share(kind, Math.max(0, tightest.left), tightest.max) : [];
    });
    return parts.join(", ");
  }

  used(kind: BudgetLimit): number {
    return kind === "seconds" ? (this.#clock?.ms ?? 0) / 1000 : this.#use[kind];
  }

  /** Of this budget and those above it, the one with the least left. */
  #tightest(kind: BudgetLimit): { max: number; left: number; node: Budget } | undefined {
    const max = this.#limits[kind];
    const own = max === undefined ? undefined : { max, left: max - this.used(kind), node: this };
    if (!this.#parent) return own;
    const above = this.#parent.#tightest(kind);
    return !own || (above && above.left < own.left) ? above : own;
  }

  /** The budget, this one or one above it, of which nothing of this kind is left. */
  #full(kind: BudgetLimit): Budget | undefined {
    const tightest = this.#tightest(kind);
    return tightest && tightest.left < NOTHING ? tightest.node : undefined;
  }

  #add(kind: Counted, who: string, value: number): void {
    this.#use.add(kind, who, value);
    if (this.#parent) this.#parent.#add(kind, who, value);
  }

  #exceeded(limit: BudgetLimit, node: Budget, message?: string): HaftError {
    const max = node.#limits[limit]!;
    const whose =
      node === this ? "The budget of this run" : "The budget that this run shares with the run that started it";
    const used = node.used(limit);
    return new HaftError("BUDGET_EXCEEDED", message ?? `${whose}, ${amount(limit, max)}, is used up`, {
      hint: `Raise budget.${limit}, or ask for less. What was done stays; the session goes on with the next prompt.`,
      data: { limit, max, used, ...(limit !== "seconds" && { by: { ...node.#use.by[limit] } }) },
    });
  }
}

/** Sums of dollars are not exact. */
const NOTHING = 1e-9;

/** What a price is asked of before there is anything to pay. */
const sample: Usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
