/** The processes of one sandbox: each command has one to itself, and one stays warm for the next, for a while. */

import type { EgressFetch } from "../egress/fetch.ts";
import type { ShellFiles } from "./shell-files.ts";
import { type ShellAnswer, type ShellCommand, ShellProcess } from "./shell-process.ts";

/** Commands that run at once. More wait for their turn. */
const MAX_PROCESSES = 4;
/** How long a process waits for the next command. */
const IDLE_MS = 60_000;

export class ShellPool {
  readonly #files: ShellFiles;
  readonly #memoryMb: number;
  readonly #busy = new Set<ShellProcess>();
  readonly #waiting: (() => void)[] = [];
  #turns = MAX_PROCESSES;
  #idle: ShellProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(files: ShellFiles, memoryMb: number) {
    this.#files = files;
    this.#memoryMb = memoryMb;
  }

  async run(command: ShellCommand, abortSignal?: AbortSignal, network?: EgressFetch): Promise<ShellAnswer> {
    if (!(await this.#takeTurn(abortSignal))) return { type: "aborted" };
    try {
      if (this.#isClosed) return { type: "aborted" };
      return await this.#runNow(command, abortSignal, network);
    } finally {
      this.#giveTurn();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#takeIdle(), ...this.#busy].map((shell) => shell?.end()));
  }

  async #runNow(command: ShellCommand, abortSignal?: AbortSignal, network?: EgressFetch): Promise<ShellAnswer> {
    const idle = this.#takeIdle();
    const shell = idle?.isUsable ? idle : new ShellProcess(this.#files, this.#memoryMb);
    this.#busy.add(shell);
    const answer = await shell.run(command, abortSignal, network);
    this.#busy.delete(shell);
    if (!shell.isUsable) return answer;
    if (this.#idle || this.#isClosed) await shell.end();
    else this.#keepIdle(shell);
    return answer;
  }

  #takeIdle(): ShellProcess | undefined {
    clearTimeout(this.#idleTimer);
    const idle = this.#idle;
    this.#idle = undefined;
    return idle;
  }

  #keepIdle(shell: ShellProcess): void {
    this.#idle = shell;
    this.#idleTimer = setTimeout(() => void this.#takeIdle()?.end(), IDLE_MS);
    this.#idleTimer.unref();
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
