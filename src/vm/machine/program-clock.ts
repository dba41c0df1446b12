/** The guest's clock: it stands where the last settlement has put it, and moves a little when it is read often. */

/** So many reads make a millisecond: a loop that waits for the clock comes to its end. */
const READS_PER_MS = 64;

export class ProgramClock {
  #at = 0;
  #reads = 0;

  start(at: number): void {
    this.#at = at;
    this.#reads = 0;
  }

  /** Never back, whatever the reads have made of it. */
  moveTo(at: number): void {
    this.start(Math.max(at, this.#standing()));
  }

  read(): number {
    const now = this.#standing();
    this.#reads++;
    return now;
  }

  #standing(): number {
    return this.#at + Math.floor(this.#reads / READS_PER_MS);
  }
}
