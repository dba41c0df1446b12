/** A session in a worker thread, as its owner sees it. */
import { HaftError } from "../../base/errors.ts";
import type {
  ProgramDone,
  ProgramInput,
  ProgramLimits,
  ProgramSession,
  ProgramSessionOptions,
  Settlement,
  Turn,
} from "../../core/program.ts";
import { deliveryOf } from "../machine/delivery.ts";
import { limitsOf } from "../machine/limits.ts";
import { askAndWait, writeOf } from "../machine/write-text.ts";
import { readTurn } from "../read-turn.ts";
import { settleMessage, type ToWorker } from "./messages.ts";
import type { WorkerThread } from "./worker-thread.ts";

export class WorkerSession implements ProgramSession {
  readonly limits: ProgramLimits;
  readonly #thread: WorkerThread;
  readonly #number: number;
  readonly #write: ProgramSessionOptions["write"];
  readonly #abortFlag = new SharedArrayBuffer(4);
  readonly #onClose: (thread: WorkerThread) => void;
  #state: "open" | "busy" | "ended" | "closed" = "open";

  constructor(
    thread: WorkerThread,
    number: number,
    options: ProgramSessionOptions,
    onClose: (thread: WorkerThread) => void,
  ) {
    this.#thread = thread;
    this.#number = number;
    this.#write = options.write;
    this.#onClose = onClose;
    this.limits = limitsOf(options.limits);
    thread.sessions.set(number, this);
    thread.post(["open", number, this.limits, this.#abortFlag]);
  }

  async start(program: ProgramInput): Promise<Turn> {
    return readTurn(await this.#turn(["start", this.#number, program]));
  }

  async settle(settlements: readonly Settlement[], options: { isReplay?: boolean } = {}): Promise<Turn> {
    const message = settleMessage(this.#number, options.isReplay === true, settlements.map(deliveryOf));
    return readTurn(await this.#turn(message));
  }

  async leave(): Promise<void> {
    await this.#turn(["leave", this.#number]);
  }

  abort(): void {
    Atomics.store(new Int32Array(this.#abortFlag), 0, 1);
    this.#thread.abort(this);
  }

  close(): void {
    if (this.#state === "closed") return;
    if (this.#state !== "ended") this.#thread.post(["close", this.#number]);
    this.#state = "closed";
    this.#thread.sessions.delete(this.#number);
    this.#onClose(this.#thread);
  }

  /** By its thread: the VM is gone. */
  end(): void {
    if (this.#state !== "closed") this.#state = "ended";
  }

  /** By its thread: the program assigns to a property, and stands still. */
  ask(object: string, property: string, value: string | undefined): Promise<string | undefined> {
    return askAndWait(this.#write, writeOf(object, property, value));
  }

  async #turn(message: ToWorker): Promise<string> {
    if (this.#state === "ended") return doneText({ type: "lost", message: "The VM's thread has ended" });
    if (this.#state === "busy") throw busy();
    if (this.#state === "closed") throw closed();
    this.#state = "busy";
    const text = await this.#thread.turn(this, message);
    if ((this.#state as string) === "busy") this.#state = "open";
    return text;
  }
}

function doneText(done: ProgramDone): string {
  return JSON.stringify({ calls: [], timers: [], prints: [], done });
}

function busy(): HaftError {
  return new HaftError("VM_BUSY", "This session of a VM has not given its last turn yet", {
    hint: "Wait for it before the next one is asked for.",
  });
}

function closed(): HaftError {
  return new HaftError("VM_CLOSED", "This session of a VM is closed", { hint: "Open another one." });
}
