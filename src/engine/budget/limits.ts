/** The limits of a budget: what fits, and how a person or a model is told of them. */
import { describeValue, isPlainObject } from "../../base/json.ts";
import type { BudgetLimit } from "../../core/budget.ts";

export const kinds: readonly BudgetLimit[] = ["iterations", "calls", "tokens", "seconds", "usd"];

const whole = new Set<string>(["iterations", "calls", "tokens"]);

/** A sentence when these are no limits. */
export function limitsProblem(limits: unknown): { message: string; hint: string } | undefined {
  const hint = `There are: ${kinds.join(", ")} (each above 0), and soft (a share, at most 1).`;
  if (!isPlainObject(limits)) return { message: `budget must be an object, got ${describeValue(limits)}`, hint };
  for (const [name, value] of Object.entries(limits)) {
    if (name !== "soft" && !kinds.some((kind) => kind === name)) return { message: `budget has no "${name}"`, hint };
    if (value === undefined || fits(name, value)) continue;
    const shown = typeof value === "number" ? value : describeValue(value);
    return { message: `budget.${name} must be ${wanted(name)}, got ${shown}`, hint };
  }
  return undefined;
}

function fits(name: string, value: unknown): boolean {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return false;
  return name === "soft" ? value <= 1 : !whole.has(name) || Number.isInteger(value);
}

function wanted(name: string): string {
  if (name === "soft") return "a share above 0, at most 1";
  return whole.has(name) ? "an integer from 1" : "a number above 0";
}

/** From here on the model is told: of few whole things, before the last one. */
export function softLimit(kind: BudgetLimit, max: number, soft: number): number {
  return whole.has(kind) ? Math.max(1, Math.floor(soft * max)) : soft * max;
}

/** "10 calls", "$1.50" */
export function amount(kind: BudgetLimit, value: number): string {
  return kind === "usd" ? figure(kind, value) : `${figure(kind, value)} ${value === 1 ? kind.slice(0, -1) : kind}`;
}

/** "2 of 10 calls", "$0.12 of $1.50" */
export function share(kind: BudgetLimit, left: number, max: number): string {
  return `${figure(kind, left)} of ${amount(kind, max)}`;
}

function figure(kind: BudgetLimit, value: number): string {
  if (kind === "usd") return `$${value.toFixed(value >= 0.1 ? 2 : 4)}`;
  const digits = kind === "seconds" && value < 10 ? 1 : 0;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}
