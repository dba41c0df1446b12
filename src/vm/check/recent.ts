/** What was made for a key, kept for as long as it is among those used last. */

export class Recent<T> {
  readonly #size: number;
  /** The one that was used longest ago first. */
  readonly #kept = new Map<string, T>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string, make: () => T): T {
    const value = this.#kept.get(key) ?? make();
    this.#kept.delete(key);
    this.#kept.set(key, value);
    if (this.#kept.size > this.#size) this.#kept.delete(this.#kept.keys().next().value!);
    return value;
  }
}
