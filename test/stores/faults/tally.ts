/** What was counted of one store. */

/** What a test gives: its counts in a sentence, and what went wrong. */
export interface Told {
  summary: string;
  faults: string[];
}

export class Tally {
  kills = 0;
  /** Kills of processes that went on with what others had begun. */
  killedAgain = 0;
  runs = 0;
  entries = 0;
  inDoubt = 0;
  readonly windows = new Counts();
  readonly kinds = new Counts();
  readonly faults: string[] = [];

  fault(kind: string, what: string): void {
    this.kinds.count(kind);
    this.faults.push(what);
  }

  get summary(): string {
    const { kills, killedAgain, runs, entries, inDoubt, kinds, windows, faults } = this;
    const kept = ["lost", "repeated", "twice"].map((kind) => `${kinds.of(kind)} ${kind}`).join(", ");
    return [
      `${kills} kills, ${killedAgain} of them of a recovery; ${runs} runs`,
      `${entries} entries acknowledged: ${kept}, ${faults.length} faults in all`,
      `${inDoubt} calls in doubt were decided; windows hit: ${windows}`,
    ].join("\n  ");
  }
}

class Counts {
  readonly #times = new Map<string, number>();

  count(name: string): void {
    this.#times.set(name, this.of(name) + 1);
  }

  of(name: string): number {
    return this.#times.get(name) ?? 0;
  }

  toString(): string {
    return [...this.#times].map(([name, times]) => `${name} ${times}`).join(", ") || "none";
  }
}
