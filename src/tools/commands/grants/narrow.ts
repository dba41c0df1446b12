/** A grant made narrower, for a child: what it lets through, the wider one lets through too. */
import { posix } from "node:path";
import { HaftError } from "../../../base/errors.ts";
import type { ReadOptions } from "../command-options.ts";
import { DEFAULT_MS, MAX_MS } from "../time-limit.ts";
import type { ArgsCheck, ArgsPolicy, ArgsRules } from "./argument-rules.ts";
import { grantProfile, policiesOf } from "./grant.ts";
import { isNetworkWithin, type NetworkGrant } from "./network.ts";
import { isInside } from "./place.ts";

export interface NarrowedGrant {
  /** Fewer subcommands. */
  subcommands?: readonly string[];
  /** More options that may not be. */
  denyOptions?: readonly string[];
  /** Asked beside the policies that there are. */
  args?: ArgsPolicy;
  /** Milliseconds: the most that a call may take, and what it may take when the model does not say. */
  timeoutMs?: number;
  /** Fewer of the run's secrets. */
  secrets?: readonly string[];
  /** A folder inside the present one. */
  root?: string;
  network?: NetworkGrant;
}

/** @throws HaftError `GRANT_WIDER`, naming what would be more than there is. */
export function narrowed(options: ReadOptions, by: NarrowedGrant): ReadOptions {
  checkWithin("subcommands", by.subcommands, subcommandsOf(options));
  checkWithin("secrets", by.secrets, options.secrets);
  const maxMs = options.maxTimeoutMs ?? Math.max(MAX_MS, options.timeoutMs ?? 0);
  if (by.timeoutMs !== undefined && by.timeoutMs > maxMs)
    throw wider("timeoutMs", `${by.timeoutMs} is more than ${maxMs}`);
  if (by.network !== undefined && !isNetworkWithin(by.network, networkOf(options))) {
    throw wider("network", `${JSON.stringify(by.network)} is not within ${JSON.stringify(options.network)}`);
  }
  const args: (ArgsRules | ArgsCheck)[] = [
    ...policiesOf(options.args),
    ...policiesOf(by.args),
    ...(by.denyOptions ? [denial(by.denyOptions, options)] : []),
  ];
  const root = innerRoot(options.root, by.root);
  return {
    ...options,
    subcommands: by.subcommands ?? options.subcommands,
    args: args.length > 0 ? args : undefined,
    timeoutMs: by.timeoutMs === undefined ? options.timeoutMs : Math.min(options.timeoutMs ?? DEFAULT_MS, by.timeoutMs),
    maxTimeoutMs: by.timeoutMs ?? options.maxTimeoutMs,
    secrets: by.secrets ?? options.secrets,
    root,
    cwd: by.root === undefined || isPathWithin(root, options.cwd) ? options.cwd : undefined,
    network: by.network ?? options.network,
  };
}

/** What is left out of a grant with a profile is less than everything. */
function networkOf(options: ReadOptions): NetworkGrant | undefined {
  return options.network ?? (grantProfile(options) ? false : undefined);
}

/** Undefined: every one. */
function subcommandsOf(options: ReadOptions): readonly string[] | undefined {
  if (options.subcommands) return options.subcommands;
  const known = grantProfile(options)?.rules(options.network).subcommands;
  return known && (Array.isArray(known) ? known : Object.keys(known));
}

function checkWithin(what: string, some: readonly string[] | undefined, all: readonly string[] | undefined): void {
  if (!some || !all) return;
  const more = some.filter((name) => !all.includes(name));
  if (more.length > 0) throw wider(what, `${more.join(", ")} is not among ${all.join(", ") || "none"}`);
}

/** How dashes are read must be as in the profile, or a denied letter would be looked for in `-name`. */
function denial(denyOptions: readonly string[], options: ReadOptions): ArgsRules {
  const { singleDash } = grantProfile(options)?.rules(options.network) ?? {};
  return { denyOptions, ...(singleDash && { singleDash }) };
}

/** Both relative to the sandbox, or both absolute. */
function innerRoot(root: string | undefined, inner: string | undefined): string | undefined {
  if (inner === undefined) return root;
  if (!isPathWithin(root, inner)) throw wider("root", `${inner} is not inside ${root ?? "the sandbox's folder"}`);
  return inner;
}

function isPathWithin(root = ".", inner = "."): boolean {
  return isInside(posix.resolve("/haft-root", root), posix.resolve("/haft-root", inner));
}

function wider(what: string, why: string): HaftError {
  return new HaftError("GRANT_WIDER", `A narrowed grant may not have more ${what} than the grant: ${why}.`, {
    hint: "Make a grant of its own when a child needs more than its parent.",
  });
}
