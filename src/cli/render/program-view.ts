/** Follows the programs of mode "code" through a run's events: which one runs, and which of its calls have a card. */
import type { Entry, EntryOf, LoggedMessage } from "../../core/log.ts";
import type { ModelResponse } from "../../core/model.ts";
import { type Answer, readAnswer } from "../../modes/code/read-answer.ts";
import { printCounted, printGoesOn, printNotRun, printProgram, printProgramEnd, printStopped } from "./program-card.ts";
import type { Screen } from "./screen.ts";

/** Cards of one program. Its further calls are counted. */
const MAX_CARDS = 20;

interface ShownProgram {
  code: string;
  cards: number;
  /** Calls without a card, by tool. */
  counted: Map<string, number>;
  failed: number;
  end: EntryOf<"program-end"> | undefined;
}

export class ProgramView {
  readonly #screen: Screen;
  /** What the model answered last. */
  #answer: Answer | undefined;
  #shown: ShownProgram | undefined;
  /** It was begun in an earlier process: how many calls had ended there, and the lines of the others. */
  #recalled: { over: number; lines: readonly number[] } | undefined;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get isRunning(): boolean {
    return this.#shown !== undefined && this.#shown.end === undefined;
  }

  /** Cards are not shown any more. */
  get isCounting(): boolean {
    return this.#shown !== undefined && this.#shown.cards >= MAX_CARDS;
  }

  /** Where the log ends within a program, that one goes on. */
  recall(past: readonly Entry[]): void {
    const open = new Map<string, number>();
    let over = 0;
    for (const entry of past) {
      if (entry.type === "model-response") this.#answer = readAnswer(entry);
      else if (entry.type === "program-start") {
        this.#shown = newly(entry.code);
        open.clear();
        over = 0;
      } else if (entry.type === "program-end") this.ended(entry);
      else if (entry.type === "iteration-end" || entry.type === "run-end") this.#shown = undefined;
      else if (entry.type === "tool-call" && entry.line !== undefined) open.set(entry.key, entry.line);
      else if (entry.type === "tool-end" && open.delete(entry.key)) over++;
    }
    if (this.#shown) this.#recalled = { over, lines: [...open.values()] };
  }

  /** Before anything else is shown of a program of an earlier process. */
  goOn(): void {
    if (!this.#recalled || !this.#shown) return;
    const { over, lines } = this.#recalled;
    this.#recalled = undefined;
    printGoesOn(this.#screen, this.#shown.code, over, lines);
  }

  /** A program is shown when it begins, also where it is the whole text of the answer. */
  answered(response: Pick<ModelResponse, "content">): Answer {
    this.#answer = readAnswer(response);
    return this.#answer;
  }

  started({ code, check, isReplaced }: EntryOf<"program-start">): void {
    this.#shown = newly(code);
    const { yellow } = this.#screen.colors;
    const checked = {
      passed: "types checked",
      off: "types not checked",
      unchecked: yellow("unchecked: its types were not looked at"),
    }[check];
    printProgram(this.#screen, code, [checked, ...(isReplaced ? [yellow("put in by a hook")] : [])]);
  }

  /** False for a call that has no card. One that somebody has seen already has one. */
  called({ name, error }: EntryOf<"tool-end">, isKnown: boolean): boolean {
    const program = this.#shown;
    if (!program || isKnown || !this.isCounting) {
      if (program) program.cards++;
      return true;
    }
    program.counted.set(name, (program.counted.get(name) ?? 0) + 1);
    if (error) program.failed++;
    return false;
  }

  ended(end: EntryOf<"program-end">): void {
    if (this.#shown) this.#shown.end = end;
  }

  /** Gives what the model is told of its other calls. */
  iterationEnded({ status, messages }: EntryOf<"iteration-end">): string[] {
    const program = this.#shown;
    const answer = this.#answer;
    this.close();
    this.#answer = undefined;
    if (!answer || answer.calls.length === 0) return [];
    const told = new Map(answer.calls.map(({ id }) => [id, toldOf(id, messages, answer.isFenced)]));
    const report = answer.program && told.get(answer.program.id);
    if (program?.end) printProgramEnd(this.#screen, program.end, status, report);
    else if (program) printStopped(this.#screen);
    else if (answer.code !== undefined && report) printNotRun(this.#screen, answer.code, report);
    const isShown = program !== undefined || answer.code !== undefined;
    const others = answer.calls.filter((call) => !isShown || call !== answer.program);
    return others.flatMap(({ id }) => told.get(id) ?? []);
  }

  close(): void {
    if (this.#shown && this.#shown.counted.size > 0)
      printCounted(this.#screen, this.#shown.counted, this.#shown.failed);
    this.#shown = undefined;
    this.#recalled = undefined;
  }
}

function newly(code: string): ShownProgram {
  return { code, cards: 0, counted: new Map(), failed: 0, end: undefined };
}

/** What the model reads of this call of its own. */
function toldOf(id: string, messages: readonly LoggedMessage[], isFenced: boolean): string | undefined {
  for (const message of messages) {
    if (message.role === "user" && isFenced) {
      const { content } = message;
      return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    }
    if (message.role !== "tool" || !("content" in message)) continue;
    const output = message.content.find(({ toolCallId }) => toolCallId === id)?.output;
    if (output?.type === "text" || output?.type === "error-text") return output.value;
    if (output?.type === "content")
      return output.value.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  }
  return undefined;
}
