/** Reads arguments as the program will, and refuses every option that its rules do not name in full. */
import type { ArgsRules, OptionRule, ReadArguments, ValueRule } from "./argument-rules.ts";
import { quoted, refused } from "./refusal.ts";

/** A value that is still to be looked at, and how to speak of it. */
export interface FoundValue {
  rule: ValueRule;
  value: string;
  of: string;
}

export interface Reading extends ReadArguments {
  values: readonly FoundValue[];
}

/** @throws HaftError `COMMAND_REFUSED` */
export function readArguments(args: readonly string[], rules: ArgsRules): Reading {
  const { rules: inner, subcommands, rest } = enterSubcommands(args, rules);
  const reader = new Reader(inner, subcommands);
  reader.read(rest);
  return reader.finish();
}

function enterSubcommands(args: readonly string[], outer: ArgsRules) {
  let rules = outer;
  const subcommands: string[] = [];
  while (rules.subcommands) {
    const names: readonly string[] = isList(rules.subcommands) ? rules.subcommands : Object.keys(rules.subcommands);
    const given = args[subcommands.length];
    const place = subcommands.length > 0 ? ` after ${subcommands.join(" ")}` : "";
    if (given === undefined) throw refused(`a subcommand is missing${place}`, names);
    if (!names.includes(given)) {
      const what = given.startsWith("-")
        ? "the subcommand comes first, and options after it"
        : "it is no subcommand that is granted";
      throw refused(`${quoted(given)}${place}: ${what}`, names);
    }
    subcommands.push(given);
    const { subcommands: choice, ...own } = rules;
    rules = isList(choice) ? own : joined(own, choice![given]!);
  }
  return { rules, subcommands, rest: args.slice(subcommands.length) };
}

/** What is denied outside is denied inside. */
function joined(outer: ArgsRules, inner: ArgsRules): ArgsRules {
  return { ...outer, ...inner, denyOptions: [...(outer.denyOptions ?? []), ...(inner.denyOptions ?? [])] };
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

class Reader {
  readonly #rules: ArgsRules;
  readonly #subcommands: readonly string[];
  readonly #options: { name: string; value?: string }[] = [];
  readonly #positionals: string[] = [];
  readonly #values: FoundValue[] = [];

  constructor(rules: ArgsRules, subcommands: readonly string[]) {
    this.#rules = rules;
    this.#subcommands = subcommands;
  }

  read(args: readonly string[]): void {
    for (let at = 0; at < args.length; at++) {
      const arg = args[at]!;
      if (arg === "--") {
        this.#positionals.push(...args.slice(at + 1));
        return;
      }
      if (!arg.startsWith("-") || arg === "-") this.#positionals.push(arg);
      else if (this.#readOption(arg, args[at + 1])) at++;
    }
  }

  finish(): Reading {
    const read = { subcommands: this.#subcommands, options: this.#options, positionals: this.#positionals };
    const { positionals: rule = "text" } = this.#rules;
    if (rule === false && this.#positionals.length > 0) {
      throw refused(`${quoted(this.#positionals[0]!)}: ${this.#owner()} takes only options here`);
    }
    const perPlace = typeof rule === "function" ? rule(read) : undefined;
    const rest = this.#positionals.map((value, index) => {
      const own = perPlace ? perPlace[index] : (rule as ValueRule);
      if (own === undefined) throw refused(`${quoted(value)}: ${this.#owner()} takes no more arguments here`);
      return { rule: own, value, of: "an argument" };
    });
    return { ...read, values: [...this.#values, ...rest] };
  }

  /** True when the next argument belongs to it. */
  #readOption(arg: string, next: string | undefined): boolean {
    if (arg.startsWith("--")) return this.#readLong(arg, next);
    if (this.#rules.singleDash === "whole") return this.#take(arg, this.#ruleOf(arg), undefined, next);
    return this.#readCluster(arg, next);
  }

  #readLong(arg: string, next: string | undefined): boolean {
    const equals = arg.indexOf("=");
    const name = equals < 0 ? arg : arg.slice(0, equals);
    return this.#take(name, this.#ruleOf(name), equals < 0 ? undefined : arg.slice(equals + 1), next);
  }

  #readCluster(arg: string, next: string | undefined): boolean {
    if (/^-\d+$/.test(arg) && this.#rules.options?.["-#"]) return this.#take("-#", true, undefined, next);
    if (!this.#rules.options) {
      // Which letters take a value is not known: a denied one must be nowhere.
      const letter = [...arg.slice(1)].find((character) => this.#isDenied(`-${character}`));
      if (letter !== undefined || this.#isDenied(arg)) throw this.#refusal(letter === undefined ? arg : `-${letter}`);
      this.#options.push(...[...arg.slice(1)].map((character) => ({ name: `-${character}` })));
      return false;
    }
    for (let at = 1; at < arg.length; at++) {
      const name = `-${arg[at]}`;
      const rule = this.#ruleOf(name);
      if (rule === true) {
        this.#options.push({ name });
        continue;
      }
      const attached = arg.slice(at + 1) || undefined;
      // To some programs the = belongs to the value, to others it does not.
      if (attached?.startsWith("="))
        throw refused(`${quoted(arg)}: a value comes right after ${name}, or as the next argument`);
      return this.#take(name, rule, attached, next);
    }
    return false;
  }

  #take(name: string, rule: OptionRule | undefined, attached: string | undefined, next: string | undefined): boolean {
    if (rule === undefined || rule === true) {
      if (rule === true && attached !== undefined) throw refused(`${name} takes no value`);
      this.#options.push({ name, ...(attached !== undefined && { value: attached }) });
      return false;
    }
    if (isOptional(rule)) {
      this.#options.push({ name, ...(attached !== undefined && { value: attached }) });
      if (attached !== undefined) this.#values.push({ rule: rule.optional, value: attached, of: name });
      return false;
    }
    const value = attached ?? next;
    if (value === undefined) throw refused(`${name} needs a value`);
    if (attached === undefined && /^-\S/.test(value) && this.#rules.singleDash !== "whole") {
      throw refused(`the value of ${name} begins with a dash, and could be read as an option: attach it to ${name}`);
    }
    this.#options.push({ name, value });
    this.#values.push({ rule, value, of: name });
    return attached === undefined;
  }

  /** Undefined where every option is taken that is not denied. */
  #ruleOf(name: string): OptionRule | undefined {
    const { options } = this.#rules;
    if (this.#isDenied(name)) throw this.#refusal(name);
    if (!options) return undefined;
    if (!Object.hasOwn(options, name)) throw this.#refusal(name);
    return options[name];
  }

  /** Programs take abbreviations of long options, so the start of a denied one is denied, unless it is one of its own. */
  #isDenied(name: string): boolean {
    const { denyOptions = [], options } = this.#rules;
    if (denyOptions.includes(name)) return true;
    if (options && Object.hasOwn(options, name)) return false;
    return name.startsWith("--") && denyOptions.some((denied) => denied.startsWith(name));
  }

  #refusal(name: string): Error {
    const { options, denyOptions = [] } = this.#rules;
    const allowed = options && Object.keys(options).filter((option) => !denyOptions.includes(option));
    const full = allowed?.filter((option) => name.startsWith("--") && name.length > 3 && option.startsWith(name));
    if (full?.length) return refused(`${quoted(name)} is an abbreviation: options are written in full`, full);
    return refused(`${quoted(name)} is an option of ${this.#owner()} that is not granted`, allowed);
  }

  #owner(): string {
    return this.#subcommands.length > 0 ? this.#subcommands.join(" ") : "the program";
  }
}

function isOptional(rule: OptionRule): rule is { readonly optional: ValueRule } {
  return typeof rule === "object" && "optional" in rule;
}
