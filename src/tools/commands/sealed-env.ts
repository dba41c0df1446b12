/** Environment variables that a person trusts a command with. Printing, JSON and inspection show their names only. */
import { inspect } from "node:util";

export class SealedEnv {
  readonly #values: Readonly<Record<string, string>>;

  constructor(values: Record<string, string>) {
    this.#values = { ...values };
  }

  get names(): string[] {
    return Object.keys(this.#values);
  }

  values(): Record<string, string> {
    return { ...this.#values };
  }

  /** With these names only. */
  only(names: readonly string[]): SealedEnv {
    return new SealedEnv(Object.fromEntries(Object.entries(this.#values).filter(([name]) => names.includes(name))));
  }

  toJSON(): { names: string[] } {
    return { names: this.names };
  }

  [inspect.custom](): string {
    return `SealedEnv(${this.names.join(", ")})`;
  }
}
