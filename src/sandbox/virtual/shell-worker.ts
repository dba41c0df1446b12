/** One worker with a shell in it: runs one command at a time, and is ended for good when it does not stop in time. */

import { Worker } from "node:worker_threads";
import { codeOf, messageOf } from "../../base/errors.ts";
import type { ShellFiles } from "./shell-files.ts";

export interface ShellCommand {
  script: string;
  /** Given to the first command of the script as they are. */
  args?: string[];
  cwd: string;
  env: Record<string, string>;
  stdin: Uint8Array;
  timeoutMs: number;
  /** The shell stops a command that writes more than this. */
  outputBytes: number;
}

interface Done {
  type: "done";
  exitCode: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
}

/** `done` is what the command had to say, when it stopped by itself. */
interface Stopped<Reason> {
  type: Reason;
  done?: Done;
}

export type ShellAnswer = Done | Stopped<"timeout"> | Stopped<"aborted"> | Crashed;

/** `ran` is false when the command had not begun. */
interface Crashed {
  type: "crashed";
  ran: boolean;
  message: string;
}

type Message =
  | { type: "ready" }
  | { type: "call"; id: number; name: string; args: unknown[] }
  | Done
  | { type: "failed"; message: string };

/** How long a command may take to notice that it should stop. */
const TIMEOUT_GRACE_MS = 1000;
const ABORT_GRACE_MS = 300;
const MAX_TIMER_MS = 2 ** 31 - 1;

export class ShellWorker {
  readonly #worker: Worker;
  readonly #files: ShellFiles;
  readonly #answering = new Set<Promise<void>>();
  readonly #ready: Promise<void>;
  #setReady!: () => void;
  #finish: (answer: ShellAnswer) => void = () => {};
  #crashed: string | undefined;
  #isEnded = false;

  constructor(files: ShellFiles, memoryMb: number) {
    this.#files = files;
    this.#ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.#worker = new Worker(new URL("./worker.mjs", import.meta.url), {
      ...{ execArgv: [], env: {}, stdout: true, stderr: true },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    this.#worker.unref();
    this.#worker.on("message", (message: Message) => this.#receive(message));
    this.#worker.on("error", (error) => this.#crash(error));
    this.#worker.on("exit", () => this.#crash(new Error("The shell ended by itself.")));
  }

  get isUsable(): boolean {
    return !this.#isEnded && this.#crashed === undefined;
  }

  /** Runs a command to its end, its time or its abort. After anything but `done` the worker is gone. */
  async run(command: ShellCommand, abortSignal?: AbortSignal): Promise<ShellAnswer> {
    this.#worker.ref();
    await this.#ready;
    const answer = await this.#runReady(command, abortSignal);
    this.#worker.unref();
    if (answer.type !== "done") await this.end();
    return answer;
  }

  #runReady(command: ShellCommand, abortSignal: AbortSignal | undefined): Promise<ShellAnswer> {
    return new Promise((resolve) => {
      if (this.#crashed !== undefined) return resolve({ type: "crashed", ran: false, message: this.#crashed });
      if (this.#isEnded || abortSignal?.aborted) return resolve({ type: "aborted" });
      let stopped: "timeout" | "aborted" | undefined;
      let grace: NodeJS.Timeout | undefined;
      const stop = (reason: "timeout" | "aborted", graceMs: number) => {
        if (stopped) return;
        stopped = reason;
        this.#worker.postMessage({ type: "abort" });
        grace = setTimeout(() => this.#finish({ type: reason }), graceMs);
      };
      const timer = setTimeout(() => stop("timeout", TIMEOUT_GRACE_MS), Math.min(command.timeoutMs, MAX_TIMER_MS));
      const abort = () => stop("aborted", ABORT_GRACE_MS);
      abortSignal?.addEventListener("abort", abort);

      this.#finish = (answer) => {
        clearTimeout(timer);
        clearTimeout(grace);
        abortSignal?.removeEventListener("abort", abort);
        resolve(stopped && answer.type === "done" ? { type: stopped, done: answer } : answer);
      };
      this.#worker.postMessage({ type: "run", command });
    });
  }

  /** Whatever it was doing stops here. File calls that were begun are finished first. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#setReady();
    this.#finish({ type: "aborted" });
    await Promise.all([this.#worker.terminate(), ...this.#answering]);
  }

  #receive(message: Message): void {
    if (!this.isUsable) return;
    if (message.type === "ready") {
      this.#setReady();
    } else if (message.type === "call") {
      const answering = this.#answer(message.id, message.name, message.args);
      this.#answering.add(answering);
      answering.then(() => this.#answering.delete(answering));
    } else if (message.type === "done") {
      this.#finish(message);
    } else {
      this.#finish({ type: "crashed", ran: true, message: message.message });
    }
  }

  async #answer(id: number, name: string, args: unknown[]): Promise<void> {
    try {
      this.#worker.postMessage({ type: "answer", id, value: await this.#files.call(name, args) });
    } catch (thrown) {
      this.#worker.postMessage({ type: "answer", id, code: codeOf(thrown) ?? "EINVAL", path: String(args[0]) });
    }
  }

  #crash(error: unknown): void {
    const isMemory = codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
    this.#crashed ??= isMemory ? "The command used too much memory." : messageOf(error);
    this.#setReady();
    this.#finish({ type: "crashed", ran: true, message: this.#crashed });
  }
}
