/** A budget is opened before its run: its limits are read, and prices are loaded where dollars count. */
import { invalidOption } from "../../base/errors.ts";
import { channel } from "../../core/context.ts";
import type { ExecuteOptions, Rooms } from "../../core/execute.ts";
import { Budget } from "./budget.ts";
import { limitsProblem } from "./limits.ts";

export type { Budget } from "./budget.ts";

/** The options of the run, with its prices, and its budget where it has one. @throws HaftError `OPTIONS_INVALID`, `PRICES_MISSING` */
export async function openBudget(
  options: ExecuteOptions,
  rooms: Rooms,
): Promise<{ options: ExecuteOptions; budget: Budget | undefined }> {
  const budget = budgetOf(options);
  const given = typeof options.prices === "function" ? options.prices : undefined;
  const isWanted = options.prices === "genai" || (budget?.needsPrices && !given && !budget.inheritsPrices);
  const prices = isWanted ? await rooms.prices() : given;
  budget?.priced(prices);
  return { options: { ...options, prices: prices ?? budget?.prices }, budget };
}

function budgetOf(options: ExecuteOptions & { [channel]?: { budget?: Budget } }): Budget | undefined {
  const { budget: limits } = options;
  const problem = limits && limitsProblem(limits);
  if (problem) throw invalidOption(problem.message, problem.hint);
  const parent = options[channel]?.budget;
  return parent ? parent.child(limits) : limits && new Budget(limits);
}
