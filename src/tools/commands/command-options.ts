/** The option values of Command: `[Command, values]`. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { isPlainObject } from "../../base/json.ts";
import type { SchemaPair } from "../../core/schema.ts";
import { Fields } from "../input/fields.ts";
import type { ArgsPolicy } from "./grants/argument-rules.ts";
import type { NetworkGrant } from "./grants/network.ts";
import { profileOf } from "./grants/profiles/index.ts";
import { SealedEnv } from "./sealed-env.ts";

export interface CommandOptions {
  /** A program: a name to look up on the sandbox's PATH, or a path. */
  command: string;
  /** Default: made from the program's name. */
  name?: string;
  description?: string;
  /** The only subcommands: the first argument must be one of them. Default: those of the profile, else any. */
  subcommands?: readonly string[];
  /** What arguments it takes, beside what the profile of its program allows: rules, a function, or a list of both. */
  args?: ArgsPolicy;
  /** false: without the profile of git, gh, curl, tar, find or rg. Such a grant runs any program. */
  profile?: boolean;
  /** For the program only. A model never sees the values, and neither does the log. */
  env?: Readonly<Record<string, string>> | SealedEnv;
  /** Names of the run's secrets that it gets. Default: all of them. A name that there is not fails the call with SECRET_UNKNOWN. */
  secrets?: readonly string[];
  /** Where it runs when the model does not say. */
  cwd?: string;
  /** The folder that it runs in and that paths stay in. Default: the sandbox's; with `host`, the run's `cwd`. */
  root?: string;
  /** How long it may take when the model does not say. Default 120,000. */
  timeoutMs?: number;
  /** The most that it may take, whatever the model says. Default 600,000, or `timeoutMs` where that is more. */
  maxTimeoutMs?: number;
  /**
   * false: none. A list: these hosts only. true, or left out: whatever the sandbox lets through. Where neither a profile
   * nor the sandbox can hold the program to it, a call fails with GRANT_UNENFORCEABLE.
   */
  network?: NetworkGrant;
  /** Runs on the host, outside of the sandbox, with an exact environment: PATH, the locale, and what `env` and `secrets` give. */
  host?: boolean;
}

export interface ReadOptions extends CommandOptions {
  env?: SealedEnv;
}

const properties = {
  command: { type: "string", minLength: 1 },
  name: { type: "string" },
  description: { type: "string" },
  subcommands: { type: "array", items: { type: "string" } },
  args: {},
  profile: { type: "boolean" },
  env: { type: "object", additionalProperties: { type: "string" } },
  secrets: { type: "array", items: { type: "string" } },
  cwd: { type: "string" },
  root: { type: "string" },
  timeoutMs: { type: "number", exclusiveMinimum: 0 },
  maxTimeoutMs: { type: "number", exclusiveMinimum: 0 },
  network: {},
  host: { type: "boolean" },
} as const;

export const commandOptions: SchemaPair<StandardSchemaV1<CommandOptions, ReadOptions>> = {
  jsonSchema: { type: "object", properties, required: ["command"], additionalProperties: false },
  schema: { "~standard": { version: 1, vendor: "haft", validate: readOptions } },
};

/** `git` is `Git`, `docker-compose` is `Docker_compose`, `/usr/bin/my-tool` is `My_tool`, `7z` is `Run_7z`. */
export function commandName({ name, command }: Partial<CommandOptions>): string {
  if (typeof name === "string" && name !== "") return name;
  if (typeof command !== "string") return "Command";
  const base =
    command
      .split(/[\\/]/)
      .filter(Boolean)
      .at(-1)
      ?.replace(/[^A-Za-z0-9_]+/g, "_") ?? "";
  const word = /^[A-Za-z]/.test(base) ? base : `Run_${base.replace(/^_+/, "")}`;
  return (word.charAt(0).toUpperCase() + word.slice(1)).slice(0, 50);
}

function readOptions(given: unknown): StandardSchemaV1.Result<ReadOptions> {
  const fields = new Fields(given);
  const value: ReadOptions = {
    command: fields.filledText("command"),
    name: fields.optionalText("name"),
    description: fields.optionalText("description"),
    subcommands: optionalTexts(fields, "subcommands"),
    args: readArgs(fields),
    profile: fields.has("profile") ? fields.flag("profile") : undefined,
    env: readEnv(fields),
    secrets: optionalTexts(fields, "secrets"),
    cwd: fields.optionalText("cwd"),
    root: fields.optionalText("root"),
    timeoutMs: fields.amount("timeoutMs"),
    maxTimeoutMs: fields.amount("maxTimeoutMs"),
    network: readNetwork(fields),
    host: fields.has("host") ? fields.flag("host") : undefined,
  };
  const names = Object.keys(properties);
  for (const key of fields.keysBeside(names)) fields.problem(key, `is not an option; there are ${names.join(", ")}`);
  const problem = value.profile === false ? undefined : profileOf(value.command)?.networkProblem?.(value.network);
  if (problem) fields.problem("network", `does not fit: ${problem}`);
  return fields.issues.length > 0 ? { issues: fields.issues } : { value };
}

function optionalTexts(fields: Fields, key: string): string[] | undefined {
  return fields.has(key) ? fields.texts(key) : undefined;
}

const ruleKeys = ["subcommands", "options", "denyOptions", "positionals", "singleDash"];

/** A rule with a misspelled name would let through what it was to stop. */
function readArgs(fields: Fields): ArgsPolicy | undefined {
  const given = fields.raw("args");
  if (given === undefined) return undefined;
  for (const policy of Array.isArray(given) ? given : [given]) {
    if (typeof policy === "function") continue;
    if (!isPlainObject(policy))
      fields.problem("args", "must be rules, a function (args, place) => true or a reason, or a list of both");
    else checkRuleKeys(fields, policy);
  }
  return given as ArgsPolicy;
}

function checkRuleKeys(fields: Fields, rules: Record<string, unknown>): void {
  for (const key of Object.keys(rules)) {
    if (!ruleKeys.includes(key)) fields.problem(`args.${key}`, `is no rule; there are ${ruleKeys.join(", ")}`);
  }
  if (!isPlainObject(rules.subcommands)) return;
  for (const inner of Object.values(rules.subcommands)) {
    if (isPlainObject(inner)) checkRuleKeys(fields, inner);
    else fields.problem("args.subcommands", "must be a list of names, or an object of rules");
  }
}

const hostPattern = /^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

function readNetwork(fields: Fields): NetworkGrant | undefined {
  const given = fields.raw("network");
  if (given === undefined || typeof given === "boolean") return given;
  const hosts = fields.texts("network");
  for (const host of hosts.filter((host) => !hostPattern.test(host))) {
    fields.problem(
      "network",
      `${JSON.stringify(host)} is no host: write api.example.com or *.example.com, without a scheme, a port or a path`,
    );
  }
  return hosts;
}

/** Values that were read before come again when a tool is copied. */
function readEnv(fields: Fields): SealedEnv | undefined {
  const given = fields.raw("env");
  if (given === undefined || given instanceof SealedEnv) return given;
  const values = fields.textMap("env");
  return values && new SealedEnv(values);
}
