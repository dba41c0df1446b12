/** What was counted of one store. */

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

  toString(): string {
    const { kills, killedAgain, runs, entries, inDoubt, kinds } = this;
    const zero = ["lost", "repeated", "twice"].map((kind) => `${kinds.of(kind)} ${kind}`).join(", ");
    return [
      `${kills} kills (${killedAgain} of them of a recovery), ${runs} runs, ${entries} entries acknowledged: ${zero}`,
      `${this.faults.length} faults; ${inDoubt} calls in doubt were decided`,
      `  windows: ${this.windows}`,
    ]
      .join("; ")
      .replace("; ", "; ")
      .replace(";   ", "\n  ");
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
