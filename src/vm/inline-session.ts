/** A session in the caller's own thread: nothing else runs while a program computes. */
import { HaftError } from "../base/errors.ts";
import type {
  ProgramInput,
  ProgramLimits,
  ProgramSession,
  ProgramSessionOptions,
  Settlement,
  Turn,
} from "../core/program.ts";
import { deliveryOf } from "./machine/delivery.ts";
import { limitsOf } from "./machine/limits.ts";
import { Machine } from "./machine/machine.ts";
import { type MachineParts, machineParts } from "./machine/parts.ts";
import { askNow, writeOf } from "./machine/write-text.ts";
import { readTurn } from "./read-turn.ts";

export async function openInline(options: ProgramSessionOptions): Promise<ProgramSession> {
  return new InlineSession(await machineParts(), options);
}

export async function closeInline(): Promise<void> {
  const { image } = await machineParts();
  image.forgetIdle();
}

/** The engine's stack takes several times as much of the thread's own, and a main thread has one megabyte. */
const MAX_STACK_KB = 256;

function inlineLimits(given: ProgramSessionOptions["limits"]): ProgramLimits {
  const limits = limitsOf(given);
  return { ...limits, stackKb: Math.min(limits.stackKb, MAX_STACK_KB) };
}

class InlineSession implements ProgramSession {
  readonly #machine: Machine;
  #isAborted = false;
  #isClosed = false;

  constructor(parts: MachineParts, options: ProgramSessionOptions) {
    this.#machine = new Machine({
      ...parts,
      limits: inlineLimits(options.limits),
      isAborted: () => this.#isAborted,
      write: (object, property, value) => askNow(options.write, writeOf(object, property, value)),
    });
  }

  async start(program: ProgramInput): Promise<Turn> {
    this.#assertOpen();
    return readTurn(this.#machine.start(program));
  }

  async settle(settlements: readonly Settlement[], options: { isReplay?: boolean } = {}): Promise<Turn> {
    this.#assertOpen();
    return readTurn(this.#machine.settle(settlements.map(deliveryOf), options.isReplay === true));
  }

  async leave(): Promise<void> {
    this.#assertOpen();
    this.#machine.leave();
  }

  abort(): void {
    this.#isAborted = true;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#machine.close();
  }

  #assertOpen(): void {
    if (this.#isClosed)
      throw new HaftError("VM_CLOSED", "This session of a VM is closed", { hint: "Open another one." });
  }
}
