/** What a run may use: the contract between its options, its engine and the runs that its calls start. */
import type { Usage } from "./model.ts";

/** Limits of a run and of all that it starts. What is left out has none. */
export interface BudgetLimits {
  /** Iterations: a model call each, and what came of it. An integer from 1. */
  iterations?: number;
  /** Calls of tools that are started, each attempt counted. An integer from 1. */
  calls?: number;
  /** Tokens of all model calls, input and output, as the provider reports them. An integer from 1. */
  tokens?: number;
  /** Seconds in which a process works on the run. Above 0. */
  seconds?: number;
  /** US dollars of all model calls. Above 0. Needs prices of every model. */
  usd?: number;
  /** At this share of a limit the model is told once what is left. Above 0, at most 1. Default 0.8. */
  soft?: number;
}

export type BudgetLimit = Exclude<keyof BudgetLimits, "soft">;

/** What a model call cost, in US dollars; undefined where unknown. */
export type Prices = (model: string, usage: Usage) => number | undefined;

/**
 * The budget of one run, as a handler finds it in its channel. A run that a handler starts is given it as
 * `{ [channel]: { budget } }` beside its options, and draws from it: `execute` makes the child of it.
 */
export interface SharedBudget {
  /** A budget whose use is also this one's, with limits of its own. */
  child(limits?: BudgetLimits): SharedBudget;
}
