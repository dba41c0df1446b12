/** The secrets that one tool may use, in an object that shows names only. */
import { inspect } from "node:util";
import { HaftError } from "../base/errors.ts";
import type { ByteStream } from "../core/redact/byte-stream.ts";
import { redaction, type Secrets } from "../core/secrets.ts";

export interface Around {
  accessed(names: readonly string[]): void;
  stream(): ByteStream;
  /** All secrets of the run: those that this tool may not use, too. */
  byName: ReadonlyMap<string, unknown>;
}

export class OpaqueSecrets implements Secrets {
  /** An own property, so that copies of this object have it, and nothing else. */
  readonly names: readonly string[];
  readonly #values: ReadonlyMap<string, string>;
  readonly #around: Around;

  constructor(values: ReadonlyMap<string, string>, around: Around) {
    this.#values = values;
    this.#around = around;
    this.names = Object.freeze([...values.keys()]);
  }

  env(): Record<string, string> {
    if (this.names.length > 0) this.#around.accessed(this.names);
    return Object.fromEntries(this.#values);
  }

  get(name: string): string {
    const value = this.#values.get(name);
    if (value === undefined) throw this.#unknown(name);
    this.#around.accessed([name]);
    return value;
  }

  get [redaction](): { stream(): ByteStream } {
    return { stream: this.#around.stream };
  }

  toString(): string {
    return `Secrets(${this.names.join(", ")})`;
  }

  toJSON(): { secrets: readonly string[] } {
    return { secrets: this.names };
  }

  [inspect.custom](): string {
    return this.toString();
  }

  #unknown(name: string): HaftError {
    const there = `There are: ${this.names.join(", ") || "none"}`;
    if (!this.#around.byName.has(name))
      return new HaftError("SECRET_UNKNOWN", `There is no secret "${name}". ${there}`);
    return new HaftError("SECRET_UNKNOWN", `The secret "${name}" is not for this tool. ${there}`, {
      hint: "Name it in the tool's `secrets`, and the tool in the secret's `tools`, where these are given.",
    });
  }
}
