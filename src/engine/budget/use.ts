/** What was used, and by what. */
import type { BudgetLimit } from "../../core/budget.ts";

/** Time is not among them: it is not shared, it passes. */
export type Counted = Exclude<BudgetLimit, "seconds">;

export class Use {
  iterations = 0;
  calls = 0;
  tokens = 0;
  usd = 0;
  /** Of each: how much, by the run, the tool or the model. */
  readonly by: Record<Counted, Record<string, number>> = { iterations: {}, calls: {}, tokens: {}, usd: {} };

  add(kind: Counted, who: string, value: number): void {
    this[kind] += value;
    const list = this.by[kind];
    list[who] = (Object.hasOwn(list, who) ? list[who]! : 0) + value;
  }
}
