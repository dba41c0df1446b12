/** A source as it was given, read: which kind it is, and whether it can be one. */
import { HaftError } from "../base/errors.ts";
import { isPlainObject } from "../base/json.ts";
import type { SecretProvider } from "../core/secrets.ts";
import { opEnvironment, programEnvironment } from "./program-environment.ts";

export type Source = { name: string; tools: readonly string[] | undefined } & (
  | { kind: "env"; variable: string }
  | { kind: "static"; value: string }
  | { kind: "file"; path: string }
  | { kind: "op" | "command"; argv: readonly string[]; env: Record<string, string>; timeoutMs: number | undefined }
  | { kind: "provider"; resolve: SecretProvider["resolve"] }
);

const kinds = ["env", "static", "op", "file", "command", "resolve"] as const;
const fields: Record<(typeof kinds)[number], readonly string[]> = {
  env: [],
  static: [],
  op: ["account", "timeoutMs"],
  file: [],
  command: ["env", "timeoutMs"],
  resolve: [],
};

/** @throws HaftError `SECRET_SOURCE_INVALID` */
export function readSource(name: string, given: unknown): Source {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw invalid(`"${name}" cannot name a secret`, "A name is that of an environment variable: letters, digits, _.");
  }
  if (typeof given === "function")
    return { name, tools: undefined, kind: "provider", resolve: given as SecretProvider["resolve"] };
  const source = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  const tools = toolsOf(name, source.tools);
  if (typeof source.resolve === "function") {
    return {
      name,
      tools,
      kind: "provider",
      resolve: (secret, options) => (source as unknown as SecretProvider).resolve(secret, options),
    };
  }
  const kind = kinds.filter((one) => source[one] !== undefined && !(one === "env" && source.command !== undefined));
  if (kind.length !== 1) throw unknown(name);
  checkFields(name, source, kind[0]!);
  const known = { name, tools };
  const { env, static: value, op, file, command } = source;
  if (isFilled(op)) return { ...known, ...ofOp(name, source, op) };
  if (command !== undefined) return { ...known, ...ofCommand(name, source) };
  if (isFilled(env)) return { ...known, kind: "env", variable: env };
  if (typeof value === "string") return { ...known, kind: "static", value };
  if (isFilled(file)) return { ...known, kind: "file", path: file };
  throw unknown(name);
}

function ofOp(name: string, { account, timeoutMs }: Record<string, unknown>, reference: string) {
  if (!reference.startsWith("op://"))
    throw invalid(`Secret "${name}" has an \`op\` that is no reference`, "A reference is op://vault/item/field.");
  if (account !== undefined && !isFilled(account)) throw invalid(`Secret "${name}" has an \`account\` that is no text`);
  const argv = ["op", "read", reference, ...(account === undefined ? [] : ["--account", account])];
  return { kind: "op" as const, argv, env: opEnvironment(), timeoutMs: timeOf(name, timeoutMs) };
}

function ofCommand(name: string, { command, env, timeoutMs }: Record<string, unknown>) {
  if (!Array.isArray(command) || !isFilled(command[0]) || !command.every((part) => typeof part === "string")) {
    throw invalid(
      `Secret "${name}" has a \`command\` that is no program with arguments`,
      'Write: { command: ["pass", "show", "github"] }.',
    );
  }
  if (env !== undefined && !(isPlainObject(env) && Object.values(env).every((value) => typeof value === "string"))) {
    throw invalid(`Secret "${name}" has an \`env\` that is no object of texts`);
  }
  const given = env as Record<string, string> | undefined;
  return {
    kind: "command" as const,
    argv: command as string[],
    env: { ...programEnvironment(), ...given },
    timeoutMs: timeOf(name, timeoutMs),
  };
}

function timeOf(name: string, timeoutMs: unknown): number | undefined {
  if (timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs < 2 ** 31))
    return timeoutMs;
  throw invalid(`Secret "${name}" has a \`timeoutMs\` that is no number of milliseconds above 0`);
}

function toolsOf(name: string, tools: unknown): readonly string[] | undefined {
  if (tools === undefined || (Array.isArray(tools) && tools.every(isFilled))) return tools?.slice();
  throw invalid(`Secret "${name}" has \`tools\` that are no list of names`, 'Write: tools: ["Bash"].');
}

function checkFields(name: string, source: object, kind: (typeof kinds)[number]): void {
  const known = [kind, "tools", ...fields[kind]];
  const unknownField = Object.keys(source).find((field) => !known.includes(field));
  if (unknownField === undefined) return;
  throw invalid(
    `Secret "${name}" has "${unknownField}", which its source does not have`,
    `There are: ${known.join(", ")}.`,
  );
}

function isFilled(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function unknown(name: string): HaftError {
  return invalid(
    `Secret "${name}" has no source that is known here`,
    'Give one of { env: "VARIABLE" }, { static: "value" }, { op: "op://…" }, { file: "path" }, { command: ["program"] } and { resolve }.',
  );
}

function invalid(message: string, hint?: string): HaftError {
  return new HaftError("SECRET_SOURCE_INVALID", message, { hint });
}
