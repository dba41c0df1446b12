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

  toJSON(): { names: string[] } {
    return { names: this.names };
  }

  [inspect.custom](): string {
    return `SealedEnv(${this.names.join(", ")})`;
  }
}
