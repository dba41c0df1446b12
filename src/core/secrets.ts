/** Named values that tools may use and nobody may see. */

/**
 * The secrets of a run, opaque: `toString`, JSON, inspection and spreading show names only.
 * Rooms make it; tools read it through `ctx.secrets`.
 */
export interface Secrets {
  readonly names: readonly string[];
  /** All of them, as an environment for a trusted command. */
  env(): Record<string, string>;
  /** @throws HaftError `SECRET_UNKNOWN`, listing the names there are. */
  get(name: string): string;
}

/** Where a secret comes from. */
export type SecretSource =
  /** An environment variable of the host. */
  | { env: string }
  /** The value itself. */
  | { static: string };

/** Takes secrets out of everything that leaves a run. Returns its argument itself when there was nothing to take out. */
export type Redact = <T>(value: T) => T;
