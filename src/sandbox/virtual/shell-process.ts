/**
 * One process with a shell in it: runs one command at a time, and is killed when it does not stop in time. A process
 * and not a thread, because a thread that runs out of memory takes the whole program with it, whatever its limits.
 */

import { type ChildProcess, fork } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { codeOf, messageOf } from "../../base/errors.ts";
import { LONGEST_TIMEOUT_MS } from "../../base/watchdog.ts";
import type { EgressFetch } from "../egress/fetch.ts";
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
  /** There is curl. */
  hasNetwork: boolean;
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
  signal: string | null;
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
/** Those that have not ended: none may outlive this program. */
const alive = new Set<ChildProcess>();
let isWatchingExit = false;

export class ShellProcess {
  readonly #process: ChildProcess;
  readonly #files: ShellFiles;
  readonly #answering = new Set<Promise<void>>();
  readonly #ready: Promise<void>;
  readonly #gone: Promise<void>;
  #setReady!: () => void;
  #finish: (answer: ShellAnswer) => void = () => {};
  /** Of the command that runs. */
  #network: EgressFetch | undefined;
  #crash: Omit<Crashed, "ran"> | undefined;
  #isEnded = false;

  constructor(files: ShellFiles, memoryMb: number) {
    this.#files = files;
    this.#ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.#process = start(memoryMb);
    this.#process.on("message", (message) => this.#receive(message as Message));
    this.#process.on("error", (error) => this.#lost({ type: "crashed", signal: null, message: messageOf(error) }));
    this.#gone = new Promise((resolve) => {
      this.#process.on("exit", (_, signal) => {
        this.#lost({ type: "crashed", signal: signal ?? "SIGKILL", message: reasonOf(signal) });
        resolve();
      });
    });
    this.#hold(false);
  }

  get isUsable(): boolean {
    return !this.#isEnded && this.#crash === undefined;
  }

  /** Runs a command to its end, its time or its abort. After anything but `done` the process is gone. */
  async run(command: ShellCommand, abortSignal?: AbortSignal, network?: EgressFetch): Promise<ShellAnswer> {
    this.#hold(true);
    await this.#ready;
    this.#network = network;
    const answer = await this.#runReady(command, abortSignal);
    this.#network = undefined;
    this.#hold(false);
    if (answer.type !== "done") await this.end();
    return answer;
  }

  /** Whatever it was doing stops here. File calls that were begun are finished first. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#setReady();
    this.#finish({ type: "aborted" });
    this.#hold(true); // whoever waits for the end shall live to see it
    this.#process.kill("SIGKILL");
    await Promise.all([this.#process.pid === undefined ? undefined : this.#gone, ...this.#answering]);
  }

  #runReady(command: ShellCommand, abortSignal: AbortSignal | undefined): Promise<ShellAnswer> {
    return new Promise((resolve) => {
      if (this.#crash) return resolve({ ...this.#crash, ran: false });
      if (this.#isEnded || abortSignal?.aborted) return resolve({ type: "aborted" });
      let stopped: "timeout" | "aborted" | undefined;
      let grace: NodeJS.Timeout | undefined;
      const stop = (reason: "timeout" | "aborted", graceMs: number) => {
        if (stopped) return;
        stopped = reason;
        this.#send({ type: "abort" });
        grace = setTimeout(() => this.#finish({ type: reason }), graceMs);
      };
      const timer = setTimeout(
        () => stop("timeout", TIMEOUT_GRACE_MS),
        Math.min(command.timeoutMs, LONGEST_TIMEOUT_MS),
      );
      const abort = () => stop("aborted", ABORT_GRACE_MS);
      abortSignal?.addEventListener("abort", abort);

      const finish = (answer: ShellAnswer) => {
        this.#network?.close(); // nothing goes on when the command has ended
        clearTimeout(timer);
        clearTimeout(grace);
        abortSignal?.removeEventListener("abort", abort);
        resolve(stopped && answer.type === "done" ? { type: stopped, done: answer } : answer);
      };
      this.#finish = finish;
      this.#send({ type: "run", command });
    });
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
      this.#finish({ type: "crashed", ran: true, signal: "SIGKILL", message: message.message });
    }
  }

  async #answer(id: number, name: string, args: unknown[]): Promise<void> {
    try {
      const isFetch = name === "fetch" && this.#network !== undefined;
      const value = isFetch ? await this.#network!.fetch(args[0]) : await this.#files.call(name, args);
      this.#send({ type: "answer", id, value });
    } catch (thrown) {
      this.#send({ type: "answer", id, code: codeOf(thrown) ?? "EINVAL", path: String(args[0]) });
    }
  }

  /** To a process that is gone by now, nothing is said. */
  #send(message: object): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  #lost(crash: Omit<Crashed, "ran">): void {
    this.#crash ??= crash;
    this.#setReady();
    this.#finish({ ...this.#crash, ran: true });
  }

  /** Only a command that runs keeps the program alive. */
  #hold(isHeld: boolean): void {
    if (isHeld) this.#process.ref();
    else this.#process.unref();
    const channel = this.#process.channel;
    if (isHeld) channel?.ref();
    else channel?.unref();
  }
}

/** With an empty environment, no open files, and out of reach of the terminal's signals. */
function start(memoryMb: number): ChildProcess {
  const file = fileURLToPath(new URL("./worker.mjs", import.meta.url));
  const started = fork(file, [String(process.pid)], {
    ...{ execArgv: [`--max-old-space-size=${Math.ceil(memoryMb)}`], env: {}, cwd: tmpdir(), detached: true },
    ...{ serialization: "advanced", stdio: ["ignore", "ignore", "ignore", "ipc"] },
  });
  if (!isWatchingExit) {
    process.on("exit", () => {
      for (const child of alive) child.kill("SIGKILL");
    });
    isWatchingExit = true;
  }
  alive.add(started);
  started.on("exit", () => alive.delete(started));
  return started;
}

function reasonOf(signal: string | null): string {
  return signal === "SIGABRT" ? "The command used too much memory." : "The shell ended by itself.";
}
