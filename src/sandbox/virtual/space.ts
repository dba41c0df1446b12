/** How much a sandbox may hold in memory, so that no command can fill the host's. */

import { HaftError } from "../../base/errors.ts";

/** What one entry costs beside its bytes, about. */
export const ENTRY_BYTES = 256;

export class Space {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws ENOSPC. */
  check(bytes: number): void {
    if (bytes <= 0 || this.#used + bytes <= this.#limit) return;
    throw new HaftError(
      "ENOSPC",
      `The sandbox holds at most ${Math.floor(this.#limit / 1024 ** 2)} MiB of written files.`,
      {
        hint: "Remove files that are no longer needed, or have the owner of the sandbox raise memoryMb.",
      },
    );
  }

  take(bytes: number): void {
    this.check(bytes);
    this.#used += bytes;
  }

  /** For bytes that must not be lost, over the limit or not. */
  force(bytes: number): void {
    this.#used += bytes;
  }

  free(bytes: number): void {
    this.#used -= bytes;
  }
}
