/** What a profile knows of one program: which arguments it may be given, and how it is kept from running other programs. */
import type { ArgsRules } from "../argument-rules.ts";
import type { NetworkGrant } from "../network.ts";
import type { Place } from "../place.ts";
import type { Reading } from "../read-arguments.ts";

export interface ProfileCall {
  args: readonly string[];
  reading: Reading;
  place: Place;
  network: NetworkGrant | undefined;
  /** What the program will be called with; for programs that must be asked something first. */
  command: string;
  env: Record<string, string>;
  abortSignal: AbortSignal;
}

export interface Profile {
  name: string;
  /** May throw TOOL_OPTIONS_INVALID-like text for a network that makes no sense: give the sentence. */
  networkProblem?(network: NetworkGrant | undefined): string | undefined;
  rules(network: NetworkGrant | undefined): ArgsRules;
  /** Arguments in the spelling that the rules read. */
  normalise?(args: readonly string[]): readonly string[];
  /** For the real program: beside what a person trusts it with, which is stronger. */
  env?(place: Place, network: NetworkGrant | undefined): Record<string, string>;
  /** For the real program: the arguments that it gets, after a look at what is on disk. May refuse. */
  prepare?(call: ProfileCall): readonly string[] | Promise<readonly string[]>;
}
