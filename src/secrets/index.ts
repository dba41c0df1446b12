/** Secrets of a run: resolved once, opaque, and taken out of everything that is recorded. */
import { HaftError } from "../base/errors.ts";
import type { Redact, SecretSource, Secrets } from "../core/secrets.ts";
import { redactor } from "./redact.ts";

/**
 * Sources: `{ env: "NAME" }` (a variable of the host) and `{ static: "value" }`.
 *
 * @throws HaftError `SECRET_SOURCE_INVALID`, `SECRET_MISSING`: with the name, never the value
 */
export function openSecrets(sources: Record<string, SecretSource>): { secrets: Secrets; redact: Redact } {
  const values = new Map(Object.entries(sources).map(([name, source]) => [name, resolve(name, source)]));
  return { secrets: new OpaqueSecrets(values), redact: redactor(values) };
}

function resolve(name: string, source: SecretSource): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new HaftError("SECRET_SOURCE_INVALID", `"${name}" cannot name a secret`, {
      hint: "A name is that of an environment variable: letters, digits, _.",
    });
  }
  if (typeof source === "object" && source !== null && "static" in source && typeof source.static === "string")
    return source.static;
  if (typeof source !== "object" || source === null || !("env" in source) || typeof source.env !== "string") {
    throw new HaftError("SECRET_SOURCE_INVALID", `Secret "${name}" has no source that is known here`, {
      hint: 'Give { env: "VARIABLE" } or { static: "value" }.',
    });
  }
  const value = process.env[source.env];
  if (value) return value;
  throw new HaftError(
    "SECRET_MISSING",
    `Secret "${name}" is to come from the variable ${source.env}, which is not set`,
    {
      hint: `Set ${source.env}, or leave the secret out.`,
    },
  );
}

class OpaqueSecrets implements Secrets {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  env(): Record<string, string> {
    return Object.fromEntries(this.#values);
  }

  get(name: string): string {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    throw new HaftError(
      "SECRET_UNKNOWN",
      `There is no secret "${name}". There are: ${this.names.join(", ") || "none"}`,
    );
  }

  toString(): string {
    return `Secrets(${this.names.join(", ")})`;
  }

  toJSON(): { secrets: readonly string[] } {
    return { secrets: this.names };
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }
}
