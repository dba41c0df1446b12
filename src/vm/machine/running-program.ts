/** What the host knows of the program that is running: its text, and what it waits for. */
import type { ProgramInput } from "../../core/program.ts";
import { type CompiledProgram, excerptOf } from "../compile/index.ts";

interface OpenCall {
  readonly isDetached: boolean;
  /** Of its input. */
  readonly bytes: number;
}

export class RunningProgram {
  /** How stacks of the guest name it. Those of earlier programs of the session have another number. */
  readonly fileName: string;
  readonly functions: readonly string[];
  /** JSON texts of their names. */
  readonly functionNames: readonly string[];
  readonly objects: NonNullable<ProgramInput["objects"]>;
  /** Calls that have not settled. */
  readonly calls = new Map<number, OpenCall>();
  /** Of their inputs. */
  openBytes = 0;
  writes = 0;
  #detached = 0;
  readonly timers = new Set<number>();
  /** Whoever fires timers does not learn that these will not be waited for. */
  readonly clearedTimers = new Set<number>();
  printedBytes = 0;
  readonly #compiled: CompiledProgram;
  readonly #marker: string;
  #lines: readonly string[] | undefined;

  constructor(number: number, input: ProgramInput, compiled: CompiledProgram) {
    this.fileName = `program-${number}`;
    this.functions = input.functions;
    this.functionNames = input.functions.map((name) => JSON.stringify(name));
    this.objects = input.objects ?? [];
    this.#compiled = compiled;
    this.#marker = `${this.fileName}:`;
  }

  /** On the second line, because the engine counts the columns of the first one differently. */
  get code(): string {
    return `\n${this.#compiled.code}`;
  }

  addCall(id: number, call: OpenCall): void {
    this.calls.set(id, call);
    this.openBytes += call.bytes;
    if (call.isDetached) this.#detached++;
  }

  /** False where it has made no such call, or that has settled before. */
  settleCall(id: number): boolean {
    const call = this.calls.get(id);
    if (!call) return false;
    if (call.isDetached) this.#detached--;
    this.openBytes -= call.bytes;
    return this.calls.delete(id);
  }

  /** False where it has set no such timer, or that has fired before. */
  fireTimer(id: number): boolean {
    return this.timers.delete(id) || this.clearedTimers.delete(id);
  }

  /** At its end, somebody waits for its detached calls. */
  get hasDetached(): boolean {
    return this.#detached > 0;
  }

  get waitsForSomething(): boolean {
    return this.calls.size > 0 || this.timers.size > 0;
  }

  /** Where a stack of the guest was in the program, as the engine counts. */
  rawPlace(stack: string): { line: number; column: number } | undefined {
    const at = stack.indexOf(this.#marker);
    if (at < 0) return undefined;
    const from = at + this.#marker.length;
    const colon = stack.indexOf(":", from);
    return { line: Number.parseInt(stack.slice(from, colon), 10), column: Number.parseInt(stack.slice(colon + 1), 10) };
  }

  /** The engine counts bytes, from the line before. */
  place(line: number, column: number): { line: number; column: number } {
    this.#lines ??= this.#compiled.code.split("\n");
    return this.#compiled.place(line - 1, columnOfByte(this.#lines[line - 2] ?? "", column));
  }

  /** A place of the source. */
  isDetached({ line, column }: { line: number; column: number }, name: string): boolean {
    return this.#compiled.isDetached(line, column, name);
  }

  excerpt(line: number, column: number): string | undefined {
    return excerptOf(this.#compiled.source, line, column);
  }
}

function columnOfByte(line: string, byte: number): number {
  const start = line.slice(0, byte);
  if (Buffer.byteLength(start) === start.length) return byte;
  return Buffer.from(line).toString("utf8", 0, byte - 1).length + 1;
}
