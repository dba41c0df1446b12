/** What is wrong with a program, gathered while it is compiled. */
import type { ProgramProblem } from "../../core/program.ts";
import { excerptOf } from "./excerpt.ts";
import type { SourceText } from "./source-text.ts";
import type { Node } from "./syntax.ts";

/** Whoever mends ten mistakes finds the eleventh the next time. */
const MAX_PROBLEMS = 10;

export class Problems {
  readonly #source: SourceText;
  readonly #found = new Map<number, string>();

  constructor(source: SourceText) {
    this.#source = source;
  }

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  /** One for each place: the first that was noticed is the one that matters. */
  add(at: Node | number, message: string): void {
    const offset = typeof at === "number" ? at : at.start!;
    if (!this.#found.has(offset)) this.#found.set(offset, message);
  }

  list(): ProgramProblem[] {
    const inOrder = [...this.#found].sort(([one], [other]) => one - other).slice(0, MAX_PROBLEMS);
    return inOrder.map(([offset, message]) => {
      const { line, column } = this.#source.positionOf(offset);
      return { line, column, message, excerpt: excerptOf(this.#source.text, line, column) };
    });
  }
}
