/** The option values of Command: `[Command, values]`. */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { SchemaPair } from "../../core/schema.ts";
import { Fields } from "../input/fields.ts";
import { SealedEnv } from "./sealed-env.ts";

export interface CommandOptions {
  /** A program: a name to look up on the sandbox's PATH, or a path. */
  command: string;
  /** Default: made from the program's name. */
  name?: string;
  description?: string;
  /** For the program only. A model never sees the values, and neither does the log. */
  env?: Readonly<Record<string, string>> | SealedEnv;
  /** Where it runs when the model does not say. */
  cwd?: string;
  /** How long it may take when the model does not say. Default 120,000. */
  timeoutMs?: number;
}

export interface ReadOptions extends CommandOptions {
  env?: SealedEnv;
}

const keys = ["command", "name", "description", "env", "cwd", "timeoutMs"] as const;

export const commandOptions: SchemaPair<StandardSchemaV1<CommandOptions, ReadOptions>> = {
  jsonSchema: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1 },
      name: { type: "string" },
      description: { type: "string" },
      env: { type: "object", additionalProperties: { type: "string" } },
      cwd: { type: "string" },
      timeoutMs: { type: "number", exclusiveMinimum: 0 },
    },
    required: ["command"],
    additionalProperties: false,
  },
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
    env: readEnv(fields),
    cwd: fields.optionalText("cwd"),
    timeoutMs: fields.amount("timeoutMs"),
  };
  for (const key of fields.keysBeside(keys)) fields.problem(key, `is not an option; there are ${keys.join(", ")}`);
  return fields.issues.length > 0 ? { issues: fields.issues } : { value };
}

/** Values that were read before come again when a tool is copied. */
function readEnv(fields: Fields): SealedEnv | undefined {
  const given = fields.raw("env");
  if (given === undefined || given instanceof SealedEnv) return given;
  const values = fields.textMap("env");
  return values && new SealedEnv(values);
}
