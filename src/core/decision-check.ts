/** Decisions come from outside (a person, a file, a request): what is not plainly one of the four is none. */
import { HaftError } from "../base/errors.ts";
import { describeValue, isPlainObject } from "../base/json.ts";
import type { Decision } from "./decision.ts";

/** @throws HaftError `DECISION_INVALID`, so that nothing runs because of a decision that nobody understands. */
export function checkDecision(value: unknown): Decision {
  if (isPlainObject(value) && isDecision(value)) return value as Decision;
  throw new HaftError("DECISION_INVALID", `This is ${describeValue(value)}, which is no decision`, {
    hint: 'Give one of { approve: true }, { approve: true, input }, { deny: "reason" }, { value } and { error: "reason" }.',
  });
}

/** @throws HaftError `DECISION_INVALID` */
export function checkPrincipal(by: unknown): void {
  if (by === undefined || (typeof by === "string" && by !== "")) return;
  throw new HaftError("DECISION_INVALID", `by is ${describeValue(by)}, which is no name`, {
    hint: "Give the name of whoever decided as text, or leave it out.",
  });
}

function isDecision({ approve, deny, error, value, ...rest }: Record<string, unknown>): boolean {
  const { input, ...unknown } = rest;
  const given = [approve, deny, error, value].filter((part) => part !== undefined);
  if (given.length !== 1 || Object.keys(unknown).length > 0) return false;
  if (input !== undefined && approve === undefined) return false;
  return approve === true || typeof deny === "string" || typeof error === "string" || value !== undefined;
}
