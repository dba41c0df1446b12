/** The workers of one sandbox: each command has one to itself, and one stays warm for the next. */

import type { ShellFiles } from "./shell-files.ts";
import { type ShellAnswer, type ShellCommand, ShellWorker } from "./shell-worker.ts";

/** Commands that run at once. More wait for their turn. */
const MAX_WORKERS = 4;

export class ShellPool {
  readonly #files: ShellFiles;
  readonly #memoryMb: number;
  readonly #busy = new Set<ShellWorker>();
  readonly #waiting: (() => void)[] = [];
  #turns = MAX_WORKERS;
  #idle: ShellWorker | undefined;
  #isClosed = false;

  constructor(files: ShellFiles, memoryMb: number) {
    this.#files = files;
    this.#memoryMb = memoryMb;
  }

  async run(command: ShellCommand, abortSignal?: AbortSignal): Promise<ShellAnswer> {
    if (!(await this.#takeTurn(abortSignal))) return { type: "aborted" };
    try {
      if (this.#isClosed) return { type: "aborted" };
      return await this.#runNow(command, abortSignal);
    } finally {
      this.#giveTurn();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const workers = [...this.#busy, ...(this.#idle ? [this.#idle] : [])];
    this.#idle = undefined;
    await Promise.all(workers.map((worker) => worker.end()));
  }

  async #runNow(command: ShellCommand, abortSignal: AbortSignal | undefined): Promise<ShellAnswer> {
    const worker = this.#idle?.isUsable ? this.#idle : new ShellWorker(this.#files, this.#memoryMb);
    this.#idle = undefined;
    this.#busy.add(worker);
    const answer = await worker.run(command, abortSignal);
    this.#busy.delete(worker);
    if (!worker.isUsable) return answer;
    if (this.#idle || this.#isClosed) await worker.end();
    else this.#idle = worker;
    return answer;
  }

  /** False when the command was aborted before its turn came. */
  async #takeTurn(abortSignal: AbortSignal | undefined): Promise<boolean> {
    if (abortSignal?.aborted) return false;
    if (this.#turns > 0) {
      this.#turns--;
      return true;
    }
    return new Promise((resolve) => {
      const myTurn = () => {
        abortSignal?.removeEventListener("abort", giveUp);
        resolve(true);
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(myTurn), 1);
        resolve(false);
      };
      this.#waiting.push(myTurn);
      abortSignal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  #giveTurn(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#turns++;
  }
}
