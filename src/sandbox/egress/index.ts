/** egress(): what sandboxes may reach over the network, closed until it is named. */

import { LONGEST_TIMEOUT_MS } from "../../base/watchdog.ts";
import type { EgressHeader, EgressPolicy, EgressRule } from "../../core/egress.ts";
import type { EgressListener } from "./audit.ts";
import { Asker, type EgressDecide } from "./decide.ts";
import { Policy } from "./policy.ts";
import { type EgressLookup, lookUp } from "./resolve.ts";
import { checkedHeader, checkedRule, invalid } from "./rules.ts";

export type { EgressListener } from "./audit.ts";
export type { EgressDecide, EgressDecision } from "./decide.ts";
export type { EgressLookup } from "./resolve.ts";

export interface EgressOptions {
  /** Rules that deny come before those that allow; otherwise their order means nothing. Default: none. */
  rules?: readonly EgressRule[];
  /** Asked about what no rule names: a function, a Tool, or anything with `execute`. Default: that is denied. */
  decide?: EgressDecide;
  /** How long `decide` may take, in milliseconds. Then it is a no. Default 30,000. */
  decideTimeoutMs?: number;
  /** Told of every request when it has ended, allowed or not. What it throws changes nothing. */
  audit?: EgressListener;
  /**
   * Names that are allowed may lead to private, loopback and carrier-grade NAT addresses, and those can be asked for.
   * Link-local and metadata addresses still need a rule of their own. Default false: every such address needs one.
   */
  allowPrivate?: boolean;
  /** Headers that a virtual sandbox fills in outside of its shell. Other sandboxes refuse the policy. Default: none. */
  headers?: readonly EgressHeader[];
  /** How names are resolved: all addresses of a name. Default: as the machine does. */
  lookup?: EgressLookup;
}

const DECIDE_MS = 30_000;
const KEYS = ["rules", "decide", "decideTimeoutMs", "audit", "allowPrivate", "headers", "lookup"];

/**
 * A policy for any number of sandboxes. `egress()` alone denies everything.
 *
 * @throws HaftError `EGRESS_INVALID` for a rule, a header or an option that cannot be meant so
 */
export function egress(options: EgressOptions = {}): EgressPolicy {
  const unknown = Object.keys(options).find((key) => !KEYS.includes(key));
  if (unknown)
    throw invalid(`egress has the option "${unknown}", which is not known`, `There are: ${KEYS.join(", ")}.`);
  const { rules = [], headers = [], decide, decideTimeoutMs = DECIDE_MS } = options;
  for (const [name, list] of Object.entries({ rules, headers })) {
    if (!Array.isArray(list)) throw invalid(`${name} of egress is no list`, "Give an array of objects.");
  }
  if (!(decideTimeoutMs >= 1 && decideTimeoutMs <= LONGEST_TIMEOUT_MS)) {
    throw invalid(`decideTimeoutMs is ${decideTimeoutMs}`, "Give milliseconds, from 1.");
  }
  if (decide !== undefined && typeof decide !== "function" && typeof decide?.execute !== "function") {
    throw invalid("decide can neither be called nor executed", "Give a function, a Tool, or an object with execute.");
  }
  for (const name of ["audit", "lookup"] as const) {
    const given = options[name];
    if (given !== undefined && typeof given !== "function") throw invalid(`${name} is no function`, "Give one.");
  }
  return new Policy({
    rules: rules.map(checkedRule),
    headers: headers.map(checkedHeader),
    asker: decide && new Asker(decide, decideTimeoutMs),
    audit: options.audit,
    allowPrivate: options.allowPrivate === true,
    lookup: options.lookup ?? lookUp,
  });
}
