/** Holds the values of options and arguments to their rules. */
import type { ValueRule } from "./argument-rules.ts";
import type { NetworkGrant } from "./network.ts";
import { checkUrl } from "./network.ts";
import { isInsideAsWritten, leadsInside, type Place } from "./place.ts";
import type { FoundValue } from "./read-arguments.ts";
import { quoted, refused } from "./refusal.ts";

/** @throws HaftError `COMMAND_REFUSED` */
export async function checkValues(
  values: readonly FoundValue[],
  place: Place,
  network: NetworkGrant | undefined,
): Promise<void> {
  for (const { rule, value, of } of values) await checkValue(rule, value, of, place, network);
}

async function checkValue(
  rule: ValueRule,
  value: string,
  of: string,
  place: Place,
  network: NetworkGrant | undefined,
): Promise<void> {
  const wrong = (why: string, allowed?: readonly string[] | string) =>
    refused(`${quoted(value)} as ${of === "an argument" ? of : `the value of ${of}`}: ${why}`, allowed);
  if (rule instanceof RegExp) {
    if (!matchesAll(rule, value)) throw wrong("it is not of the form that is granted", String(rule));
  } else if (typeof rule !== "string") {
    if (!rule.includes(value)) throw wrong("it is none of the values that are granted", rule);
  } else if (rule === "number") {
    if (!/^[+-]?\d+$/.test(value)) throw wrong("it must be a whole number");
  } else if (rule === "path") {
    if (!(await leadsInside(place, value))) throw wrong("it leads outside", `paths in ${place.root}`);
  } else if (rule === "revision") {
    if (!isInsideAsWritten(place, value)) throw wrong("it leads outside", `revisions, and paths in ${place.root}`);
  } else if (rule === "url") {
    checkUrl(value, network);
  }
}

/** The pattern of a person need not be anchored. */
function matchesAll({ source, flags }: RegExp, value: string): boolean {
  return new RegExp(`^(?:${source})$`, flags.replace(/[gmy]/g, "")).test(value);
}
