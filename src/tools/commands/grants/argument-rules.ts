/** The words of an `args` policy: what arguments a program may be given, as data or as a function. */

/**
 * What a value may be: any `text`; a whole `number`; a `path` that stays inside the grant's root, symlinks included; a
 * `revision` of git, or a path, that does not lead outside as it is written; a `url` of http or https, without a user,
 * at a host of the grant's `network`; one of a list; or a text that matches all of a pattern.
 */
export type ValueRule = "text" | "number" | "path" | "revision" | "url" | readonly string[] | RegExp;

/**
 * `true`: a flag without a value. A value rule: it needs a value, attached or as the next argument. `{ optional }`: a value
 * only when it is attached (`--color=always`, `-U5`).
 */
export type OptionRule = true | ValueRule | { readonly optional: ValueRule };

/** What a program was given, read the way the program reads it. */
export interface ReadArguments {
  /** The subcommands, outermost first: `["pr", "list"]`. */
  subcommands: readonly string[];
  /** Names of options, as they were written: `-n`, `--max-count`. */
  options: readonly { name: string; value?: string }[];
  positionals: readonly string[];
}

export interface ArgsRules {
  /** The first argument must be one of these. With rules, the rest is held to them. */
  subcommands?: readonly string[] | Readonly<Record<string, ArgsRules>>;
  /** The only options that there are. `-#` is a number, as in `-5`. Left out: every option that is not denied. */
  options?: Readonly<Record<string, OptionRule>>;
  /** Never, in any spelling: `--opt`, `--opt=value`, an abbreviation of it, a letter in a cluster. Stronger than `options`. */
  denyOptions?: readonly string[];
  /** What arguments that are no options must be: all of them, or one by one. false: there may be none. Default "text". */
  positionals?: ValueRule | false | ((read: ReadArguments) => readonly ValueRule[]);
  /** `whole`: `-name` is one option, as in find, and a value may begin with a dash. Default "clusters": `-abc` is three. */
  singleDash?: "clusters" | "whole";
}

/** Where the arguments would be used. Paths are absolute. */
export interface ArgsPlace {
  root: string;
  cwd: string;
}

/** `true` lets the arguments pass; a text says to the model why not. An exception refuses them too. */
export type ArgsCheck = (args: readonly string[], place: ArgsPlace) => boolean | string | Promise<boolean | string>;

/** All of a list must let the arguments pass. */
export type ArgsPolicy = ArgsRules | ArgsCheck | readonly (ArgsRules | ArgsCheck)[];

/** Rules of one kind for many options: `each("number", "-n --max-count")`. */
export function each(rule: OptionRule, names: string): Record<string, OptionRule> {
  return Object.fromEntries(names.split(" ").map((name) => [name, rule]));
}
