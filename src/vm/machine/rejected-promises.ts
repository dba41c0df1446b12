/** Promises of the guest that were rejected and that nobody has handled so far. */
import type { Box } from "../engine/exports.ts";
import type { Instance } from "../engine/instance.ts";

/** A program that rejects without end is not kept twice. */
const MAX_KEPT = 1_000;

export class RejectedPromises {
  readonly #instance: Instance;
  /** By the address of the promise itself. */
  readonly #boxes = new Map<number, Box>();

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  /** Takes the box. */
  note(promise: Box, isHandled: boolean): void {
    const address = this.#instance.exports.qjs_get_value_ptr(promise);
    const kept = this.#boxes.get(address);
    if (isHandled && kept !== undefined) {
      this.#instance.free(kept);
      this.#boxes.delete(address);
    }
    if (isHandled || kept !== undefined || this.#boxes.size >= MAX_KEPT) this.#instance.free(promise);
    else this.#boxes.set(address, promise);
  }

  get all(): Iterable<Box> {
    return this.#boxes.values();
  }

  clear(): void {
    for (const box of this.#boxes.values()) this.#instance.free(box);
    this.#boxes.clear();
  }
}
