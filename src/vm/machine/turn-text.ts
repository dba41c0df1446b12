/** A turn, as JSON text: what the guest wrote is never read between it and whoever asked for the turn. */
import type { Print, ProgramDone } from "../../core/program.ts";

export class TurnText {
  #calls = "";
  #timers = "";
  #prints = "";

  clear(): void {
    this.#calls = "";
    this.#timers = "";
    this.#prints = "";
  }

  /** The name and the input are JSON texts. */
  call(
    id: number,
    name: string,
    input: string | undefined,
    place: { line: number; column: number },
    isDetached: boolean,
  ): void {
    const given = input === undefined ? "" : `,"input":${input}`;
    const where = `"line":${place.line},"column":${place.column},"isDetached":${isDetached}`;
    this.#calls += `${this.#calls && ","}{"id":${id},"name":${name}${given},${where}}`;
  }

  timer(id: number, delayMs: number): void {
    this.#timers += `${this.#timers && ","}{"id":${id},"delayMs":${delayMs}}`;
  }

  /** The values are the JSON text of an array. */
  print(level: Print["level"], values: string): void {
    this.#prints += `${this.#prints && ","}{"level":"${level}","values":${values}}`;
  }

  /** Takes everything. */
  waiting(): string {
    const text = `{"calls":[${this.#calls}],"timers":[${this.#timers}],"prints":[${this.#prints}]}`;
    this.clear();
    return text;
  }

  /** Takes everything; `done`, and what belongs to it, are JSON texts. */
  done(done: string, unhandled = "[]", bindings = "[]"): string {
    return `${this.waiting().slice(0, -1)},"done":${done},"unhandled":${unhandled},"bindings":${bindings}}`;
  }
}

export function lost(message: string): string {
  return JSON.stringify({ type: "lost", message } satisfies ProgramDone);
}
