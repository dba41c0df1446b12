/** Runs one command as a real process tree: starts it, gathers its output, stops it when it must, and tells how it ended. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "../../base/errors.ts";
import { LONGEST_TIMEOUT_MS } from "../../base/watchdog.ts";
import type { ExecResult, ExecStatus, OutputChunk } from "../../core/sandbox.ts";
import { CollectedOutput } from "./collected-output.ts";
import type { Hold, Outcome } from "./containment.ts";

export interface ProcessSpec {
  /** What to start. */
  hold: Hold;
  /** Where, on this machine: a real path. */
  cwd: string;
  /** Bytes, then the end; "open" for a pipe that stays open. Default: closed. */
  stdin?: Uint8Array | "open";
  timeoutMs: number;
  abortSignal?: AbortSignal;
  maxOutputBytes: number;
  hardOutputBytes: number;
  onOutput?(chunk: OutputChunk): void;
}

export interface RunningProcess {
  /** Resolves when the tree is dead and its output is read. Rejects only with what `onOutput` threw. */
  readonly result: Promise<ExecResult>;
  /** Null when there is no open stdin. */
  readonly stdin: Writable | null;
  stop(status: StopStatus): void;
}

export type StopStatus = Extract<ExecStatus, "timeout" | "aborted" | "output_limit">;

/** From SIGTERM to SIGKILL. Someone waits for an abort; a command that ran out of time may clean up. */
const GRACE_MS: Record<StopStatus, number> = { timeout: 2000, aborted: 200, output_limit: 200 };
/** A process that survives SIGKILL for so long is stuck in the kernel; nobody should wait for it. */
const GIVE_UP_MS = 3000;
/** A background child can hold a pipe open for ever: output that pauses this long after the end is over. */
const QUIET_MS = 250;
const SUPERVISOR_TEXT_LIMIT = 4096;

export function runProcess(spec: ProcessSpec): RunningProcess {
  const run = new ProcessRun(spec);
  return { result: run.result, stdin: run.stdin, stop: (status) => run.stop(status) };
}

class ProcessRun {
  readonly result: Promise<ExecResult>;
  stdin: Writable | null = null;
  readonly #spec: ProcessSpec;
  readonly #output: CollectedOutput;
  readonly #hold: Hold;
  readonly #startedAt = performance.now();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #pipes: Readable[] = [];
  #stopped: StopStatus | undefined;
  #exited = false;
  #released: Promise<void> | undefined;
  #supervisorText = "";
  #lastOutputAt = 0;
  #listenerError: { thrown: unknown } | undefined;
  #end!: (outcome: Outcome) => void;

  constructor(spec: ProcessSpec) {
    this.#spec = spec;
    this.#output = new CollectedOutput(spec.maxOutputBytes);
    this.#hold = spec.hold;
    const outcome = new Promise<Outcome>((resolve) => {
      this.#end = resolve;
    });
    this.result = outcome.then(async (value) => {
      await this.#release();
      return this.#finish(value);
    });
    // Whoever never asks for the result must not be ended by it.
    this.result.catch(() => {});
    this.#start();
  }

  /** The first reason counts. Too much output may also be found in what a command left in its pipes. */
  stop(status: StopStatus): void {
    if (this.#stopped || (this.#exited && status !== "output_limit")) return;
    this.#stopped = status;
    this.#signal("SIGTERM");
    this.#after(GRACE_MS[status], () => {
      this.#signal("SIGKILL");
      this.#after(GIVE_UP_MS, () => this.#end({ status: "signaled", signal: "SIGKILL" }));
    });
  }

  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    // After its exit, the pid may be someone else's.
    if (!this.#exited) this.#hold.signal(signal);
  }

  #start(): void {
    if (this.#spec.abortSignal?.aborted) {
      this.#stopped = "aborted";
      this.#end({ status: "signaled", signal: "SIGKILL" });
      return;
    }
    let child: ChildProcess;
    try {
      child = this.#spawn();
    } catch (thrown) {
      this.#end({ status: "spawn_error", error: startError(thrown, this.#spec) });
      return;
    }
    child.on("error", (thrown) => this.#end({ status: "spawn_error", error: startError(thrown, this.#spec) }));
    if (child.pid === undefined) return;
    this.#hold.started(child);
    this.#connect(child);
    this.#watch();
    child.on("exit", (exitCode, signal) => {
      this.#exited = true;
      void this.#drain(child, exitCode, signal);
    });
  }

  /** A session of its own, so that a signal to the group reaches all of it and Ctrl-C at a terminal none of it. */
  #spawn(): ChildProcess {
    const stdin = this.#spec.stdin === undefined ? "ignore" : "pipe";
    const more = Array.from({ length: this.#hold.morePipes ?? 0 }, () => "pipe" as const);
    return spawn(this.#hold.argv[0]!, this.#hold.argv.slice(1), {
      cwd: this.#spec.cwd,
      env: this.#hold.env,
      detached: true,
      stdio: this.#hold.supervised ? [stdin, "pipe", "pipe", "pipe", ...more] : [stdin, "pipe", "pipe"],
    });
  }

  #connect(child: ChildProcess): void {
    this.#read(child.stdout as Readable, (data) => this.#receive({ stream: "stdout", data }));
    const stderr = child.stdio[this.#hold.supervised ? 3 : 2] as Readable;
    this.#read(stderr, (data) => this.#receive({ stream: "stderr", data }));
    if (this.#hold.supervised) {
      this.#read(child.stderr as Readable, (data) => {
        if (this.#supervisorText.length < SUPERVISOR_TEXT_LIMIT) this.#supervisorText += Buffer.from(data).toString();
      });
    }
    if (!child.stdin) return;
    // A command may end without having read its input: that is no error.
    child.stdin.on("error", () => {});
    if (this.#spec.stdin === "open") this.stdin = child.stdin;
    else child.stdin.end(this.#spec.stdin);
  }

  #read(pipe: Readable, receive: (data: Uint8Array) => void): void {
    this.#pipes.push(pipe);
    pipe.on("error", () => {});
    pipe.on("data", (data: Buffer) => {
      this.#lastOutputAt = performance.now();
      receive(new Uint8Array(data.buffer, data.byteOffset, data.length));
    });
  }

  #receive(chunk: OutputChunk): void {
    this.#output.push(chunk);
    if (this.#output.total > this.#spec.hardOutputBytes) this.stop("output_limit");
    if (this.#listenerError) return;
    try {
      this.#spec.onOutput?.(chunk);
    } catch (thrown) {
      this.#listenerError = { thrown };
      this.stop("aborted");
    }
  }

  #watch(): void {
    const { timeoutMs, abortSignal } = this.#spec;
    if (timeoutMs <= LONGEST_TIMEOUT_MS) this.#after(timeoutMs, () => this.stop("timeout"));
    abortSignal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = () => this.stop("aborted");

  #release(): Promise<void> {
    this.#released ??= this.#hold.release();
    return this.#released;
  }

  /** `exit` comes before the pipes are read to their end. */
  async #drain(child: ChildProcess, exitCode: number | null, signal: string | null): Promise<void> {
    const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
    await this.#release();
    this.#lastOutputAt = performance.now();
    await Promise.race([closed, this.#quiet()]);
    this.#end(this.#hold.outcome(exitCode, signal, this.#supervisorText));
  }

  #quiet(): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        const silentMs = performance.now() - this.#lastOutputAt;
        if (silentMs >= QUIET_MS) resolve();
        else this.#after(QUIET_MS - silentMs, lookOnce);
      };
      // Timers come before input in a turn of the event loop: after a stall, what waits in the pipes is read first.
      const lookOnce = () => setImmediate(() => setImmediate(check));
      check();
    });
  }

  #finish(outcome: Outcome): ExecResult {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const pipe of this.#pipes) pipe.destroy();
    this.#spec.abortSignal?.removeEventListener("abort", this.#onAbort);
    if (this.#listenerError) throw this.#listenerError.thrown;
    return {
      ...statusFields(outcome, this.#stopped),
      ...this.#output.fields(),
      ...this.#hold.findings?.(),
      durationMs: performance.now() - this.#startedAt,
    };
  }

  #after(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, ms);
    this.#timers.add(timer);
  }
}

function statusFields(
  outcome: Outcome,
  stopped: StopStatus | undefined,
): Pick<ExecResult, "status" | "exitCode" | "signal" | "error"> {
  if (stopped) return { status: stopped, exitCode: null, signal: null };
  if (outcome.status === "exited") return { status: "exited", exitCode: outcome.exitCode, signal: null };
  if (outcome.status === "signaled") return { status: "signaled", exitCode: null, signal: outcome.signal };
  return { status: "spawn_error", exitCode: null, signal: null, error: outcome.error };
}

function startError(thrown: unknown, spec: ProcessSpec): string {
  const code = (thrown as NodeJS.ErrnoException).code;
  if (code === "E2BIG") {
    return "The command is too long for this system (about 128 KiB for one argument). Write it to a file and run that file.";
  }
  if (code === "ENOENT") return `${spec.hold.argv[0]} or the folder ${spec.cwd} does not exist.`;
  if (code === "EACCES") return `${spec.hold.argv[0]} may not be executed.`;
  if (code === "EAGAIN") return "This system has no room for another process. Wait until others have ended.";
  return `The command could not be started: ${messageOf(thrown)}`;
}
