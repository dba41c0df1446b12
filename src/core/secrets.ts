/** Named values that tools may use and nobody may see. */
import type { ByteStream } from "./redact/byte-stream.ts";

/**
 * The secrets that a tool may use, opaque: `toString`, JSON, inspection, spreading and `structuredClone` show names only.
 * Rooms make it; tools read it through `ctx.secrets`.
 */
export interface Secrets {
  readonly names: readonly string[];
  /** All of them, as an environment for a trusted command. */
  env(): Record<string, string>;
  /** @throws HaftError `SECRET_UNKNOWN`, listing the names there are. */
  get(name: string): string;
  /** How output is cleaned that goes to a file, or is cut, before it is recorded. */
  readonly [redaction]?: { stream(): ByteStream };
}

export const redaction: unique symbol = Symbol.for("haft.redaction");

/** Gives a secret's value from anywhere. It is asked once a run. */
export interface SecretProvider {
  resolve(name: string, options: { abortSignal: AbortSignal }): string | Promise<string>;
}

/** Where a secret comes from. A line break at the end of what a file or a program gives is not part of it. */
export type SecretOrigin =
  /** An environment variable of the host. */
  | { env: string }
  /** The value itself. */
  | { static: string }
  /** A reference of 1Password (`op://vault/item/field`), read with its program `op`. */
  | { op: string; account?: string; timeoutMs?: number }
  /** A file of the host, relative to `cwd` of the run. At most 64 KiB. */
  | { file: string }
  /**
   * A program and its arguments, run without a shell, with PATH, HOME, USER, the locale and `env` as its environment; its
   * stdout is the value, of at most 64 KiB. `timeoutMs`: default 30,000.
   */
  | { command: readonly string[]; env?: Record<string, string>; timeoutMs?: number }
  | SecretProvider;

/**
 * Where a secret comes from, and by `tools` which tools may use it, by their names. Default: all. A function is a provider
 * of its own.
 */
export type SecretSource = (SecretOrigin & { tools?: readonly string[] }) | SecretProvider["resolve"];

/** Which kind of source a secret came from. */
export type SecretKind = "env" | "static" | "op" | "file" | "command" | "provider";

/** Takes secrets out of everything that leaves a run. Returns its argument itself when there was nothing to take out. */
export type Redact = <T>(value: T) => T;

/** The secrets of a run, for the engine. */
export interface OpenSecrets {
  /** For the log: names and kinds, in the order in which they were given. */
  readonly known: readonly { name: string; source: SecretKind }[];
  readonly redact: Redact;
  /** For text that comes in pieces. */
  stream(): ByteStream;
  /** Those that a tool may use. `accessed` is told of the names whenever values are handed out. */
  secretsFor(
    tool: { name: string; secrets?: readonly string[] },
    accessed: (names: readonly string[]) => void,
  ): Secrets;
}
