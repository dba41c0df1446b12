/** One call of a granted program: held to its policies, and turned into what is run. */
import { HaftError, messageOf } from "../../../base/errors.ts";
import type { SandboxAccess } from "../../../core/sandbox.ts";
import type { ReadOptions } from "../command-options.ts";
import type { ArgsCheck, ArgsPolicy, ArgsRules } from "./argument-rules.ts";
import { checkValues } from "./check-values.ts";
import { checkEnforceable } from "./network.ts";
import { checkConfined, isOpenProgram } from "./open-programs.ts";
import type { Place } from "./place.ts";
import { profileOf } from "./profiles/index.ts";
import type { Profile } from "./profiles/profile.ts";
import { readArguments } from "./read-arguments.ts";
import { quoted, refused } from "./refusal.ts";

export interface GrantedCall {
  args: readonly string[];
  /** Of a profile: weaker than what a person gave. */
  env: Record<string, string>;
}

/** The profile of its program, unless the grant goes without. */
export function grantProfile({ command, profile }: Pick<ReadOptions, "command" | "profile">): Profile | undefined {
  return profile === false ? undefined : profileOf(command);
}

/**
 * What does not depend on the arguments: asked at each call, for only then is the sandbox known.
 *
 * @throws HaftError `GRANT_NOT_CONFINED`, `GRANT_UNENFORCEABLE`
 */
export function checkSurroundings(
  options: ReadOptions,
  sandbox: SandboxAccess | undefined,
  hasApproval: boolean,
): void {
  const where = options.host ? undefined : sandbox;
  const profile = grantProfile(options);
  if (isOpenProgram(options.command, profile !== undefined)) checkConfined(options.command, where, hasApproval);
  if (!profile) checkEnforceable(options.command, options.network, where);
}

/**
 * The arguments and the environment to run with, when every policy lets them pass.
 *
 * @throws HaftError `COMMAND_REFUSED`
 */
export async function grantedCall(
  args: readonly string[],
  options: ReadOptions,
  place: Place,
  trusted: Record<string, string>,
  abortSignal: AbortSignal,
): Promise<GrantedCall> {
  const { command, network } = options;
  const profile = grantProfile(options);
  if (args.some((arg) => arg.includes("\0"))) throw refused("an argument holds a NUL character");
  const given = profile?.normalise?.(args) ?? args;
  if (options.subcommands) readArguments(given.slice(0, 1), { subcommands: options.subcommands });
  for (const policy of policiesOf(options.args)) {
    if (typeof policy === "function") await askCheck(policy, given, place);
    else await checkValues(readArguments(given, policy).values, place, network);
  }
  if (!profile) return { args: given, env: {} };

  const reading = readArguments(given, profile.rules(network));
  await checkValues(reading.values, place, network);
  // A simulated program is not the one that the profile knows, and has nothing to start.
  if (!place.isReal) return { args: given, env: {} };
  const env = profile.env?.(place, network) ?? {};
  const call = { args: given, reading, place, network, command, env: { ...env, ...trusted }, abortSignal };
  return { args: (await profile.prepare?.(call)) ?? given, env };
}

export function policiesOf(policy: ArgsPolicy | undefined): readonly (ArgsRules | ArgsCheck)[] {
  if (policy === undefined) return [];
  return isList(policy) ? policy : [policy];
}

function isList(policy: ArgsPolicy): policy is readonly (ArgsRules | ArgsCheck)[] {
  return Array.isArray(policy);
}

async function askCheck(check: ArgsCheck, args: readonly string[], { root, cwd }: Place): Promise<void> {
  let answer: boolean | string;
  try {
    answer = await check([...args], { root, cwd });
  } catch (error) {
    if (HaftError.is(error, "COMMAND_REFUSED")) throw error;
    throw refused(`the arguments could not be looked at: ${messageOf(error)}`);
  }
  if (answer === true) return;
  const shown = args.map(quoted).join(" ");
  throw refused(typeof answer === "string" ? answer : `the arguments ${shown || "(none)"} are not granted`);
}

/** What a model is told beforehand. */
export function grantNotes(options: ReadOptions): string {
  const notes: string[] = [];
  const profile = grantProfile(options);
  const known = profile?.rules(options.network).subcommands;
  const names = options.subcommands ?? (known && (Array.isArray(known) ? known : Object.keys(known)));
  if (names) notes.push(`Subcommands: ${names.join(", ")}.`);
  if (profile || options.args !== undefined)
    notes.push("Options that are not granted are refused, with what is allowed: write them in full.");
  if (profile || options.root !== undefined) notes.push(`Paths stay in ${options.root ?? "the working folder"}.`);
  if (Array.isArray(options.network)) notes.push(`Hosts: ${options.network.join(", ")}.`);
  if (options.host) notes.push("It runs on the host, outside of the sandbox.");
  return notes.length > 0 ? ` ${notes.join(" ")}` : "";
}
